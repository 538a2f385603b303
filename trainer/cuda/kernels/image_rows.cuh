/* Rows of images of three channels in shared memory, for image_product.cu. A row has zeros before
 * and after it. */
#ifndef TRAINER_CUDA_IMAGE_ROWS_CUH
#define TRAINER_CUDA_IMAGE_ROWS_CUH

#include <type_traits>

#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/product_division.cuh"
#include "trainer/cuda/kernels/product_finish.cuh"

namespace
{

enum {
    IMAGE_SIDE = 32,
    IMAGE_CHANNELS = 3,
    IMAGE_COLUMNS = 32, // channels of the output
    KERNEL_SIDE = 3,
    KERNEL_RUN = KERNEL_SIDE * IMAGE_CHANNELS, // values under a row of the kernel
    TAPS = KERNEL_SIDE * KERNEL_RUN,
    TAPS_OF_TILES = 32, // with the zeros that fill the tiles of tensor cores
    IMAGE_ROW = IMAGE_SIDE * IMAGE_CHANNELS,
    // A row in shared memory has a pixel of zeros on each side, and whole quads. The values under
    // the kernel for pixel x begin at IMAGE_CHANNELS * x: at a quad for every fourth pixel.
    ROW_STRIDE = IMAGE_ROW + 2 * IMAGE_CHANNELS + 2,
    EDGES = ROW_STRIDE - IMAGE_ROW,    // zeros of a row
    VALUES_STRIDE = IMAGE_COLUMNS + 8, // for the banks, as in product_tile.cuh
    WINDOW_PIXELS = 4,                 // neighbouring pixels of a thread without tensor cores
    WINDOW = 20,                       // the values under the kernel for them, in whole quads
};
static_assert((WINDOW_PIXELS - 1) * IMAGE_CHANNELS + KERNEL_RUN <= WINDOW, "a whole window");
static_assert((IMAGE_SIDE - WINDOW_PIXELS) * IMAGE_CHANNELS + WINDOW <= ROW_STRIDE, "in its row");
static_assert(static_cast<int>(CHUNK) == static_cast<int>(IMAGE_SIDE), "parts are whole rows");

template <CudaPrecision PRECISION_>
struct ImageKind : Kind<PASS_FORWARD, PRECISION_, true, IMAGE_COLUMNS> {
    typedef Kind<PASS_FORWARD, PRECISION_, true, IMAGE_COLUMNS> Base;
    typedef typename ActivationOf<PRECISION_>::Type Type; // in memory
    static constexpr int VECTOR = VectorOf<Type>::COUNT;
    static constexpr bool HAS_PAIRS = Base::HAS_MMA && PRECISION_ == CUDA_BF16;
    // In shared memory; floats are rounded to tf32 when tensor cores take them.
    typedef typename std::conditional<HAS_PAIRS, uint16_t, float>::type Staged;
};

__device__ __forceinline__ void stage(float value, float *to)
{
    *to = value;
}

__device__ __forceinline__ void stage(uint16_t value, float *to)
{
    *to = widen(value);
}

__device__ __forceinline__ void stage(uint16_t value, uint16_t *to)
{
    *to = value;
}

template <class K> __device__ __forceinline__ uint32_t word_of(float value)
{
    return K::HAS_MMA && K::PRECISION == CUDA_TF32 ? float_as_tf32(value) : __float_as_uint(value);
}

template <class K> __device__ __forceinline__ uint32_t word_of(uint16_t value)
{
    return value;
}

/* The word of a value and the one after it along the sum, at a distance; without pairs, of the
 * first value. */
template <class K>
__device__ __forceinline__ uint32_t word_at(const typename K::Staged *first, int distance)
{
    return K::HAS_PAIRS ? word_of<K>(*first) | word_of<K>(first[distance]) << 16
                        : word_of<K>(*first);
}

/* --- Rows of images --- */

/* Sets the zeros before and after `rows` rows. */
template <class K, int THREADS>
__device__ __forceinline__ void clear_edges(typename K::Staged (*rows)[ROW_STRIDE], int count)
{
    for (int i = static_cast<int>(threadIdx.x); i < count * EDGES; i += THREADS) {
        const int edge = i % EDGES;
        rows[i / EDGES][edge < IMAGE_CHANNELS ? edge : IMAGE_ROW + edge] = 0;
    }
}

/* A thread's quad of ROWS rows of an image, of which some may be outside. */
template <class K, int ROWS, int THREADS> struct RowQuad {
    static constexpr int ACROSS = IMAGE_ROW / K::VECTOR;
    static_assert(ROWS * ACROSS <= THREADS, "a quad for each thread");
    Pack<typename K::Type, K::VECTOR> raw = {};

    __device__ __forceinline__ void load(const typename K::Type *image, int first_row)
    {
        const int thread = static_cast<int>(threadIdx.x), row = first_row + thread / ACROSS;
        raw = {};
        if (thread < ROWS * ACROSS && row >= 0 && row < IMAGE_SIDE)
            raw = pack_load<K::VECTOR>(image + row * IMAGE_ROW + thread % ACROSS * K::VECTOR);
    }

    __device__ __forceinline__ void store(typename K::Staged (*rows)[ROW_STRIDE]) const
    {
        const int thread = static_cast<int>(threadIdx.x);
        if (thread >= ROWS * ACROSS)
            return;
        typename K::Staged *const to =
            rows[thread / ACROSS] + IMAGE_CHANNELS + thread % ACROSS * K::VECTOR;
#pragma unroll
        for (int j = 0; j < K::VECTOR; j++)
            stage(raw.value[j], to + j);
    }
};

/* The values under a row of the kernel for WINDOW_PIXELS pixels. */
struct Window {
    float value[WINDOW];

    __device__ __forceinline__ void load(const float *row, int x)
    {
#pragma unroll
        for (int i = 0; i < WINDOW; i += 4) {
            const Pack<float, 4> quad = pack_load<4>(row + x * IMAGE_CHANNELS + i);
#pragma unroll
            for (int j = 0; j < 4; j++)
                value[i + j] = quad.value[j];
        }
    }
};

/* The distance of a tap's value from that of the first tap; -1: the tap is a zero. */
__device__ __forceinline__ int place_of_tap(int tap)
{
    return tap < TAPS ? tap / KERNEL_RUN * ROW_STRIDE + tap % KERNEL_RUN : -1;
}

/* The word of the taps at `first` and `second`; without pairs, only of the first. */
template <class K>
__device__ __forceinline__ uint32_t word_of_taps(const typename K::Staged *corner, int first,
                                                 int second)
{
    typename K::Staged values[2] = {0, 0};
    if (first >= 0)
        values[0] = corner[first];
    if (K::HAS_PAIRS && second >= 0)
        values[1] = corner[second];
    return word_at<K>(values, 1);
}

} // namespace

#endif
