/* Division by a number that the processor knows when it starts a kernel, without the GPU's slow
 * instructions for it. */
#ifndef TRAINER_CUDA_DIVISOR_CUH
#define TRAINER_CUDA_DIVISOR_CUH

#include <stdint.h>

#include "trainer/cuda/toolkit/toolkit.h"

namespace
{

/* Division of 0 to 2^31 - 1 by a constant number: n / d = n * ceil(2^(31 + s) / d) >> (31 + s) for
 * 2^s >= d (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI
 * 1994, theorem 4.2). */
struct Divisor {
    uint32_t factor;
    int32_t shift;
};

inline Divisor divisor_of(int64_t number)
{
    int32_t shift = 0;
    while ((INT64_C(1) << shift) < number)
        shift++;
    const uint64_t power = UINT64_C(1) << (31 + shift);
    const uint64_t divisor = static_cast<uint64_t>(number);
    return Divisor{static_cast<uint32_t>((power + divisor - 1) / divisor), 31 + shift};
}

__device__ __forceinline__ int quotient(int number, Divisor divisor)
{
    return static_cast<int>(static_cast<uint64_t>(static_cast<uint32_t>(number)) * divisor.factor >>
                            divisor.shift);
}

} // namespace

#endif
