/* The first convolution of a network for CIFAR-10: 32 x 32 pixels of three channels, a kernel of
 * 3 x 3 that keeps the size, and 32 channels of output.
 *
 * Three channels cannot be read in quads. product_pass.cuh therefore looks up each value of A
 * separately: two divisions and four comparisons for each. Here a block copies whole rows of images
 * to shared memory, between zeros. The nine values under a row of the kernel are neighbours there,
 * and the next pixel's begin three values later, so that all places are a constant of the thread
 * plus a constant of the loop.
 *
 *     forward    a block has two rows of an image: 64 pixels
 *     weights    a block has a part of the sum, row after row of the output; one warp sums the bias
 *
 * The parts are those of product_pass.cuh. */
#include "trainer/cuda/kernels/image_rows.cuh"
#include "trainer/cuda/kernels/work.h"

namespace
{

enum {
    FORWARD_ROWS = 2, // of the output
    FORWARD_THREADS = 128,
    BIAS_WARP = 4, // the other warps of a block for the weights compute the product
    WEIGHTS_THREADS = (BIAS_WARP + 1) * 32,
    BIAS_SUMS = 8, // for each column, so that an addition does not wait for the one before it
};

/* --- Forward --- */

template <class K> struct alignas(16) ForwardTiles {
    static constexpr int WORDS = TAPS_OF_TILES / (K::HAS_PAIRS ? 2 : 1);
    alignas(16) typename K::Staged rows[FORWARD_ROWS + KERNEL_SIDE - 1][ROW_STRIDE];
    alignas(16) uint32_t kernel[WORDS][VALUES_STRIDE];
};

template <class K>
__device__ __forceinline__ typename K::Staged kernel_value(const typename K::Type *kernel, int tap,
                                                           int column)
{
    typename K::Staged value = 0;
    if (tap < TAPS)
        stage(kernel[tap * IMAGE_COLUMNS + column], &value);
    return value;
}

template <class K>
__device__ __forceinline__ void copy_kernel(const typename K::Type *kernel, ForwardTiles<K> *tiles)
{
    const int pair = K::HAS_PAIRS ? 2 : 1;
    for (int i = static_cast<int>(threadIdx.x); i < ForwardTiles<K>::WORDS * IMAGE_COLUMNS;
         i += FORWARD_THREADS) {
        const int word = i / IMAGE_COLUMNS, column = i % IMAGE_COLUMNS;
        typename K::Staged values[2] = {kernel_value<K>(kernel, word * pair, column), 0};
        if (K::HAS_PAIRS)
            values[1] = kernel_value<K>(kernel, word * pair + 1, column);
        tiles->kernel[word][column] = word_at<K>(values, 1);
    }
}

/* The sums of a thread, of the rows of the output from `first_row` on. */
template <class K, bool HAS_MMA> struct ForwardSums;

/* Four neighbouring pixels of four channels. */
template <class K> struct ForwardSums<K, false> {
    static constexpr int ACROSS = IMAGE_COLUMNS / QUAD;

    __device__ static __forceinline__ void compute(const ForwardTiles<K> &tiles,
                                                   const Result &result, int first_row)
    {
        const int thread = static_cast<int>(threadIdx.x), column = thread % ACROSS * QUAD;
        const int pixel = thread / ACROSS * WINDOW_PIXELS;
        const int row = pixel / IMAGE_SIDE, x = pixel % IMAGE_SIDE;
        float sums[WINDOW_PIXELS][QUAD] = {}, bias[QUAD];
#pragma unroll
        for (int j = 0; j < QUAD; j++)
            bias[j] = result.bias[column + j];
#pragma unroll
        for (int y = 0; y < KERNEL_SIDE; y++) {
            Window window;
            window.load(tiles.rows[row + y], x);
#pragma unroll
            for (int tap = 0; tap < KERNEL_RUN; tap++) {
                const Quad right = tile_quad(tiles.kernel[y * KERNEL_RUN + tap] + column);
#pragma unroll
                for (int i = 0; i < WINDOW_PIXELS; i++)
#pragma unroll
                    for (int j = 0; j < QUAD; j++)
                        sums[i][j] = __fmaf_rn(window.value[i * IMAGE_CHANNELS + tap],
                                               __uint_as_float(right.word[j]), sums[i][j]);
            }
        }
        typename K::Type *const out = static_cast<typename K::Type *>(result.out) +
                                      static_cast<int64_t>(first_row) * IMAGE_SIDE * IMAGE_COLUMNS;
#pragma unroll
        for (int i = 0; i < WINDOW_PIXELS; i++) {
            Pack<typename K::Type, QUAD> values;
#pragma unroll
            for (int j = 0; j < QUAD; j++)
                values.value[j] =
                    from_float<typename K::Type>(activated(result, bias[j], sums[i][j]));
            // nvcc 13.0 would store one value at a time if the index were signed.
            pack_store<QUAD>(out + static_cast<uint32_t>((pixel + i) * IMAGE_COLUMNS + column),
                             values);
        }
    }
};

/* The places of MmaLayout. */
template <class K> struct ForwardSums<K, true> {
    typedef MmaLayout<K> Layout;

    __device__ static __forceinline__ void add(const ForwardTiles<K> &tiles, int word,
                                               float (&sums)[K::SUMS / 4][4])
    {
        const int pair = K::HAS_PAIRS ? 2 : 1, lane = static_cast<int>(threadIdx.x) % 32;
        const int group = lane / 4, at = word + lane % 4;
        const Place warp = Layout::warp_place();
        const typename K::Staged *const corner = tiles.rows[warp.row / IMAGE_SIDE];
        uint32_t left[Layout::ROW_TILES][4], right[Layout::COLUMN_TILES][2];
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int first = place_of_tap((at + half * 4) * pair);
            const int second = place_of_tap((at + half * 4) * pair + pair - 1);
#pragma unroll
            for (int i = 0; i < Layout::ROW_TILES * 2; i++)
                left[i / 2][i % 2 + half * 2] =
                    word_of_taps<K>(corner + (i * 8 + group) * IMAGE_CHANNELS, first, second);
#pragma unroll
            for (int j = 0; j < Layout::COLUMN_TILES; j++)
                right[j][half] = tiles.kernel[at + half * 4][warp.column + j * 8 + group];
        }
#pragma unroll
        for (int i = 0; i < Layout::ROW_TILES; i++)
#pragma unroll
            for (int j = 0; j < Layout::COLUMN_TILES; j++) {
                if (K::PRECISION == CUDA_BF16)
                    warp_mma_bf16(sums[i * Layout::COLUMN_TILES + j], left[i], right[j]);
                else
                    warp_mma_tf32(sums[i * Layout::COLUMN_TILES + j], left[i], right[j]);
            }
    }

    __device__ static __forceinline__ void compute(const ForwardTiles<K> &tiles,
                                                   const Result &result, int first_row)
    {
        float sums[K::SUMS / 4][4] = {};
#pragma unroll
        for (int word = 0; word < ForwardTiles<K>::WORDS; word += 8)
            add(tiles, word, sums);
#pragma unroll
        for (int pair = 0; pair < K::SUMS / 2; pair++) {
            const Place place = Layout::place(pair);
            const float *const two = sums[pair / 2] + pair % 2 * 2;
            const int64_t at =
                (static_cast<int64_t>(first_row) * IMAGE_SIDE + place.row) * IMAGE_COLUMNS +
                place.column;
            put_two<K::PRECISION>(
                result, at, finished<PASS_FORWARD, K::PRECISION>(result, place.column, at, two[0]),
                finished<PASS_FORWARD, K::PRECISION>(result, place.column + 1, at + 1, two[1]));
        }
    }
};

template <CudaPrecision PRECISION>
__global__ void __launch_bounds__(FORWARD_THREADS)
    image_forward(const void *in, const void *kernel, const Result result)
{
    typedef ImageKind<PRECISION> K;
    typedef typename K::Type Type;
    __shared__ ForwardTiles<K> tiles;
    RowQuad<K, FORWARD_ROWS + KERNEL_SIDE - 1, FORWARD_THREADS> quad;
    const int first_row = static_cast<int>(blockIdx.x) * FORWARD_ROWS;
    const int64_t image = first_row / IMAGE_SIDE;
    quad.load(static_cast<const Type *>(in) + image * IMAGE_SIDE * IMAGE_ROW,
              first_row % IMAGE_SIDE - 1);
    clear_edges<K, FORWARD_THREADS>(tiles.rows, FORWARD_ROWS + KERNEL_SIDE - 1);
    copy_kernel<K>(static_cast<const Type *>(kernel), &tiles);
    quad.store(tiles.rows);
    __syncthreads();
    ForwardSums<K, K::HAS_MMA>::compute(tiles, result, first_row);
}

/* --- Gradients of the weights --- */

/* Two buffers: one is multiplied while the other is filled. */
template <class K> struct alignas(32) WeightsTiles {
    alignas(32) typename K::Staged rows[2][KERNEL_SIDE][ROW_STRIDE];
    alignas(32) typename K::Staged gradient[2][IMAGE_SIDE][VALUES_STRIDE];
};

/* A thread's quads of a row of the output's gradient, not rounded. */
template <class K> struct GradientQuads {
    static constexpr int ACROSS = IMAGE_COLUMNS / K::VECTOR, ALL = IMAGE_SIDE * ACROSS;
    static constexpr int QUADS = (ALL + WEIGHTS_THREADS - 1) / WEIGHTS_THREADS;
    Pack<typename K::Type, K::VECTOR> raw[QUADS] = {};

    __device__ static __forceinline__ int quad(int i)
    {
        return static_cast<int>(threadIdx.x) + i * WEIGHTS_THREADS;
    }

    __device__ __forceinline__ void load(const typename K::Type *row)
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            if (quad(i) < ALL)
                raw[i] = pack_load<K::VECTOR>(row + quad(i) * K::VECTOR);
    }

    __device__ __forceinline__ void store(typename K::Staged (*gradient)[VALUES_STRIDE]) const
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            if (quad(i) >= ALL)
                continue;
            Pack<typename K::Staged, K::VECTOR> staged;
#pragma unroll
            for (int j = 0; j < K::VECTOR; j++)
                stage(raw[i].value[j], staged.value + j);
            pack_store<K::VECTOR>(gradient[quad(i) / ACROSS] + quad(i) % ACROSS * K::VECTOR,
                                  staged);
        }
    }
};

/* The sums of a thread. `put` stores them in a part. */
template <class K, bool HAS_MMA> struct WeightsSums;

/* A warp has a row of the kernel, a thread a column of it. */
template <class K> struct WeightsSums<K, false> {
    float sums[KERNEL_RUN] = {};

    __device__ __forceinline__ void add(const float (*rows)[ROW_STRIDE],
                                        const float (*gradient)[VALUES_STRIDE])
    {
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        if (warp >= KERNEL_SIDE)
            return;
#pragma unroll 2
        for (int x = 0; x < IMAGE_SIDE; x += WINDOW_PIXELS) {
            Window window;
            window.load(rows[warp], x);
#pragma unroll
            for (int i = 0; i < WINDOW_PIXELS; i++) {
                const float right = gradient[x + i][lane];
#pragma unroll
                for (int tap = 0; tap < KERNEL_RUN; tap++)
                    sums[tap] = __fmaf_rn(window.value[i * IMAGE_CHANNELS + tap], right, sums[tap]);
            }
        }
    }

    __device__ __forceinline__ void put(float *part) const
    {
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        if (warp >= KERNEL_SIDE)
            return;
#pragma unroll
        for (int tap = 0; tap < KERNEL_RUN; tap++)
            part[(warp * KERNEL_RUN + tap) * IMAGE_COLUMNS + lane] = sums[tap];
    }
};

/* Four warps, 2 x 2, of 16 taps x 16 columns each. */
template <class K> struct WeightsSums<K, true> {
    static constexpr int COLUMN_TILES = 2; // of 8
    float sums[COLUMN_TILES][4] = {};

    __device__ static __forceinline__ Place warp_place()
    {
        const int warp = static_cast<int>(threadIdx.x) / 32;
        return Place{warp / 2 * 16, warp % 2 * 16};
    }

    __device__ __forceinline__ void add_words(const typename K::Staged *rows,
                                              const typename K::Staged (*gradient)[VALUES_STRIDE],
                                              int first_x)
    {
        const int pair = K::HAS_PAIRS ? 2 : 1, lane = static_cast<int>(threadIdx.x) % 32;
        const int group = lane / 4;
        const Place warp = warp_place();
        uint32_t left[4], right[COLUMN_TILES][2];
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int x = first_x + (lane % 4 + half * 4) * pair;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int place = place_of_tap(warp.row + i * 8 + group);
                left[i + half * 2] =
                    place < 0 ? 0 : word_at<K>(rows + place + x * IMAGE_CHANNELS, IMAGE_CHANNELS);
            }
#pragma unroll
            for (int j = 0; j < COLUMN_TILES; j++)
                right[j][half] =
                    word_at<K>(gradient[x] + warp.column + j * 8 + group, VALUES_STRIDE);
        }
#pragma unroll
        for (int j = 0; j < COLUMN_TILES; j++) {
            if (K::PRECISION == CUDA_BF16)
                warp_mma_bf16(sums[j], left, right[j]);
            else
                warp_mma_tf32(sums[j], left, right[j]);
        }
    }

    __device__ __forceinline__ void add(const typename K::Staged (*rows)[ROW_STRIDE],
                                        const typename K::Staged (*gradient)[VALUES_STRIDE])
    {
        if (static_cast<int>(threadIdx.x) >= BIAS_WARP * 32)
            return;
#pragma unroll
        for (int x = 0; x < IMAGE_SIDE; x += K::HAS_PAIRS ? 16 : 8)
            add_words(rows[0], gradient, x);
    }

    __device__ __forceinline__ void put(float *part) const
    {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const Place warp = warp_place();
        if (static_cast<int>(threadIdx.x) >= BIAS_WARP * 32)
            return;
#pragma unroll
        for (int i = 0; i < COLUMN_TILES * 4; i++) {
            const int tap = warp.row + i % 4 / 2 * 8 + lane / 4;
            const int column = warp.column + i / 4 * 8 + lane % 4 * 2 + i % 2;
            if (tap < TAPS)
                part[tap * IMAGE_COLUMNS + column] = sums[i / 4][i % 4];
        }
    }
};

/* The last warp sums the bias' gradient, a column for each lane. */
template <class K> struct BiasSums {
    float sums[BIAS_SUMS] = {};

    __device__ static __forceinline__ bool is_mine()
    {
        return static_cast<int>(threadIdx.x) >= BIAS_WARP * 32;
    }

    __device__ __forceinline__ void add(const typename K::Staged (*gradient)[VALUES_STRIDE])
    {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        if (is_mine())
#pragma unroll
            for (int x = 0; x < IMAGE_SIDE; x++)
                sums[x % BIAS_SUMS] = __fadd_rn(sums[x % BIAS_SUMS], to_float(gradient[x][lane]));
    }

    __device__ __forceinline__ void put(float *part) const
    {
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < BIAS_SUMS; i++)
            sum = __fadd_rn(sum, sums[i]);
        if (is_mine())
            part[TAPS * IMAGE_COLUMNS + static_cast<int>(threadIdx.x) % 32] = sum;
    }
};

/* `rows`: of all images; `part_rows`: of every part but the last. */
template <CudaPrecision PRECISION>
__global__ void __launch_bounds__(WEIGHTS_THREADS)
    image_weights(const void *in, const void *out_gradient, int32_t rows, int32_t part_rows,
                  float *parts)
{
    typedef ImageKind<PRECISION> K;
    typedef typename K::Type Type;
    __shared__ WeightsTiles<K> tiles;
    WeightsSums<K, K::HAS_MMA> sums;
    BiasSums<K> bias;
    RowQuad<K, KERNEL_SIDE, WEIGHTS_THREADS> quad;
    GradientQuads<K> gradient;
    const int begin = static_cast<int>(blockIdx.x) * part_rows;
    const int end = begin + part_rows < rows ? begin + part_rows : rows;
    clear_edges<K, WEIGHTS_THREADS>(tiles.rows[0], 2 * KERNEL_SIDE);
    // The first iteration only stores.
    int buffer = 0;
    for (int row = begin - 1; row < end; row++, buffer ^= 1) {
        const int next = row + 1;
        if (next < end) {
            quad.load(static_cast<const Type *>(in) +
                          static_cast<int64_t>(next / IMAGE_SIDE) * IMAGE_SIDE * IMAGE_ROW,
                      next % IMAGE_SIDE - 1);
            gradient.load(static_cast<const Type *>(out_gradient) +
                          static_cast<int64_t>(next) * IMAGE_SIDE * IMAGE_COLUMNS);
        }
        if (row >= begin) {
            sums.add(tiles.rows[buffer ^ 1], tiles.gradient[buffer ^ 1]);
            bias.add(tiles.gradient[buffer ^ 1]);
        }
        if (next < end) {
            quad.store(tiles.rows[buffer]);
            gradient.store(tiles.gradient[buffer]);
        }
        __syncthreads();
    }
    float *const part = parts + static_cast<int64_t>(blockIdx.x) * (TAPS + 1) * IMAGE_COLUMNS;
    sums.put(part);
    bias.put(part);
}

/* --- Starting kernels --- */

/* `rows` rows of the output in all, `block_rows` in a block. */
CudaWork image_work(const CudaProduct &product, CudaPrecision precision, int64_t block_rows)
{
    const int64_t pixels = static_cast<int64_t>(product.count) * IMAGE_SIDE * IMAGE_SIDE;
    const int64_t taps = precision == CUDA_FP32 ? TAPS : TAPS_OF_TILES;
    CudaWork work = CudaWork();
    work.is_product = true;
    work.operations = 2 * pixels * TAPS * IMAGE_COLUMNS;
    work.tile_operations = 2 * pixels * taps * IMAGE_COLUMNS;
    work.block_operations = 2 * block_rows * IMAGE_SIDE * taps * IMAGE_COLUMNS;
    return work;
}

template <CudaPrecision PRECISION>
void start_forward(cudaStream_t stream, const CudaProduct &product, const void *in,
                   const void *kernel, const Result &result)
{
    const int64_t pixels = static_cast<int64_t>(product.count) * IMAGE_SIDE * IMAGE_SIDE;
    const int64_t bytes = PRECISION == CUDA_BF16 ? 2 : 4;
    const dim3 grid(static_cast<unsigned>(product.count) * (IMAGE_SIDE / FORWARD_ROWS));
    CudaWork work = image_work(product, PRECISION, FORWARD_ROWS);
    work.read_bytes = bytes * (pixels * IMAGE_CHANNELS + TAPS * IMAGE_COLUMNS) + 4 * IMAGE_COLUMNS;
    work.written_bytes = bytes * pixels * IMAGE_COLUMNS;
    CUDA_WORK(work);
    CUDA_LAUNCH((image_forward<PRECISION>), grid, dim3(FORWARD_THREADS), stream, in, kernel,
                result);
}

template <CudaPrecision PRECISION>
void start_weights(cudaStream_t stream, const CudaProduct &product, const Division &division,
                   const void *in, const void *out_gradient, float *parts)
{
    const int64_t pixels = static_cast<int64_t>(product.count) * IMAGE_SIDE * IMAGE_SIDE;
    const int64_t bytes = PRECISION == CUDA_BF16 ? 2 : 4;
    CudaWork work = image_work(product, PRECISION, division.part_chunks);
    work.read_bytes = bytes * pixels * (IMAGE_CHANNELS + IMAGE_COLUMNS);
    work.written_bytes = 4 * division.parts * division.part_size;
    CUDA_WORK(work);
    CUDA_LAUNCH((image_weights<PRECISION>), dim3(static_cast<unsigned>(division.parts)),
                dim3(WEIGHTS_THREADS), stream, in, out_gradient, product.count * IMAGE_SIDE,
                division.part_chunks, parts);
}

} // namespace

/* --- The header's functions --- */

bool cuda_image_fits(const CudaProduct *product)
{
    return product->in_height == IMAGE_SIDE && product->in_width == IMAGE_SIDE &&
           product->in_channels == IMAGE_CHANNELS && product->side == KERNEL_SIDE &&
           product->padding == KERNEL_SIDE / 2 && product->out_channels == IMAGE_COLUMNS;
}

void cuda_image_forward(cudaStream_t stream, CudaPrecision precision, const CudaProduct *product,
                        const void *in, const void *kernel, const float *bias, void *out)
{
    Result result = Result();
    result.out = out;
    result.is_bf16 = precision == CUDA_BF16;
    result.bias = bias;
    result.has_relu = product->has_relu;
    switch (precision) {
    case CUDA_FP32:
        start_forward<CUDA_FP32>(stream, *product, in, kernel, result);
        break;
    case CUDA_BF16:
        start_forward<CUDA_BF16>(stream, *product, in, kernel, result);
        break;
    case CUDA_TF32:
        start_forward<CUDA_TF32>(stream, *product, in, kernel, result);
        break;
    }
}

void cuda_image_backward_weights(cudaStream_t stream, CudaPrecision precision,
                                 const CudaProduct *product, const void *in,
                                 const void *out_gradient, float *parts, CudaParts *unadded)
{
    const Division division = divided(PASS_WEIGHTS, product);
    switch (precision) {
    case CUDA_FP32:
        start_weights<CUDA_FP32>(stream, *product, division, in, out_gradient, parts);
        break;
    case CUDA_BF16:
        start_weights<CUDA_BF16>(stream, *product, division, in, out_gradient, parts);
        break;
    case CUDA_TF32:
        start_weights<CUDA_TF32>(stream, *product, division, in, out_gradient, parts);
        break;
    }
    *unadded = CudaParts{parts, division.parts, static_cast<int32_t>(division.part_size), 0};
}
