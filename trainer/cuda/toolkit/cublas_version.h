/* What differs between cuBLAS 10.2 and 13: here and nowhere else. cuBLAS comes with the toolkit, so
 * CUDA's version tells (CUBLAS_VERSION counts otherwise in 10). */
#ifndef TRAINER_CUDA_CUBLAS_VERSION_H
#define TRAINER_CUDA_CUBLAS_VERSION_H

#include <cublas_v2.h>
#include <stdbool.h>
#include <stddef.h>

#include "trainer/cuda/toolkit/toolkit.h"

#if CUDART_VERSION >= 11000
#define CUBLAS_TYPE_BF16 CUDA_R_16BF
#define CUBLAS_SUMS_OF_FP32 CUBLAS_COMPUTE_32F
#define CUBLAS_SUMS_OF_TF32 CUBLAS_COMPUTE_32F_FAST_TF32
#else /* neither precision is known, and engine_cublas.c declines both */
#define CUBLAS_TYPE_BF16 CUDA_R_32F
#define CUBLAS_SUMS_OF_FP32 CUDA_R_32F
#define CUBLAS_SUMS_OF_TF32 CUDA_R_32F
#endif

static inline bool cublas_has_bf16_and_tf32(void)
{
    return CUDART_VERSION >= 11000;
}

/* Before 11 cuBLAS allocates its own, once, when a handle is made. */
static inline cublasStatus_t cublas_set_workspace(cublasHandle_t handle, void *workspace,
                                                  size_t bytes)
{
#if CUDART_VERSION >= 11000
    return cublasSetWorkspace(handle, workspace, bytes);
#else
    (void)handle, (void)workspace, (void)bytes;
    return CUBLAS_STATUS_SUCCESS;
#endif
}

#endif
