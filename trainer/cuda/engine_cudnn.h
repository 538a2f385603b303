/* What cuDNN is told of a convolution; for engine_cudnn.c and its test. */
#ifndef TRAINER_CUDA_ENGINE_CUDNN_H
#define TRAINER_CUDA_ENGINE_CUDNN_H

#include "sim/base/status.h"
#include "trainer/cuda/cudnn_version.h"
#include "trainer/cuda/engines.h"

/* Activations are NHWC. A kernel is, in cuDNN's words, KCRS kept as NHWC: [out][height][width][in],
 * which is ours, [height][width][in][out], transposed. */
typedef struct {
    cudnnTensorDescriptor_t in, out;
    cudnnFilterDescriptor_t kernel;
    cudnnConvolutionDescriptor_t convolution;
} CudnnShapes;

/* Asks no GPU. Whatever comes of it is to be freed. */
MUST_CHECK cudnnStatus_t cudnn_shapes_make(const CudaTask *task, CudnnShapes *shapes);
void cudnn_shapes_free(CudnnShapes *shapes);

#endif
