/* Philox4x32-10, a counter-based generator: four random words as a function of a key and a
 * counter.
 *
 * There is no sequence and no state. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
 * SC'11; computed by the Random123 library, which is used only here and in
 * trainer/cuda/kernels/device.cuh, for kernels. The caller decides what an address means:
 * sim/engine/rng.h, trainer/base/random.h. */
#ifndef SIM_BASE_PHILOX_H
#define SIM_BASE_PHILOX_H

#include <stdint.h>

typedef struct {
    uint32_t word[4];
} PhiloxBlock;

/* `key` is given to the generator low 32 bits first. */
PhiloxBlock philox(uint64_t key, PhiloxBlock counter);

/* Fills blocks[count] with the blocks of `counter` and of the counters that follow it. Only the
 * first word of the counter is increased; its largest value is followed by 0. Compilers vectorise
 * this loop. */
void philox_run(uint64_t key, PhiloxBlock counter, int64_t count, PhiloxBlock *blocks);

#endif
