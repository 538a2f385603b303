/* The three products of a layer, as one matrix product C[rows][columns] = A * B whose factors are
 * read in place (an "implicit GEMM"):
 *
 *               rows                  columns        sum over             A        B
 *     forward   pixels of out         out channels   side^2 in channels   in       kernel
 *     data      pixels of in          in channels    side^2 out channels  out_gr.  kernel,
 * transposed weights   side^2 in channels    out channels   pixels of out        in out_gradient
 *
 * A dense layer has one pixel per image and a side of 1.
 *
 * Division: a block of 256 threads computes 64 x 32 values of C, or 64 x 64 if there are enough
 * values. At batch 32 the layers are small for a GPU with 132 multiprocessors (H100, H200). The
 * convolutions' 5408 to 32768 x 32 or 64 values are 113 to 512 blocks of 64 x 32, up to four per
 * multiprocessor. A multiprocessor has room for two blocks (registers: at most 128 per thread by
 * __launch_bounds__; shared memory: at most 38 KiB per block), so that one works while the other
 * waits. Where a multiprocessor has a single block, its two groups do so. A tile of 64 x 32 makes
 * 21 multiply-adds for each value that it reads from L2, a tile of 64 x 64 makes 32. The data of
 * all these layers fit into L2. With larger tiles most multiprocessors would be idle.
 *
 * If multiprocessors would still be idle (dense layers: 32 rows; gradients of weights: few values,
 * long sums), the sum is divided into parts, one block each. Parts write their sums to `scratch`.
 * They are added in a fixed order and finished (bias, ReLU, sieve, storing) by the last block of a
 * tile or, if they are gradients of weights, by the update. The number of parts depends only on the
 * shape, so results have the same bits on every GPU with the same arithmetic.
 *
 * A sieve after a product, or before it in the backward pass, is part of its kernel
 * (product_finish.cuh). Forward with a pool, the four pixels of a pool are neighbouring rows, and
 * pixels that no pool covers are not computed.
 *
 * The blocks of the first rows of the weights' gradient also compute the gradient of the bias,
 * because they already read the columns of B. */
#ifndef TRAINER_CUDA_PRODUCT_PASS_CUH
#define TRAINER_CUDA_PRODUCT_PASS_CUH

#include <stddef.h>

#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/product_division.cuh"
#include "trainer/cuda/kernels/product_finish.cuh"
#include "trainer/cuda/kernels/product_operands.cuh"
#include "trainer/cuda/kernels/product_tile.cuh"

namespace
{

/* --- Kernels --- */

/* Blocks: x counts the tiles of C, with tiles of the same rows one after the other, because they
 * read the same A; y counts the parts. */
template <class K>
__global__ void __launch_bounds__(BLOCK_THREADS, LEAST_BLOCKS) multiply(const Product product)
{
    __shared__ BlockTiles<K> shared;
    typename OperandsOf<K, K::PASS>::A a;
    typename OperandsOf<K, K::PASS>::B b;
    const int tile = static_cast<int>(blockIdx.x);
    const int first_row = tile / product.column_tiles * TILE_ROWS;
    const int first_column = tile % product.column_tiles * K::COLUMNS;
    const int begin = static_cast<int>(blockIdx.y) * product.part_sum;
    const int rest = product.sum - begin;
    const int end = begin + (rest < product.part_sum ? rest : product.part_sum);
    const bool sums_bias = K::PASS == PASS_WEIGHTS && first_row == 0;
    float sums[K::SUMS / 4][4] = {}, own[K::FINISHED / 4][4], bias_sums[4] = {};
    a.begin(product.patches, first_row);
    b.begin(product.other, first_column);

    // In iteration `at` a group multiplies its tiles in one buffer while its next tiles are stored
    // in the other. The first iteration only stores, and an iteration needs a single barrier.
    Tiles<K> &tiles = shared.of_group[tile_group()];
    const int step = TILE_WORDS * K::VALUES, of_group = tile_group() * step;
    int buffer = 0;
    for (int at = begin - 2 * step; at < end; at += 2 * step, buffer ^= 1) {
        const int next = at + 2 * step + of_group;
        if (next < end) {
            a.load(product.patches, next);
            b.load(product.other, next);
        }
        if (at >= begin && at + of_group < end)
            tile_multiply<K>(tiles.a[buffer ^ 1], tiles.b[buffer ^ 1], sums);
        if (next < end) {
            a.store(tiles.a[buffer]);
            b.store(tiles.b[buffer]);
            if (sums_bias)
                b.add_to(bias_sums);
        }
        __syncthreads();
    }

    float *const staged = shared.staged();
    add_groups<K>(sums, own, staged + BlockTiles<K>::STAGED);
    if (sums_bias)
        finish_bias<K>(product, first_column, bias_sums, staged);
    if (product.parts == 1) {
        finish_tile<K>(product, first_row, first_column, own, staged);
        return;
    }
    put_parts<K>(product, first_row, first_column, own);
    if (K::PASS == PASS_WEIGHTS || !is_last_block(product.result.fused.done + tile, gridDim.y))
        return;
    if (product.result.columns % QUAD == 0)
        finish_parts<K, true>(product, first_row, first_column, staged);
    else
        finish_parts<K, false>(product, first_row, first_column, staged);
}

/* --- Operands --- */

bool is_aligned(const void *pointer, uintptr_t bytes)
{
    return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

/* True if an operand with `channels` contiguous values can be read in quads. */
bool is_vector(CudaPrecision precision, const void *values, int32_t channels)
{
    return channels % (precision == CUDA_BF16 ? 8 : 4) == 0 && is_aligned(values, 16);
}

/* The patches of `in` in the forward pass, of `out_gradient` in the backward pass. `pool`: side of
 * the pools whose pixels are neighbours, 1 or 2. */
Patches patches_of(Pass pass, CudaPrecision precision, const CudaProduct *product, int32_t pool,
                   const void *values)
{
    const bool is_back = pass == PASS_DATA;
    Patches patches;
    patches.values = values;
    patches.height = is_back ? product->out_height : product->in_height;
    patches.width = is_back ? product->out_width : product->in_width;
    patches.channels = is_back ? product->out_channels : product->in_channels;
    patches.is_vector = is_vector(precision, values, patches.channels);
    patches.side = product->side;
    patches.padding = is_back ? product->side - 1 - product->padding : product->padding;
    patches.pixel_height = is_back ? product->in_height : product->out_height / pool;
    patches.pixel_width = is_back ? product->in_width : product->out_width / pool;
    patches.pool_shift = pool == 2 ? 2 : 0;
    patches.pixels = product->count * patches.pixel_height * patches.pixel_width * pool * pool;
    patches.columns = product->side * product->side * patches.channels;
    patches.by_channels = divisor_of(patches.channels);
    patches.by_side = divisor_of(product->side);
    patches.by_pixel_width = divisor_of(patches.pixel_width);
    patches.by_pixel_area =
        divisor_of(static_cast<int64_t>(patches.pixel_height) * patches.pixel_width);
    return patches;
}

Other other_of(Pass pass, CudaPrecision precision, const CudaProduct *product, const Sizes &sizes,
               const void *values)
{
    Other other;
    other.values = values;
    other.is_vector = is_vector(precision, values, product->out_channels);
    other.sum = sizes.sum;
    other.columns = sizes.columns;
    other.channels = product->out_channels;
    other.last_tap = product->side * product->side - 1;
    other.by_channels = divisor_of(pass == PASS_DATA ? product->out_channels : 1);
    return other;
}

/* --- Starting kernels --- */

inline bool reads_quads(const Product &product)
{
    return product.patches.is_vector && product.other.is_vector;
}

template <Pass PASS, CudaPrecision PRECISION, bool IS_VECTOR, int COLUMNS>
void start_kind(cudaStream_t stream, dim3 grid, const Product &product, const CudaWork &work)
{
    typedef Kind<PASS, PRECISION, IS_VECTOR, COLUMNS> K;
    CUDA_WORK(work);
    CUDA_LAUNCH((multiply<K>), grid, dim3(BLOCK_THREADS), stream, product);
}

template <Pass PASS, CudaPrecision PRECISION>
void start_precision(cudaStream_t stream, const Division &division, const Product &product,
                     const WorkShape &shape)
{
    const CudaWork work = work_of_multiply(division, shape);
    const dim3 grid(static_cast<unsigned>(division.row_tiles * division.column_tiles),
                    static_cast<unsigned>(division.parts));
    if (reads_quads(product) && division.columns == 64)
        start_kind<PASS, PRECISION, true, 64>(stream, grid, product, work);
    else if (reads_quads(product))
        start_kind<PASS, PRECISION, true, 32>(stream, grid, product, work);
    else
        start_kind<PASS, PRECISION, false, 32>(stream, grid, product, work);
}

/* `seen`: the values under the kernel; `result` without its sizes. Returns the division. */
template <Pass PASS>
Division start(cudaStream_t stream, CudaPrecision precision, const CudaProduct *whole,
               const void *seen, const void *other, Result result, float *scratch)
{
    const int32_t pool = pool_of(PASS, result.fused.sieve);
    const CudaProduct covered = covered_by(pool, *whole);
    const Sizes sizes = sizes_of(PASS, &covered);
    Division division = divided(PASS, &covered);
    result.scale = scale_of(&result.fused.sieve);
    result.rows = sizes.rows;
    result.columns = sizes.columns;
    result.is_paired = sizes.columns % 2 == 0 && is_aligned(result.out, result.is_bf16 ? 4 : 8);
    Product product;
    product.patches = patches_of(PASS, precision, &covered, pool, seen);
    product.other = other_of(PASS, precision, &covered, sizes, other);
    product.result = result;
    product.sum = sizes.sum;
    if (!reads_quads(product))
        narrow_tiles(sizes.columns, &division);
    product.part_sum = division.part_chunks * CHUNK;
    product.parts = division.parts;
    product.column_tiles = division.column_tiles;
    product.scratch = scratch;
    product.part_size = division.part_size;
    const WorkShape shape = work_shape(PASS, precision, covered, sizes, result.is_bf16,
                                       result.relu_out != NULL, result.fused);
    switch (precision) {
    case CUDA_FP32:
        start_precision<PASS, CUDA_FP32>(stream, division, product, shape);
        break;
    case CUDA_BF16:
        start_precision<PASS, CUDA_BF16>(stream, division, product, shape);
        break;
    case CUDA_TF32:
        start_precision<PASS, CUDA_TF32>(stream, division, product, shape);
        break;
    }
    return division;
}

} // namespace

#endif
