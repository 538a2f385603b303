/* The values that a dropout layer keeps. */
#ifndef TRAINER_DROPOUT_H
#define TRAINER_DROPOUT_H

#include <stdint.h>

#include "trainer/compute/net.h"

/* Fills kept[count] for the `count` values of a whole batch in NHWC order: 1 for a kept value, 0
 * for a dropped one. Value i is dropped when byte i % 16 of block i / 16 of RANDOM_DROPOUT (word
 * by word, low byte first) is below `dropped_of_256`. Kept values are multiplied by
 * dropout_scale. */
void dropout_mask(uint64_t seed, uint32_t rank, uint64_t step, uint32_t layer,
                  int32_t dropped_of_256, int64_t count, uint8_t *kept);

/* 1 / (1 - rate). */
static inline float dropout_scale(const NetLayer *layer)
{
    return 256.0f / (float)(256 - layer->dropped_of_256);
}

#endif
