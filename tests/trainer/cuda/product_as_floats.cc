#include "tests/trainer/cuda/product_as_floats.h"

/* Compiles product.cu as for an sm_75 device. */
#undef CUDA_HAS_MMA
#define CUDA_HAS_MMA 0
// NOLINTBEGIN(readability-identifier-naming)
#define cuda_product_scratch float_product_scratch
#define cuda_product_parts float_product_parts
#define cuda_product_fuses float_product_fuses
#define cuda_product_forward float_product_forward
#define cuda_product_backward_data float_product_backward_data
#define cuda_product_backward_weights float_product_backward_weights
// NOLINTEND(readability-identifier-naming)
extern "C" int64_t float_product_scratch(const CudaProduct *product);
extern "C" int64_t float_product_parts(const CudaProduct *product);
extern "C" bool float_product_fuses(const CudaSieve *sieve);
#include "trainer/cuda/kernels/product.cu"
