/* Products compiled for GPUs without tensor cores: the functions of trainer/cuda/kernels/kernels.h
 * under other names. */
#ifndef TESTS_TRAINER_CUDA_PRODUCT_AS_FLOATS_H
#define TESTS_TRAINER_CUDA_PRODUCT_AS_FLOATS_H

#include "trainer/cuda/kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

void float_product_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                           const void *in, const void *kernel, const float *bias, bool logits,
                           void *out, float *scratch, const CudaFused *fused);
void float_product_backward_data(cudaStream_t stream, CudaPrecision precision,
                                 const CudaProduct *product, const void *out_gradient,
                                 const void *kernel, const void *relu_out, void *in_gradient,
                                 float *scratch, const CudaFused *fused);
void float_product_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                    const CudaProduct *product, const void *in,
                                    const void *out_gradient, float *kernel_gradient,
                                    float *bias_gradient, float *parts, CudaParts *unadded);
void float_image_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                         const void *in, const void *kernel, const float *bias, void *out);
void float_image_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                  const CudaProduct *product, const void *in,
                                  const void *out_gradient, float *parts, CudaParts *unadded);

#ifdef __cplusplus
}
#endif
#endif
