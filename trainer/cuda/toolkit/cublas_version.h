/* All differences between cuBLAS 10.2 and 13. cuBLAS is part of the toolkit, so CUDA's version is
 * tested (CUBLAS_VERSION is numbered differently in 10). */
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
#else /* neither bf16 nor tf32 exists, and engine_cublas.c declines both */
#define CUBLAS_TYPE_BF16 CUDA_R_32F
#define CUBLAS_SUMS_OF_FP32 CUDA_R_32F
#define CUBLAS_SUMS_OF_TF32 CUDA_R_32F
#endif

static inline bool cublas_has_bf16_and_tf32(void)
{
    return CUDART_VERSION >= 11000;
}

/* Before 11 cuBLAS allocates the workspace once, when a handle is created. */
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
