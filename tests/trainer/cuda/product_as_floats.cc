#include "tests/trainer/cuda/product_as_floats.h"

/* Compiles the products as for an sm_75 device. */
#undef CUDA_HAS_MMA
#define CUDA_HAS_MMA 0
// NOLINTBEGIN(readability-identifier-naming)
#define cuda_product_scratch float_product_scratch
#define cuda_product_parts float_product_parts
#define cuda_product_fuses float_product_fuses
#define cuda_product_forward float_product_forward
#define cuda_product_backward_data float_product_backward_data
#define cuda_product_backward_weights float_product_backward_weights
#define cuda_image_fits float_image_fits
#define cuda_image_forward float_image_forward
#define cuda_image_backward_weights float_image_backward_weights
// NOLINTEND(readability-identifier-naming)
extern "C" int64_t float_product_scratch(const CudaProduct *product);
extern "C" int64_t float_product_parts(const CudaProduct *product);
extern "C" bool float_product_fuses(const CudaSieve *sieve);
extern "C" bool float_image_fits(const CudaProduct *product);
#include "trainer/cuda/kernels/image_product.cu"
#include "trainer/cuda/kernels/product.cu"
#include "trainer/cuda/kernels/product_data.cu"
#include "trainer/cuda/kernels/product_forward.cu"
#include "trainer/cuda/kernels/product_weights.cu"
