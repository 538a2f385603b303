/* Copies the factors of a product from memory into a block's tiles.
 *
 * Each thread reads its quads of the next tile into registers while the block multiplies the
 * current tile, and then writes them to shared memory. Until then a quad has the layout of memory
 * ("raw").
 *
 * An operand is read value by value if its channels are not whole quads (3 in an image, 10 in the
 * logits) or if it is not aligned to 16 bytes. The sums and their order are the same.
 */
#ifndef TRAINER_CUDA_PRODUCT_OPERANDS_CUH
#define TRAINER_CUDA_PRODUCT_OPERANDS_CUH

#include "trainer/cuda/kernels/divisor.cuh"
#include "trainer/cuda/kernels/product_tile.cuh"

namespace
{

/* The matrix of image patches under a convolution's kernel. Its rows are the
 * [images][height][width] pixels on the other side of the convolution, its columns the
 * [side][side][channels] values under the kernel, zero outside `values`. The matrix is not stored:
 * its values are looked up. */
struct Patches {
    const void *values; // [images][height][width][channels]
    bool is_vector;
    int32_t height, width, channels;
    int32_t side, padding;
    int32_t pixel_height, pixel_width;
    int32_t pixels; // of all images: rows of the matrix
    // 2: the four pixels of a pool are neighbours, and pixel_height and pixel_width count pools;
    // 0: pixels are in the order of memory.
    int32_t pool_shift;
    int32_t columns; // side * side * channels
    Divisor by_channels, by_side, by_pixel_width, by_pixel_area;
};

/* The other factor: a matrix [sum][columns], or a kernel [side][side][columns][channels] that is
 * read transposed, as [side * side, in reverse][channels] by columns. */
struct Other {
    const void *values;
    bool is_vector;
    int32_t sum, columns;
    int32_t channels, last_tap; // of a kernel: side * side - 1
    Divisor by_channels;
};

/* --- Reading memory --- */

__device__ __forceinline__ const char *address(const void *values, int64_t byte)
{
    return static_cast<const char *>(values) + byte;
}

template <class K> __device__ __forceinline__ uint32_t value_at(const void *values, int64_t at)
{
    return K::VALUES == 2 ? static_cast<const uint16_t *>(values)[at]
                          : __float_as_uint(static_cast<const float *>(values)[at]);
}

/* 16 bytes: four words along the sum, or four neighbouring floats. */
template <class K> __device__ __forceinline__ Quad quad_at(const void *values, int64_t at)
{
    return *reinterpret_cast<const Quad *>(address(values, at * (K::VALUES == 2 ? 2 : 4)));
}

struct alignas(8) Two {
    uint32_t word[2];
};

/* Reads four neighbours across the sum, the values of `part` of a word: all of `raw` or half of it.
 */
template <class K>
__device__ __forceinline__ void read_across(const void *values, int64_t at, int part, Quad *raw)
{
    if (K::VALUES == 1) {
        *raw = quad_at<K>(values, at);
        return;
    }
    const Two two = *reinterpret_cast<const Two *>(address(values, at * 2));
    raw->word[part * 2] = two.word[0];
    raw->word[part * 2 + 1] = two.word[1];
}

/* The same for one value, neighbour `j`. */
template <class K>
__device__ __forceinline__ void place_across(uint32_t value, int part, int j, Quad *raw)
{
    if (K::VALUES == 1)
        raw->word[j] = value;
    else
        raw->word[part * 2 + j / 2] |= value << 16 * (j % 2);
}

/* Combines two times four neighbours to words of two bf16. */
template <class K> __device__ __forceinline__ Quad words_across(const Quad &raw)
{
    if (K::VALUES == 1)
        return raw;
    const uint32_t *const first = raw.word, *const second = raw.word + 2;
    return Quad{{(first[0] & 0xffffu) | second[0] << 16, first[0] >> 16 | (second[0] & 0xffff0000u),
                 (first[1] & 0xffffu) | second[1] << 16,
                 first[1] >> 16 | (second[1] & 0xffff0000u)}};
}

__device__ __forceinline__ Quad zeros()
{
    return Quad{{0, 0, 0, 0}};
}

/* Rounds floats for tensor cores to tf32, once before they are stored in shared memory. */
template <class K> __device__ __forceinline__ Quad rounded(Quad quad)
{
    if (K::HAS_MMA && K::PRECISION == CUDA_TF32)
#pragma unroll
        for (int j = 0; j < 4; j++)
            quad.word[j] = float_as_tf32(__uint_as_float(quad.word[j]));
    return quad;
}

template <class K> __device__ __forceinline__ void put_quad(uint32_t *words, Quad quad)
{
    *reinterpret_cast<Quad *>(words) = rounded<K>(quad);
}

/* --- Patches --- */

/* The position of the kernel for a pixel: its upper left corner in `values`, in pixels. */
struct Corner {
    int32_t y, x;
    int64_t at; // index of the pixel in `values`; may be outside
};

template <bool MAY_POOL>
__device__ __forceinline__ Corner corner_of(const Patches &patches, int pixel)
{
    const int shift = MAY_POOL ? patches.pool_shift : 0;
    const int pool = pixel >> shift, place = pixel - (pool << shift);
    const int image = quotient(pool, patches.by_pixel_area);
    const int row = quotient(pool, patches.by_pixel_width);
    Corner corner;
    corner.y = ((row - image * patches.pixel_height) << shift / 2) + (place >> 1) - patches.padding;
    corner.x = ((pool - row * patches.pixel_width) << shift / 2) + (place & 1) - patches.padding;
    corner.at =
        (static_cast<int64_t>(image) * patches.height + corner.y) * patches.width + corner.x;
    return corner;
}

/* A column of the matrix: a place in the kernel and a channel. */
struct Tap {
    int32_t y, x, channel;
};

__device__ __forceinline__ Tap tap_of(const Patches &patches, int column)
{
    const int tap = quotient(column, patches.by_channels);
    const int y = quotient(tap, patches.by_side);
    return Tap{y, tap - y * patches.side, column - tap * patches.channels};
}

__device__ __forceinline__ bool is_inside(const Patches &patches, const Corner &corner,
                                          const Tap &tap)
{
    return static_cast<uint32_t>(corner.y + tap.y) < static_cast<uint32_t>(patches.height) &&
           static_cast<uint32_t>(corner.x + tap.x) < static_cast<uint32_t>(patches.width);
}

__device__ __forceinline__ int64_t patch_at(const Patches &patches, const Corner &corner,
                                            const Tap &tap)
{
    return (corner.at + tap.y * patches.width + tap.x) * patches.channels + tap.channel;
}

/* The row of a thread's first quad, PATCH_ACROSS threads having a row. Shared memory stores the
 * quads of eight threads at the same time. They are in two rows at a distance of four, because
 * quads of neighbouring rows meet in a bank. */
enum { PATCH_ACROSS = TILE_WORDS / 4 };
__host__ __device__ constexpr int patch_row(int thread)
{
    return thread / PATCH_ACROSS / 8 * 8 + thread / PATCH_ACROSS % 2 * 4 +
           thread / PATCH_ACROSS % 8 / 2;
}

constexpr bool patches_meet_in_a_bank()
{
    for (int first = 0; first < TILE_THREADS; first += 8) {
        unsigned banks = 0; // by fours
        for (int thread = first; thread < first + 8; thread++)
            banks |= 1u << (patch_row(thread) * WORDS_STRIDE / 4 + thread % PATCH_ACROSS) % 8;
        if (banks != 0xff)
            return true;
    }
    return false;
}
static_assert(!patches_meet_in_a_bank(), "a store would take twice as long");

/* The rows of A are pixels, and its values are contiguous along the sum. A thread has one quad of
 * words in each of QUADS rows: the corners are constant, and the tap changes from tile to tile. */
template <class K> struct PatchRows {
    static constexpr int QUADS = TILE_ROWS * TILE_WORDS / 4 / TILE_THREADS;
    static constexpr int ACROSS = PATCH_ACROSS; // quads in a row
    Corner corners[QUADS];
    Quad raw[QUADS] = {};

    __device__ static __forceinline__ int row(int i)
    {
        return patch_row(tile_thread()) + i * (TILE_THREADS / ACROSS);
    }

    __device__ static __forceinline__ int word()
    {
        return tile_thread() % ACROSS * 4;
    }

    __device__ __forceinline__ void begin(const Patches &patches, int first_row)
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            const int pixel = first_row + row(i);
            corners[i] =
                corner_of<K::PASS == PASS_FORWARD>(patches, pixel < patches.pixels ? pixel : 0);
            if (pixel >= patches.pixels)
                corners[i].y = INT32_MIN / 2; // outside for every tap
        }
    }

    /* Reads the quad from `column` on, value by value. */
    __device__ __forceinline__ Quad gathered(const Patches &patches, const Corner &corner,
                                             int column) const
    {
        Quad quad = zeros();
#pragma unroll
        for (int j = 0; j < 4 * K::VALUES; j++) {
            const Tap tap = tap_of(patches, column + j);
            if (column + j < patches.columns && is_inside(patches, corner, tap))
                quad.word[j / K::VALUES] |=
                    value_at<K>(patches.values, patch_at(patches, corner, tap))
                    << 16 * (j % K::VALUES);
        }
        return quad;
    }

    /* `sum`: the tile's first index along the sum. */
    __device__ __forceinline__ void load(const Patches &patches, int sum)
    {
        const int column = sum + word() * K::VALUES;
        const Tap tap = tap_of(patches, column);
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            raw[i] = zeros();
            if (!K::IS_VECTOR && !patches.is_vector)
                raw[i] = gathered(patches, corners[i], column);
            else if (column < patches.columns && is_inside(patches, corners[i], tap))
                raw[i] = quad_at<K>(patches.values, patch_at(patches, corners[i], tap));
        }
    }

    __device__ __forceinline__ void store(uint32_t *a) const
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            put_quad<K>(a + row(i) * WORDS_STRIDE + word(), raw[i]);
    }
};

/* The sum is over pixels. The rows of A are the matrix' columns, along which its values are
 * contiguous. A thread has the same four columns of QUADS words: the taps are constant, and the
 * pixels change. */
template <class K> struct PatchColumns {
    static constexpr int QUADS = TILE_ROWS * TILE_WORDS / 4 / TILE_THREADS;
    static constexpr int ACROSS = TILE_ROWS / 4; // quads in a word
    Tap tap;
    int first; // column
    Quad raw[QUADS] = {};

    __device__ static __forceinline__ int word(int i)
    {
        return tile_thread() / ACROSS + i * (TILE_THREADS / ACROSS);
    }

    __device__ static __forceinline__ int row()
    {
        return tile_thread() % ACROSS * 4;
    }

    __device__ __forceinline__ void begin(const Patches &patches, int first_row)
    {
        first = first_row + row();
        tap = tap_of(patches, first);
    }

    __device__ __forceinline__ void gather(const Patches &patches, const Corner &corner, int part,
                                           Quad *quad) const
    {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const Tap of_j = tap_of(patches, first + j);
            if (first + j < patches.columns && is_inside(patches, corner, of_j))
                place_across<K>(value_at<K>(patches.values, patch_at(patches, corner, of_j)), part,
                                j, quad);
        }
    }

    __device__ __forceinline__ void load(const Patches &patches, int sum)
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            raw[i] = zeros();
#pragma unroll
            for (int part = 0; part < K::VALUES; part++) {
                const int pixel = sum + word(i) * K::VALUES + part;
                if (pixel >= patches.pixels)
                    continue;
                const Corner corner = corner_of<false>(patches, pixel);
                if (!K::IS_VECTOR && !patches.is_vector)
                    gather(patches, corner, part, &raw[i]);
                else if (first < patches.columns && is_inside(patches, corner, tap))
                    read_across<K>(patches.values, patch_at(patches, corner, tap), part, &raw[i]);
            }
        }
    }

    __device__ __forceinline__ void store(uint32_t *a) const
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            put_quad<K>(a + word(i) * ROWS_STRIDE + row(), words_across<K>(raw[i]));
    }
};

/* --- The other factor --- */

/* A matrix [sum][columns]. A thread has the same four columns of QUADS words. */
template <class K> struct OtherRows {
    static constexpr int QUADS = TILE_WORDS * K::COLUMNS / 4 / TILE_THREADS;
    static constexpr int ACROSS = K::COLUMNS / 4;
    int first; // column
    Quad raw[QUADS] = {};

    __device__ static __forceinline__ int word(int i)
    {
        return tile_thread() / ACROSS + i * (TILE_THREADS / ACROSS);
    }

    __device__ static __forceinline__ int column()
    {
        return tile_thread() % ACROSS * 4;
    }

    __device__ __forceinline__ void begin(const Other &, int first_column)
    {
        first = first_column + column();
    }

    __device__ __forceinline__ void gather(const Other &other, int64_t at, int part,
                                           Quad *quad) const
    {
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (first + j < other.columns)
                place_across<K>(value_at<K>(other.values, at + j), part, j, quad);
    }

    __device__ __forceinline__ void load(const Other &other, int sum)
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            raw[i] = zeros();
#pragma unroll
            for (int part = 0; part < K::VALUES; part++) {
                const int row = sum + word(i) * K::VALUES + part;
                const int64_t at = static_cast<int64_t>(row) * other.columns + first;
                if (row >= other.sum)
                    continue;
                if (!K::IS_VECTOR && !other.is_vector)
                    gather(other, at, part, &raw[i]);
                else if (first < other.columns)
                    read_across<K>(other.values, at, part, &raw[i]);
            }
        }
    }

    __device__ __forceinline__ void store(uint32_t *b) const
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++)
            put_quad<K>(b + word(i) * K::COLUMNS_STRIDE + column(), words_across<K>(raw[i]));
    }

    /* Adds the loaded values to the sums of the four columns, as unrounded floats. */
    __device__ __forceinline__ void add_to(float sums[4]) const
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            const Quad words = words_across<K>(raw[i]);
#pragma unroll
            for (int j = 0; j < 4; j++)
                sums[j] = add_product<K>(words.word[j], K::VALUES == 2 ? 0x3f803f80u : 0x3f800000u,
                                         sums[j]);
        }
    }
};

/* A transposed kernel. Its values are contiguous along the sum in memory, and along the columns in
 * a tile. A thread reads quads of one column and writes single words; the words of a warp are in 32
 * different banks. */
template <class K> struct OtherTransposed {
    static constexpr int QUADS = TILE_WORDS * K::COLUMNS / 4 / TILE_THREADS;
    int column;
    Quad raw[QUADS] = {};

    __device__ static __forceinline__ int own_column()
    {
        return tile_thread() % K::COLUMNS;
    }

    __device__ static __forceinline__ int word(int i)
    {
        return (tile_thread() / K::COLUMNS + i * (TILE_THREADS / K::COLUMNS)) * 4;
    }

    __device__ __forceinline__ void begin(const Other &, int first_column)
    {
        column = first_column + own_column();
    }

    __device__ __forceinline__ int64_t place(const Other &other, int sum) const
    {
        const int tap = quotient(sum, other.by_channels);
        const int64_t row = static_cast<int64_t>(other.last_tap - tap) * other.columns + column;
        return row * other.channels + (sum - tap * other.channels);
    }

    __device__ __forceinline__ Quad gathered(const Other &other, int first) const
    {
        Quad quad = zeros();
#pragma unroll
        for (int j = 0; j < 4 * K::VALUES; j++)
            if (first + j < other.sum)
                quad.word[j / K::VALUES] |= value_at<K>(other.values, place(other, first + j))
                                            << 16 * (j % K::VALUES);
        return quad;
    }

    __device__ __forceinline__ void load(const Other &other, int sum)
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            const int first = sum + word(i) * K::VALUES;
            raw[i] = zeros();
            if (column >= other.columns)
                continue;
            if (!K::IS_VECTOR && !other.is_vector)
                raw[i] = gathered(other, first);
            else if (first < other.sum)
                raw[i] = quad_at<K>(other.values, place(other, first));
        }
    }

    __device__ __forceinline__ void store(uint32_t *b) const
    {
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            const Quad words = rounded<K>(raw[i]);
#pragma unroll
            for (int j = 0; j < 4; j++)
                b[(word(i) + j) * K::COLUMNS_STRIDE + own_column()] = words.word[j];
        }
    }

    __device__ __forceinline__ void add_to(float *) const
    {
    }
};

/* The classes of an instance's factors. */
template <class K, Pass PASS> struct OperandsOf;
template <class K> struct OperandsOf<K, PASS_FORWARD> {
    typedef PatchRows<K> A;
    typedef OtherRows<K> B;
};
template <class K> struct OperandsOf<K, PASS_DATA> {
    typedef PatchRows<K> A;
    typedef OtherTransposed<K> B;
};
template <class K> struct OperandsOf<K, PASS_WEIGHTS> {
    typedef PatchColumns<K> A;
    typedef OtherRows<K> B;
};

} // namespace

#endif
