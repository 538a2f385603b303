/* All differences between cuDNN 7.6, 8 and 9. All three have the functions that engine_cudnn.c
 * calls, with the same signatures; newer versions mark them as deprecated. */
#ifndef TRAINER_CUDA_CUDNN_VERSION_H
#define TRAINER_CUDA_CUDNN_VERSION_H

#include <cudnn.h>
#include <stdbool.h>

#include "trainer/cuda/kernels/kernels.h"

/* cuDNN has CUDNN_DATA_BFLOAT16 since 8.1 and tf32 since 8.0. */
static inline bool cudnn_knows(CudaPrecision precision)
{
    switch (precision) {
    case CUDA_BF16:
        return CUDNN_VERSION >= 8100;
    case CUDA_TF32:
        return CUDNN_VERSION >= 8000;
    case CUDA_FP32:
        break;
    }
    return true;
}

static inline cudnnDataType_t cudnn_type(CudaPrecision precision)
{
#if CUDNN_VERSION >= 8100
    return precision == CUDA_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
#else
    (void)precision;
    return CUDNN_DATA_FLOAT;
#endif
}

/* Since version 8, CUDNN_DEFAULT_MATH may round floats to tf32, and CUDNN_FMA_MATH forbids it.
 * Older versions do not have tf32. */
static inline cudnnMathType_t cudnn_math(CudaPrecision precision)
{
    if (precision == CUDA_BF16)
        return CUDNN_TENSOR_OP_MATH;
#if CUDNN_VERSION >= 8000
    if (precision == CUDA_FP32)
        return CUDNN_FMA_MATH;
#endif
    return CUDNN_DEFAULT_MATH;
}

#endif
