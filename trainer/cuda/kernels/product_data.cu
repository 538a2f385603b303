#include "trainer/cuda/kernels/product_pass.cuh"

void cuda_product_backward_data(cudaStream_t stream, CudaPrecision precision,
                                const CudaProduct *product, const void *out_gradient,
                                const void *kernel, const void *relu_out, void *in_gradient,
                                float *scratch, const CudaFused *fused)
{
    Result result = Result();
    result.out = in_gradient;
    result.is_bf16 = precision == CUDA_BF16;
    result.relu_out = relu_out;
    result.fused = *fused;
    start<PASS_DATA>(stream, precision, product, out_gradient, kernel, result, scratch);
}
