/* Products of small matrices by the tensor cores of a warp, d += a * b with d 16 x 8, for kernels
 * that are compiled with CUDA_HAS_MMA (trainer/cuda/toolkit/toolkit.h). All 32 lanes call them.
 * Each lane holds some elements of every matrix in arrays that become registers: d[4], a[4], b[2].
 * With group = lane / 4 and member = lane % 4:
 *
 *     d[2 i + j]   row group + 8 i, column 2 member + j                     i, j of 0, 1
 *
 * tf32, a of 16 x 8 and b of 8 x 8:
 *     a[i + 2 j]   row group + 8 i, k = member + 4 j
 *     b[j]         k = member + 4 j, column group
 *
 * bf16, a of 16 x 16 and b of 16 x 8, two neighbours in k to a register, the lower half first:
 *     a[i + 2 j]   row group + 8 i, k = 2 member + 8 j and the next
 *     b[j]         k = 2 member + 8 j and the next, column group
 *
 * Source: PTX ISA, "Matrix Fragments for mma.m16n8k8" (.tf32) and "... mma.m16n8k16" (.bf16). The
 * order and the rounding of the sum in one call depend on the hardware; only exact sums are the
 * same on all GPUs. */
#ifndef TRAINER_CUDA_WARP_MATRIX_CUH
#define TRAINER_CUDA_WARP_MATRIX_CUH

#include <stdint.h>

#include "trainer/cuda/toolkit/toolkit.h"

/* The nearest tf32, ties away from zero, as the bits of a float. Without this conversion tensor
 * cores drop the lower 13 bits. */
__device__ static __forceinline__ uint32_t float_as_tf32(float value)
{
#if defined(TRAINYARD_CUDA_EMULATED)
    return cuda_emulated_tf32(value);
#elif CUDA_HAS_MMA
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
#else
    return __float_as_uint(value); // never called: see CUDA_HAS_MMA
#endif
}

__device__ static __forceinline__ void warp_mma_tf32(float *d, const uint32_t *a, const uint32_t *b)
{
#if defined(TRAINYARD_CUDA_EMULATED)
    cuda_emulated_mma_tf32(d, a, b);
#elif CUDA_HAS_MMA
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

__device__ static __forceinline__ void warp_mma_bf16(float *d, const uint32_t *a, const uint32_t *b)
{
#if defined(TRAINYARD_CUDA_EMULATED)
    cuda_emulated_mma_bf16(d, a, b);
#elif CUDA_HAS_MMA
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

#endif
