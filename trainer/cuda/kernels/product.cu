/* The sizes of products, and the sieves that they compute. The passes are separate files, so that
 * they are compiled at the same time: each takes minutes. */
#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/product_division.cuh"
#include "trainer/cuda/kernels/product_finish.cuh"

int64_t cuda_product_scratch(const CudaProduct *product)
{
    const CudaProduct pooled = covered_by(2, *product); // fewer rows may have more parts
    int64_t floats = 0;
    const int64_t all[] = {scratch_of(PASS_FORWARD, product), scratch_of(PASS_FORWARD, &pooled),
                           scratch_of(PASS_DATA, product)};
    for (int64_t wanted : all)
        floats = wanted > floats ? wanted : floats;
    return floats;
}

int64_t cuda_product_parts(const CudaProduct *product)
{
    return scratch_of(PASS_WEIGHTS, product);
}

bool cuda_product_fuses(const CudaSieve *sieve)
{
    const bool is_dropout = sieve->side == 1;
    const bool is_pool = sieve->side == 2 && sieve->in_height >= 2 && sieve->in_width >= 2;
    return (is_dropout || is_pool) && sieve->channels % QUAD == 0;
}
