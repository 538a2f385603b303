/* The last block of a grid. */
#ifndef TRAINER_CUDA_LAST_BLOCK_CUH
#define TRAINER_CUDA_LAST_BLOCK_CUH

#include "trainer/cuda/kernels/kernels.h"

/* True for all threads of the last of `blocks` blocks that call this: it sees what the others have
 * written. `done` counts them; it is 0 before and after.
 *
 * A barrier orders the writes of a block before the fence of its first thread, and that fence
 * orders them before its addition; cooperative groups synchronise a grid in the same way. A fence
 * also empties the L1 cache of a multiprocessor, so only one thread of a block executes it. */
static __device__ __forceinline__ bool is_last_block(uint32_t *done, uint32_t blocks)
{
    __shared__ bool is_last;
    __syncthreads();
    if (blocks == 1)
        return true;
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(done, 1u) == blocks - 1;
        if (is_last) {
            *done = 0;
            __threadfence();
        }
    }
    __syncthreads();
    return is_last;
}

#endif
