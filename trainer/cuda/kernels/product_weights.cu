#include "trainer/cuda/kernels/product_pass.cuh"

void cuda_product_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                   const CudaProduct *product, const void *in,
                                   const void *out_gradient, float *kernel_gradient,
                                   float *bias_gradient, float *parts, CudaParts *unadded)
{
    Result result = Result();
    result.out = kernel_gradient;
    result.bias_gradient = bias_gradient;
    const Division division =
        start<PASS_WEIGHTS>(stream, precision, product, in, out_gradient, result, parts);
    *unadded = CudaParts{parts, division.parts > 1 ? division.parts : 0,
                         static_cast<int32_t>(division.part_size), 0};
}
