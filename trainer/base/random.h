/* Random numbers of a training, by address: every weight, shuffle, shift, flip and dropped value
 * is a function of (seed, use, rank, time, layer, block). A resumed run therefore continues with
 * the same numbers, every backend drops the same values, and a rank's numbers do not depend on how
 * many ranks there are. */
#ifndef TRAINER_RANDOM_H
#define TRAINER_RANDOM_H

#include <stdint.h>

#include "sim/base/philox.h"
#include "trainer/base/on_gpu.h"

/* The uses of random numbers. Checkpoints depend on these values: append, never reorder.
 */
typedef enum {
    RANDOM_WEIGHTS = 1, /* time 0; layer: index in the net; block: four weights */
    RANDOM_SHUFFLE,     /* time: epoch; block: index of the image */
    RANDOM_AUGMENT,     /* time: step; block: place in the batch */
    RANDOM_DROPOUT,     /* time: step; layer: index in the net; block: sixteen values */
} RandomUse;

typedef struct {
    RandomUse use;
    uint32_t rank;  /* below 2^24 */
    uint64_t time;  /* below 2^48; steps count from 0 over the whole training, epochs from 0 */
    uint32_t layer; /* below 2^16 */
    uint32_t block;
} RandomAddress;

/* The generator's counter is (block, low 32 bits of time, high 16 of time + layer * 2^16,
 * rank + use * 2^24), its key the seed. */
static inline ALSO_ON_GPU PhiloxBlock random_counter(RandomAddress at)
{
    const PhiloxBlock counter = {{at.block, (uint32_t)at.time,
                                  (uint32_t)(at.time >> 32) | at.layer << 16,
                                  at.rank | (uint32_t)at.use << 24}};
    return counter;
}

static inline PhiloxBlock random_words(uint64_t seed, RandomAddress at)
{
    return philox(seed, random_counter(at));
}

/* The upper 24 bits as a number in [0, 1): exact in a float. */
static inline ALSO_ON_GPU float random_unit(uint32_t word)
{
    return (float)(word >> 8) * (1.0f / 16777216.0f);
}

#endif
