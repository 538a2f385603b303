/* Activations as fast convolutions keep them: [image][channels / block][height][width][block],
 * which is NHWC where `block` is all channels. */
#ifndef TRAINER_CHANNEL_BLOCKS_H
#define TRAINER_CHANNEL_BLOCKS_H

#include "trainer/compute/net.h"

/* Where a value lies. */
static inline int64_t channel_blocks_at(NetShape shape, int32_t block, int64_t image, int32_t y,
                                        int32_t x, int32_t channel)
{
    const int64_t plane = image * (shape.channels / block) + channel / block;
    return ((plane * shape.height + y) * shape.width + x) * block + channel % block;
}

#endif
