/* cuDNN's descriptors of a convolution; for engine_cudnn.c and its test. */
#ifndef TRAINER_CUDA_ENGINE_CUDNN_H
#define TRAINER_CUDA_ENGINE_CUDNN_H

#include "sim/base/status.h"
#include "trainer/cuda/cudnn_version.h"
#include "trainer/cuda/engines.h"

/* Activations are NHWC. A kernel is KCRS stored as NHWC in cuDNN's terms: [out][height][width][in],
 * the transpose of trainyard's [height][width][in][out]. */
typedef struct {
    cudnnTensorDescriptor_t in, out;
    cudnnFilterDescriptor_t kernel;
    cudnnConvolutionDescriptor_t convolution;
} CudnnShapes;

/* Does not use the GPU. Free `shapes` also after a failure. */
MUST_CHECK cudnnStatus_t cudnn_shapes_make(const CudaTask *task, CudnnShapes *shapes);
void cudnn_shapes_free(CudnnShapes *shapes);

#endif
