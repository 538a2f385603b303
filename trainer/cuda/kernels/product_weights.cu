#include "trainer/cuda/kernels/product_pass.cuh"

void cuda_product_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                   const CudaProduct *product, const void *in,
                                   const void *out_gradient, float *kernel_gradient,
                                   float *bias_gradient, float *scratch, CudaParts *unadded)
{
    Result result = Result();
    result.out = kernel_gradient;
    result.bias_gradient = bias_gradient;
    const CudaParts left = start<PASS_WEIGHTS>(stream, precision, product, in, out_gradient, result,
                                               scratch, unadded != NULL);
    if (unadded)
        *unadded = left;
}
