/* Which values a dropout layer lets through. */
#ifndef TRAINER_DROPOUT_H
#define TRAINER_DROPOUT_H

#include <stdint.h>

#include "trainer/compute/net.h"

/* kept[count]: 1 for a value that stays, 0 for one that is dropped, of the `count` values of a
 * whole batch in NHWC order. Value i is dropped when byte i % 16 of block i / 16 of RANDOM_DROPOUT
 * (word by word, low byte first) is below `dropped_of_256`. What stays is multiplied by
 * dropout_scale. */
void dropout_mask(uint64_t seed, uint32_t rank, uint64_t step, uint32_t layer,
                  int32_t dropped_of_256, int64_t count, uint8_t *kept);

/* 1 / (1 - rate). */
static inline float dropout_scale(const NetLayer *layer)
{
    return 256.0f / (float)(256 - layer->dropped_of_256);
}

#endif
