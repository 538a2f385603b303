/* The tiles of a block's part of a matrix product in shared memory, and their multiplication.
 *
 * A block makes TILE_ROWS x COLUMNS of C = A * B, in steps of TILE_WORDS words along the sum. It
 * has two groups of 128 threads with separate tiles. Both compute the same part of C, one of the
 * even steps and one of the odd ones, and in the end their sums are added. A word is one float,
 * or two bf16 that are neighbours along the sum. The layout and the places of a tensor core's
 * operands are therefore the same in all precisions (mma.sync's m16n8k8 of tf32 and m16n8k16 of
 * bf16 both take 8 words). */
#ifndef TRAINER_CUDA_PRODUCT_TILE_CUH
#define TRAINER_CUDA_PRODUCT_TILE_CUH

#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/warp_matrix.cuh"

namespace
{

/* The three products of a layer; see product_pass.cuh. */
enum Pass { PASS_FORWARD, PASS_DATA, PASS_WEIGHTS };

enum {
    TILE_THREADS = 128, // of a group
    BLOCK_THREADS = 2 * TILE_THREADS,
    // The least number of blocks for which a multiprocessor must have registers: 128 per thread.
    LEAST_BLOCKS = 2,
    TILE_ROWS = 64,
    TILE_WORDS = 16,
    // Distances between rows, or between words, of a tile. They are padded so that the 32 lanes
    // that read an operand of mma.sync (8 rows or columns, 4 words each) access 32 different banks.
    // If words are neighbours, the distance is a multiple of 4 whose quarter is odd; if rows are
    // neighbours, it is 8 more than a multiple of 32.
    WORDS_STRIDE = TILE_WORDS + 4,
    ROWS_STRIDE = TILE_ROWS + 8,
};

/* The parameters of one instance of the kernel. With IS_VECTOR it reads whole quads only. */
template <Pass PASS_, CudaPrecision PRECISION_, bool IS_VECTOR_, int COLUMNS_> struct Kind {
    static constexpr Pass PASS = PASS_;
    static constexpr CudaPrecision PRECISION = PRECISION_;
    static constexpr bool IS_VECTOR = IS_VECTOR_;
    static constexpr int COLUMNS = COLUMNS_;                       // 32 or 64
    static constexpr int VALUES = PRECISION_ == CUDA_BF16 ? 2 : 1; // in a word
    // The values of A are contiguous along the sum or, in PASS_WEIGHTS, along the rows, in memory
    // and in a tile. B is always contiguous along its columns.
    static constexpr bool A_IS_ALONG_SUM = PASS_ != PASS_WEIGHTS;
    static constexpr int COLUMNS_STRIDE = COLUMNS_ + 8;
    static constexpr int A_WORDS =
        A_IS_ALONG_SUM ? TILE_ROWS * WORDS_STRIDE : TILE_WORDS * ROWS_STRIDE;
    static constexpr int B_WORDS = TILE_WORDS * COLUMNS_STRIDE;
    static constexpr int SUMS = TILE_ROWS * COLUMNS_ / TILE_THREADS; // of a thread
    static constexpr int FINISHED = SUMS / 2;                        // sums that a thread finishes
    static constexpr bool HAS_MMA = CUDA_HAS_MMA && PRECISION_ != CUDA_FP32;
};

/* Four words that one instruction reads or writes. */
struct alignas(16) Quad {
    uint32_t word[4];
};

/* The tiles of a group, in two buffers: one is multiplied while the other is filled. 14 to 19 KiB.
 */
template <class K> struct alignas(16) Tiles {
    uint32_t a[2][K::A_WORDS];
    uint32_t b[2][K::B_WORDS];
};

__device__ __forceinline__ Quad tile_quad(const uint32_t *words)
{
    return *reinterpret_cast<const Quad *>(words);
}

/* The thread's number in its group, and the number of the group. */
__device__ __forceinline__ int tile_thread()
{
    return static_cast<int>(threadIdx.x) % TILE_THREADS;
}

__device__ __forceinline__ int tile_group()
{
    return static_cast<int>(threadIdx.x) / TILE_THREADS;
}

/* The place of two neighbouring sums of a thread in the block's part of C. */
struct Place {
    int row, column;
};

/* --- Tensor cores ---
 *
 * Four warps, 2 x 2, of 32 x COLUMNS / 2 each: with 64 columns a lane reads two words from
 * shared memory for each mma.sync, with 32 three. */

template <class K> struct MmaLayout {
    static constexpr int ROW_TILES = 2;                  // of 16
    static constexpr int COLUMN_TILES = K::COLUMNS / 16; // of 8

    __device__ static __forceinline__ Place warp_place()
    {
        const int warp = tile_thread() / 32;
        return Place{warp / 2 * 32, warp % 2 * (K::COLUMNS / 2)};
    }

    /* The place of the first or the last two of sums[pair / 2]. */
    __device__ static __forceinline__ Place place(int pair)
    {
        const int lane = static_cast<int>(threadIdx.x) % 32, tile = pair / 2;
        const Place warp = warp_place();
        return Place{warp.row + tile / COLUMN_TILES * 16 + pair % 2 * 8 + lane / 4,
                     warp.column + tile % COLUMN_TILES * 8 + lane % 4 * 2};
    }
};

template <class K>
__device__ __forceinline__ void multiply_by_mma(const uint32_t *a, const uint32_t *b,
                                                float (&sums)[K::SUMS / 4][4])
{
    typedef MmaLayout<K> Layout;
    const int lane = static_cast<int>(threadIdx.x) % 32, group = lane / 4;
    const int row_step = K::A_IS_ALONG_SUM ? static_cast<int>(WORDS_STRIDE) : 1;
    const int word_step = K::A_IS_ALONG_SUM ? 1 : static_cast<int>(ROWS_STRIDE);
    const Place warp = Layout::warp_place();
#pragma unroll
    for (int word = 0; word < TILE_WORDS; word += 8) {
        uint32_t left[Layout::ROW_TILES][4], right[Layout::COLUMN_TILES][2];
        const int at = word + lane % 4;
#pragma unroll
        for (int i = 0; i < Layout::ROW_TILES; i++)
#pragma unroll
            for (int part = 0; part < 4; part++)
                left[i][part] = a[(warp.row + i * 16 + part % 2 * 8 + group) * row_step +
                                  (at + part / 2 * 4) * word_step];
#pragma unroll
        for (int j = 0; j < Layout::COLUMN_TILES; j++)
#pragma unroll
            for (int part = 0; part < 2; part++)
                right[j][part] =
                    b[(at + part * 4) * K::COLUMNS_STRIDE + warp.column + j * 8 + group];
#pragma unroll
        for (int i = 0; i < Layout::ROW_TILES; i++)
#pragma unroll
            for (int j = 0; j < Layout::COLUMN_TILES; j++) {
                float(&sum)[4] = sums[i * Layout::COLUMN_TILES + j];
                if (K::PRECISION == CUDA_BF16)
                    warp_mma_bf16(sum, left[i], right[j]);
                else
                    warp_mma_tf32(sum, left[i], right[j]);
            }
    }
}

/* --- Without tensor cores ---
 *
 * A thread has SUMS / 4 rows and four columns. With 32 columns it makes 8 reads of 16 bytes for 64
 * multiply-adds of floats, with 64 columns 12 reads for 128. */

template <class K> struct FloatLayout {
    static constexpr int ROWS = K::SUMS / 4;
    static constexpr int THREAD_COLUMNS = K::COLUMNS / 4;
    static constexpr int THREAD_ROWS = TILE_THREADS / THREAD_COLUMNS;

    /* The rows of a thread are spaced or neighbours, so that a warp's reads of A access all
     * banks. */
    __device__ static __forceinline__ int row(int i)
    {
        const int thread = tile_thread() / THREAD_COLUMNS;
        return K::A_IS_ALONG_SUM ? thread + i * THREAD_ROWS : thread * ROWS + i;
    }

    __device__ static __forceinline__ int column()
    {
        return tile_thread() % THREAD_COLUMNS * 4;
    }

    __device__ static __forceinline__ Place place(int pair)
    {
        return Place{row(pair / 2), column() + pair % 2 * 2};
    }
};

template <class K> __device__ __forceinline__ float add_product(uint32_t a, uint32_t b, float sum)
{
    if (K::VALUES == 1)
        return __fmaf_rn(__uint_as_float(a), __uint_as_float(b), sum);
    sum = __fmaf_rn(__uint_as_float(a << 16), __uint_as_float(b << 16), sum);
    return __fmaf_rn(__uint_as_float(a & 0xffff0000u), __uint_as_float(b & 0xffff0000u), sum);
}

/* Reads four words of a thread's rows into left[row][word]. */
template <class K>
__device__ __forceinline__ void read_rows(const uint32_t *a, int word,
                                          uint32_t left[FloatLayout<K>::ROWS][4])
{
    typedef FloatLayout<K> Layout;
#pragma unroll
    for (int i = 0; i < Layout::ROWS; i++) {
        // Along the sum: row i, four words. Along the rows: word i % 4, four rows.
        const int first = i / 4 * 4, step = i % 4;
        const Quad quad =
            tile_quad(K::A_IS_ALONG_SUM ? a + Layout::row(i) * WORDS_STRIDE + word
                                        : a + (word + step) * ROWS_STRIDE + Layout::row(first));
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (K::A_IS_ALONG_SUM)
                left[i][j] = quad.word[j];
            else
                left[first + j][step] = quad.word[j];
        }
    }
}

template <class K>
__device__ __forceinline__ void multiply_by_floats(const uint32_t *a, const uint32_t *b,
                                                   float (&sums)[K::SUMS / 4][4])
{
    typedef FloatLayout<K> Layout;
#pragma unroll
    for (int word = 0; word < TILE_WORDS; word += 4) {
        uint32_t left[Layout::ROWS][4];
        read_rows<K>(a, word, left);
#pragma unroll
        for (int step = 0; step < 4; step++) {
            const Quad right = tile_quad(b + (word + step) * K::COLUMNS_STRIDE + Layout::column());
#pragma unroll
            for (int i = 0; i < Layout::ROWS; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sums[i][j] = add_product<K>(left[i][step], right.word[j], sums[i][j]);
        }
    }
}

/* --- With or without tensor cores --- */

/* sums += a * b. Called by all threads of a group. */
template <class K>
__device__ __forceinline__ void tile_multiply(const uint32_t *a, const uint32_t *b,
                                              float (&sums)[K::SUMS / 4][4])
{
    if (K::HAS_MMA)
        multiply_by_mma<K>(a, b, sums);
    else
        multiply_by_floats<K>(a, b, sums);
}

/* The shared memory of a block. When all tiles are multiplied, it has the sums that are finished,
 * and those that groups exchange. */
template <class K> struct alignas(16) BlockTiles {
    static constexpr int STAGED = TILE_ROWS * K::COLUMNS_STRIDE; // floats
    static constexpr int EXCHANGED = TILE_ROWS * K::COLUMNS;
    Tiles<K> of_group[2];
    static_assert(sizeof(of_group) >= (STAGED + EXCHANGED) * sizeof(float), "both fit");

    __device__ __forceinline__ float *staged()
    {
        return reinterpret_cast<float *>(this);
    }
};

/* Adds the sums of the groups. A thread of the first group finishes the first half of its sums, and
 * gives the rest to the thread of the second group that has the same places, and the reverse. */
template <class K>
__device__ __forceinline__ void add_groups(const float (&sums)[K::SUMS / 4][4],
                                           float (&own)[K::FINISHED / 4][4], float *exchange)
{
    const int half = K::FINISHED * TILE_THREADS, group = tile_group();
    float *const given = exchange + (1 - group) * half + tile_thread();
    const float *const taken = exchange + group * half + tile_thread();
#pragma unroll
    for (int i = 0; i < K::FINISHED / 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float first = sums[i][j], second = sums[i + K::FINISHED / 4][j];
            own[i][j] = group == 0 ? first : second;
            given[(i * 4 + j) * TILE_THREADS] = group == 0 ? second : first;
        }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < K::FINISHED / 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            own[i][j] = __fadd_rn(own[i][j], taken[(i * 4 + j) * TILE_THREADS]);
}

/* The place of the first or the last two of own[pair / 2]. */
template <class K> __device__ __forceinline__ Place finished_place(int pair)
{
    pair += tile_group() * (K::FINISHED / 2);
    return K::HAS_MMA ? MmaLayout<K>::place(pair) : FloatLayout<K>::place(pair);
}

} // namespace

#endif
