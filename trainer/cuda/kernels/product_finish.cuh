/* Finishes the sums of a product: bias, ReLU and its mask, sums of parts, and sieves. */
#ifndef TRAINER_CUDA_PRODUCT_FINISH_CUH
#define TRAINER_CUDA_PRODUCT_FINISH_CUH

#include "trainer/cuda/kernels/last_block.cuh"
#include "trainer/cuda/kernels/product_operands.cuh"
#include "trainer/cuda/kernels/product_tile.cuh"
#include "trainer/cuda/kernels/sieve.cuh"

namespace
{

enum { QUAD = 4 }; // neighbouring values of a thread

/* The destination of the sums. */
struct Result {
    int32_t rows, columns;
    void *out;
    bool is_bf16, is_paired; // is_paired: stored in pairs
    const float *bias;       // forward
    bool has_relu;           // forward
    const void *relu_out;    // data; may be NULL
    float *bias_gradient;    // weights
    float scale;             // of the sieve
    CudaFused fused;         // forward and data
};

struct Product {
    Patches patches;
    Other other;
    Result result;
    int32_t sum;      // its length
    int32_t part_sum; // of each part but the last
    int32_t parts;
    int32_t column_tiles;
    float *scratch; // [parts][part_size]; if there is more than one
    int64_t part_size;
};

/* --- Finishing and storing the sums --- */

/* True if ReLU did not set value `at` to 0. */
template <CudaPrecision PRECISION>
__device__ __forceinline__ bool relu_passed(const void *relu_out, int64_t at)
{
    if (PRECISION == CUDA_BF16)
        return (static_cast<const uint16_t *>(relu_out)[at] & 0x7fffu) != 0;
    return static_cast<const float *>(relu_out)[at] != 0.0f;
}

/* Forward. */
__device__ __forceinline__ float activated(const Result &result, float bias, float sum)
{
    const float least = result.has_relu ? 0.0f : -INFINITY;
    sum = __fadd_rn(sum, bias);
    return sum < least ? least : sum; // keeps NaN
}

template <Pass PASS, CudaPrecision PRECISION>
__device__ __forceinline__ float finished(const Result &result, int column, int64_t at, float sum)
{
    if (PASS == PASS_FORWARD)
        return activated(result, result.bias[column], sum);
    if (PASS == PASS_DATA && result.relu_out && !relu_passed<PRECISION>(result.relu_out, at))
        return 0.0f;
    return sum;
}

template <CudaPrecision PRECISION>
__device__ __forceinline__ void put(const Result &result, int64_t at, float value)
{
    if (PRECISION == CUDA_BF16 && result.is_bf16)
        static_cast<uint16_t *>(result.out)[at] = narrow(value);
    else
        static_cast<float *>(result.out)[at] = value;
}

struct alignas(8) TwoFloats {
    float first, second;
};

/* Stores two neighbours; the index of the first is even. */
template <CudaPrecision PRECISION>
__device__ __forceinline__ void put_two(const Result &result, int64_t at, float first, float second)
{
    if (PRECISION == CUDA_BF16 && result.is_bf16)
        static_cast<uint32_t *>(result.out)[at / 2] =
            narrow(first) | static_cast<uint32_t>(narrow(second)) << 16;
    else
        static_cast<TwoFloats *>(result.out)[at / 2] = TwoFloats{first, second};
}

/* --- Parts --- */

/* Stores the sums of `row` at `column` and the next column in this block's part. */
template <class K>
__device__ __forceinline__ void put_part(const Product &product, int row, int column,
                                         const float *sums)
{
    const Result &result = product.result;
    if (row >= result.rows || column >= result.columns)
        return;
    float *const part = product.scratch + blockIdx.y * product.part_size +
                        static_cast<int64_t>(row) * result.columns + column;
    if (result.columns % 2 == 0) { // so that pairs are aligned
        *reinterpret_cast<TwoFloats *>(part) = TwoFloats{sums[0], sums[1]};
        return;
    }
    part[0] = sums[0];
    if (column + 1 < result.columns)
        part[1] = sums[1];
}

/* Stores the block's sums in its part. */
template <class K>
__device__ __forceinline__ void put_parts(const Product &product, int first_row, int first_column,
                                          const float (&own)[K::FINISHED / 4][4])
{
#pragma unroll
    for (int pair = 0; pair < K::FINISHED / 2; pair++) {
        const Place place = finished_place<K>(pair);
        put_part<K>(product, first_row + place.row, first_column + place.column,
                    own[pair / 2] + pair % 2 * 2);
    }
}

/* The last block of a tile adds its parts, one after the other. AHEAD of them are read at the same
 * time. The loop is not unrolled further, because the code of this rare path would not fit the
 * cache of instructions. */
template <class K> struct AddedTile {
    typedef Pack<float, QUAD> Sums;
    enum { AHEAD = 8 };
    static constexpr int ACROSS = K::COLUMNS / QUAD;
    static constexpr int QUADS = TILE_ROWS * ACROSS / BLOCK_THREADS; // of a thread

    /* The place of quad `i` of a thread in the tile. Neighbouring threads have neighbours. */
    __device__ static __forceinline__ Place place(int i)
    {
        const int quad = static_cast<int>(threadIdx.x) + i * BLOCK_THREADS;
        return Place{quad / ACROSS, quad % ACROSS * QUAD};
    }

    /* The first `count` of four neighbours, and zeros. Reads from L2, because other multiprocessors
     * have written them. */
    template <bool IS_VECTOR>
    __device__ static __forceinline__ Sums read(const float *from, int count)
    {
        Sums sums = {};
        if (IS_VECTOR && count > 0) {
            const float4 quad = __ldcg(reinterpret_cast<const float4 *>(from));
            return Sums{{quad.x, quad.y, quad.z, quad.w}};
        }
#pragma unroll
        for (int k = 0; !IS_VECTOR && k < QUAD; k++)
            if (k < count)
                sums.value[k] = __ldcg(from + k);
        return sums;
    }

    /* The sums of the quad at `row` and `column` over all parts. With IS_VECTOR the columns are
     * whole quads. */
    template <bool IS_VECTOR>
    __device__ static __forceinline__ Sums added(const Product &product, int row, int column)
    {
        const float *const from =
            product.scratch + static_cast<int64_t>(row) * product.result.columns + column;
        const int count = row < product.result.rows ? product.result.columns - column : 0;
        Sums sums = {};
#pragma unroll 1
        for (int done = 0; done < product.parts && count > 0; done += AHEAD) {
            Sums parts[AHEAD];
#pragma unroll
            for (int ahead = 0; ahead < AHEAD; ahead++)
                parts[ahead] = read<IS_VECTOR>(from + (done + ahead) * product.part_size,
                                               done + ahead < product.parts ? count : 0);
#pragma unroll
            for (int ahead = 0; ahead < AHEAD; ahead++)
#pragma unroll
                for (int k = 0; k < QUAD; k++)
                    sums.value[k] = __fadd_rn(sums.value[k], parts[ahead].value[k]);
        }
        return sums;
    }
};

/* --- Without a sieve --- */

/* Finishes the sums of `row` at `column` and the next column. */
template <class K>
__device__ __forceinline__ void finish_two(const Product &product, int row, int column,
                                           const float *sums)
{
    const Result &result = product.result;
    if (row >= result.rows || column >= result.columns)
        return;
    const int64_t at = static_cast<int64_t>(row) * result.columns + column;
    const bool has_second = column + 1 < result.columns;
    const float first = finished<K::PASS, K::PRECISION>(result, column, at, sums[0]);
    if (!has_second) {
        put<K::PRECISION>(result, at, first);
        return;
    }
    const float second = finished<K::PASS, K::PRECISION>(result, column + 1, at + 1, sums[1]);
    if (result.is_paired) {
        put_two<K::PRECISION>(result, at, first, second);
        return;
    }
    put<K::PRECISION>(result, at, first);
    put<K::PRECISION>(result, at + 1, second);
}

/* Finishes the bias' gradient. Several threads have parts of the `sums` of the same four columns.
 * `shared` has a float for each thread and sum. */
template <class K>
__device__ __forceinline__ void finish_bias(const Product &product, int first_column,
                                            const float sums[4], float *shared)
{
    const int across = K::COLUMNS / 4, thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int j = 0; j < 4; j++)
        shared[thread / across * K::COLUMNS + thread % across * 4 + j] = sums[j];
    __syncthreads();
    const int column = first_column + thread;
    if (thread >= K::COLUMNS || column >= product.result.columns)
        return;
    float sum = 0.0f;
    for (int i = 0; i < BLOCK_THREADS / across; i++)
        sum = __fadd_rn(sum, shared[i * K::COLUMNS + thread]);
    if (product.parts == 1)
        product.result.bias_gradient[column] = sum;
    else // after the part's rows
        product.scratch[(blockIdx.y + 1) * product.part_size - product.result.columns + column] =
            sum;
}

/* --- With a sieve ---
 *
 * The sums go through shared memory, so that a thread has four neighbouring columns of all pixels
 * of a pool. Forward, the rows of a tile are whole pools (Patches), or single pixels of a dropout.
 */

template <CudaPrecision PRECISION> struct ActivationOf {
    typedef float Type;
};
template <> struct ActivationOf<CUDA_BF16> {
    typedef uint16_t Type;
};

/* Forward: `pixels` values of each of four pools, whose first value is number `to` of the output.
 */
template <class K>
__device__ __forceinline__ void sieve_forward(const Result &result, int pixels, int column,
                                              int64_t to, const float *staged)
{
    typedef typename ActivationOf<K::PRECISION>::Type Type;
    const CudaSieve &sieve = result.fused.sieve;
    const bool drops = result.fused.is_training && sieve.dropped_of_256 > 0;
    const uint32_t kept = drops ? kept_bits<QUAD>(sieve, result.fused.step->step, to) : 0xffffffffu;
    Largest<Type, QUAD> largest = {};
    for (int place = 0; place < pixels; place++) {
        const Pack<float, QUAD> sums = pack_load<QUAD>(staged + place * K::COLUMNS_STRIDE);
        Pack<Type, QUAD> pack;
#pragma unroll
        for (int k = 0; k < QUAD; k++)
            pack.value[k] = from_float<Type>(
                finished<PASS_FORWARD, K::PRECISION>(result, column + k, 0, sums.value[k]));
        compare(&largest, pack, place);
    }
    const Sieved<Type, QUAD> values = sieved(sieve, largest, drops, kept, result.scale);
    pack_store<QUAD>(static_cast<Type *>(result.out) + to, values.value);
    if (result.fused.is_training)
        pack_store<QUAD>(result.fused.places + to, values.place);
}

/* Backward: the gradients of four values of the sieve's output, from number `from` on. The pools of
 * the last row and column also write the zeros of pixels that no pool covers. */
template <class K>
__device__ __forceinline__ void sieve_backward(const Result &result, int64_t from,
                                               const float *staged)
{
    typedef typename ActivationOf<K::PRECISION>::Type Type;
    const CudaSieve &sieve = result.fused.sieve;
    const int side = sieve.side, height = sieve.in_height / side, width = sieve.in_width / side;
    const int pool = static_cast<int>(from) / sieve.channels;
    const int channel = static_cast<int>(from) - pool * sieve.channels;
    const int row = pool / width, x = pool - row * width;
    const int image = row / height, y = row - image * height;
    const int below = y == height - 1 ? sieve.in_height - y * side : side;
    const int right = x == width - 1 ? sieve.in_width - x * side : side;
    const Pack<uint8_t, QUAD> place = pack_load<QUAD>(result.fused.places + from);
    Type *const to =
        static_cast<Type *>(result.out) + channel +
        ((static_cast<int64_t>(image) * sieve.in_height + y * side) * sieve.in_width + x * side) *
            sieve.channels;
    const Pack<float, QUAD> sums = pack_load<QUAD>(staged);
    Pack<Type, QUAD> gradient;
#pragma unroll
    for (int k = 0; k < QUAD; k++) // rounded as if it were stored between two kernels
        gradient.value[k] =
            from_float<Type>(__fmul_rn(to_float(from_float<Type>(sums.value[k])), result.scale));
    for (int i = 0; i < below; i++)
        for (int j = 0; j < right; j++) {
            const int own = i < side && j < side ? i * side + j : STOPPED - 1;
            Pack<Type, QUAD> part;
#pragma unroll
            for (int k = 0; k < QUAD; k++)
                part.value[k] = place.value[k] == own ? gradient.value[k] : static_cast<Type>(0);
            pack_store<QUAD>(to + (static_cast<int64_t>(i) * sieve.in_width + j) * sieve.channels,
                             part);
        }
}

/* Computes the sieve of a tile whose sums all threads have stored in `staged`. */
template <class K>
__device__ __forceinline__ void sieve_tile(const Product &product, int first_row, int first_column,
                                           const float *staged)
{
    const Result &result = product.result;
    const int side = K::PASS == PASS_FORWARD ? result.fused.sieve.side : 1, pixels = side * side;
    const int across = K::COLUMNS / QUAD;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < TILE_ROWS / pixels * across;
         i += BLOCK_THREADS) {
        const int row = i / across * pixels, column = first_column + i % across * QUAD;
        if (first_row + row >= result.rows || column >= result.columns)
            continue;
        const float *const from = staged + row * K::COLUMNS_STRIDE + i % across * QUAD;
        const int64_t at =
            static_cast<int64_t>((first_row + row) / pixels) * result.columns + column;
        if (K::PASS == PASS_FORWARD)
            sieve_forward<K>(result, pixels, column, at, from);
        else
            sieve_backward<K>(result, at, from);
    }
}

/* --- Finishing a tile ---
 *
 * `staged`: the block's shared memory, TILE_ROWS * COLUMNS_STRIDE floats. */

/* The sums are those of add_groups. */
template <class K>
__device__ __forceinline__ void finish_tile(const Product &product, int first_row, int first_column,
                                            const float (&own)[K::FINISHED / 4][4], float *staged)
{
    const bool has_sieve = K::PASS != PASS_WEIGHTS && product.result.fused.sieve.side > 0;
#pragma unroll
    for (int pair = 0; pair < K::FINISHED / 2; pair++) {
        const Place place = finished_place<K>(pair);
        const float *const two = own[pair / 2] + pair % 2 * 2;
        if (has_sieve) {
            staged[place.row * K::COLUMNS_STRIDE + place.column] = two[0];
            staged[place.row * K::COLUMNS_STRIDE + place.column + 1] = two[1];
        } else {
            finish_two<K>(product, first_row + place.row, first_column + place.column, two);
        }
    }
    if (has_sieve)
        sieve_tile<K>(product, first_row, first_column, staged);
}

/* The sums are those of all parts; called by the last block of the tile. */
template <class K, bool IS_VECTOR>
__device__ __forceinline__ void finish_parts(const Product &product, int first_row,
                                             int first_column, float *staged)
{
    typedef AddedTile<K> Added;
    const bool has_sieve = product.result.fused.sieve.side > 0;
#pragma unroll 1
    for (int i = 0; i < Added::QUADS; i++) {
        const Place place = Added::place(i);
        const int row = first_row + place.row, column = first_column + place.column;
        const typename Added::Sums sums = Added::template added<IS_VECTOR>(product, row, column);
        if (has_sieve)
            pack_store<QUAD>(staged + place.row * K::COLUMNS_STRIDE + place.column, sums);
        else
            for (int k = 0; k < QUAD; k += 2)
                finish_two<K>(product, row, column + k, sums.value + k);
    }
    if (has_sieve)
        sieve_tile<K>(product, first_row, first_column, staged);
}

} // namespace

#endif
