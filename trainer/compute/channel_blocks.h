/* The layout of activations for fast convolutions: [image][channels / block][height][width][block].
 * It is NHWC if `block` is the number of channels. */
#ifndef TRAINER_CHANNEL_BLOCKS_H
#define TRAINER_CHANNEL_BLOCKS_H

#include "trainer/compute/net.h"

/* The index of a value. */
static inline int64_t channel_blocks_at(NetShape shape, int32_t block, int64_t image, int32_t y,
                                        int32_t x, int32_t channel)
{
    const int64_t plane = image * (shape.channels / block) + channel / block;
    return ((plane * shape.height + y) * shape.width + x) * block + channel % block;
}

#endif
