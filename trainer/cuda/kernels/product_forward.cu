#include "trainer/cuda/kernels/product_pass.cuh"

void cuda_product_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                          const void *in, const void *kernel, const float *bias, bool logits,
                          void *out, float *scratch, const CudaFused *fused)
{
    Result result = Result();
    result.out = out;
    result.is_bf16 = precision == CUDA_BF16 && !logits;
    result.bias = bias;
    result.has_relu = product->has_relu;
    result.fused = *fused;
    start<PASS_FORWARD>(stream, precision, product, in, kernel, result, scratch);
}
