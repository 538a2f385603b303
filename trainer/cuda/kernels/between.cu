#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/sieve.cuh"
#include "trainer/cuda/kernels/work.h"

/* A block works on a row of pools, or on a part of it. Each thread takes VALUES contiguous
 * channels, 16 bytes if the number of channels allows, and neighbouring threads take neighbouring
 * channels. */

enum { SIEVE_THREADS = 256 };

/* --- Forward --- */

/* Values of VALUES neighbouring pools. Pools of usual sizes are loaded as a whole, so that threads
 * can compute until the values arrive. */
template <typename Type, int VALUES, int SIDE> struct Pool {
    static constexpr int32_t HELD = SIDE > 0 ? SIDE *SIDE : 1;
    Pack<Type, VALUES> held[HELD];
};

template <int VALUES, typename Type>
static __device__ __forceinline__ Pack<Type, VALUES>
pool_value(const CudaSieve &sieve, int32_t side, const Type *first, int32_t place)
{
    const int64_t pixel = place / side * sieve.in_width + place % side;
    return pack_load<VALUES>(first + pixel * sieve.channels);
}

/* SIDE 0: sieve.side is used. */
template <typename Type, int VALUES, int SIDE>
static __global__ void __launch_bounds__(SIEVE_THREADS)
    sieve_forward_kernel(CudaSieve sieve, const CudaStep *step, bool is_training, float scale,
                         const Type *__restrict__ in, Type *__restrict__ out,
                         uint8_t *__restrict__ places)
{
    const int32_t side = SIDE > 0 ? SIDE : sieve.side;
    const int32_t out_height = sieve.in_height / side, out_width = sieve.in_width / side;
    const int32_t at = (int32_t)(blockIdx.y * blockDim.x + threadIdx.x) * VALUES; // in the row
    if (at >= out_width * sieve.channels)
        return;
    const int32_t row = (int32_t)blockIdx.x, image = row / out_height, y = row % out_height;
    const int32_t x = at / sieve.channels, channel = at % sieve.channels;
    const int64_t in_row = (int64_t)image * sieve.in_height + y * side;
    const Type *from = in + (in_row * sieve.in_width + x * side) * sieve.channels + channel;
    const int64_t to = (int64_t)row * out_width * sieve.channels + at;

    Pool<Type, VALUES, SIDE> pool;
    UNROLLED
    for (int32_t i = 0; i < pool.HELD; i++)
        pool.held[i] = pool_value<VALUES>(sieve, side, from, i);
    const bool drops = is_training && sieve.dropped_of_256 > 0;
    const uint32_t kept = drops ? kept_bits<VALUES>(sieve, step->step, to) : 0xffffffff;
    Largest<Type, VALUES> largest = {};
    UNROLLED
    for (int32_t i = 0; i < pool.HELD; i++)
        compare(&largest, pool.held[i], i);
    for (int32_t i = pool.HELD; i < side * side; i++)
        compare(&largest, pool_value<VALUES>(sieve, side, from, i), i);

    const Sieved<Type, VALUES> result = sieved(sieve, largest, drops, kept, scale);
    pack_store<VALUES>(out + to, result.value);
    if (is_training)
        pack_store<VALUES>(places + to, result.place);
}

/* --- Backward --- */

/* The number of pools that cover the input, including incomplete ones. */
static __host__ __device__ __forceinline__ int32_t pools_over(int32_t length, int32_t side)
{
    return (length + side - 1) / side;
}

/* Each thread writes one pool of the input's gradient. Pixels at the right and at the bottom that
 * no pool covers get zeros. */
template <typename Type, int VALUES, int SIDE>
static __global__ void __launch_bounds__(SIEVE_THREADS)
    sieve_backward_kernel(CudaSieve sieve, float scale, const Type *__restrict__ out_gradient,
                          const uint8_t *__restrict__ places, Type *__restrict__ in_gradient)
{
    const int32_t side = SIDE > 0 ? SIDE : sieve.side;
    const int32_t out_height = sieve.in_height / side, out_width = sieve.in_width / side;
    const int32_t height = pools_over(sieve.in_height, side);
    const int32_t width = pools_over(sieve.in_width, side);
    const int32_t at = (int32_t)(blockIdx.y * blockDim.x + threadIdx.x) * VALUES; // in the row
    if (at >= width * sieve.channels)
        return;
    const int32_t row = (int32_t)blockIdx.x, image = row / height, y = row % height;
    const int32_t x = at / sieve.channels, channel = at % sieve.channels;
    const int64_t in_row = (int64_t)image * sieve.in_height + y * side;
    Type *to = in_gradient + (in_row * sieve.in_width + x * side) * sieve.channels + channel;

    const bool is_reached = y < out_height && x < out_width;
    Pack<Type, VALUES> gradient = {};
    Pack<uint8_t, VALUES> place = {};
    if (is_reached) {
        const int64_t from = ((int64_t)image * out_height + y) * out_width * sieve.channels + at;
        gradient = pack_load<VALUES>(out_gradient + from);
        place = pack_load<VALUES>(places + from);
    }
    UNROLLED
    for (int32_t k = 0; k < VALUES; k++)
        gradient.value[k] = from_float<Type>(__fmul_rn(to_float(gradient.value[k]), scale));
    UNROLLED
    for (int32_t other = 0; other < side * side; other++) {
        const int32_t below = other / side, right = other % side;
        if (y * side + below >= sieve.in_height || x * side + right >= sieve.in_width)
            continue;
        Pack<Type, VALUES> part;
        UNROLLED
        for (int32_t k = 0; k < VALUES; k++)
            part.value[k] = place.value[k] == other ? gradient.value[k] : (Type)0;
        pack_store<VALUES>(to + ((int64_t)below * sieve.in_width + right) * sieve.channels, part);
    }
}

/* --- Launches --- */

typedef struct {
    dim3 grid;
    unsigned threads;
} Launch;

/* The launch for `rows` rows of `row_values` values; each thread takes `values` of them. */
static Launch launch_for(int64_t rows, int64_t row_values, int32_t values)
{
    const unsigned row_threads = blocks_for(row_values, (unsigned)values);
    const unsigned whole_warps = blocks_for(row_threads, WARP_THREADS) * WARP_THREADS;
    const unsigned most = SIEVE_THREADS, threads = whole_warps < most ? whole_warps : most;
    const Launch launch = {dim3((unsigned)rows, blocks_for(row_threads, threads)), threads};
    return launch;
}

/* The work of either kernel. */
template <typename Type>
static CudaWork work_of(const CudaSieve *sieve, bool is_backward, const Launch &by)
{
    const int64_t maps = (int64_t)sieve->count * sieve->channels;
    const int64_t pools = (int64_t)(sieve->in_height / sieve->side) *
                          (sieve->in_width / sieve->side); // of a channel of an image
    return cuda_work_sieve(maps * sieve->in_height * sieve->in_width, maps * pools, sieve->side,
                           sizeof(Type), is_backward, (int64_t)by.grid.x * by.grid.y);
}

template <typename Type, int VALUES>
static void forward(cudaStream_t stream, const CudaSieve *sieve, const CudaStep *step,
                    bool is_training, const Type *in, Type *out, uint8_t *places)
{
    const int32_t height = sieve->in_height / sieve->side, width = sieve->in_width / sieve->side;
    const Launch by =
        launch_for((int64_t)sieve->count * height, (int64_t)width * sieve->channels, VALUES);
    void (*kernel)(CudaSieve, const CudaStep *, bool, float, const Type *, Type *, uint8_t *) =
        sieve->side == 1   ? sieve_forward_kernel<Type, VALUES, 1>
        : sieve->side == 2 ? sieve_forward_kernel<Type, VALUES, 2>
                           : sieve_forward_kernel<Type, VALUES, 0>;
    CUDA_WORK(work_of<Type>(sieve, false, by));
    CUDA_LAUNCH(kernel, by.grid, by.threads, stream, *sieve, step, is_training, scale_of(sieve), in,
                out, places);
}

template <typename Type, int VALUES>
static void backward(cudaStream_t stream, const CudaSieve *sieve, const Type *out_gradient,
                     const uint8_t *places, Type *in_gradient)
{
    const int32_t height = pools_over(sieve->in_height, sieve->side);
    const int32_t width = pools_over(sieve->in_width, sieve->side);
    const Launch by =
        launch_for((int64_t)sieve->count * height, (int64_t)width * sieve->channels, VALUES);
    void (*kernel)(CudaSieve, float, const Type *, const uint8_t *, Type *) =
        sieve->side == 1   ? sieve_backward_kernel<Type, VALUES, 1>
        : sieve->side == 2 ? sieve_backward_kernel<Type, VALUES, 2>
                           : sieve_backward_kernel<Type, VALUES, 0>;
    CUDA_WORK(work_of<Type>(sieve, true, by));
    CUDA_LAUNCH(kernel, by.grid, by.threads, stream, *sieve, scale_of(sieve), out_gradient, places,
                in_gradient);
}

template <typename Type>
static void forward_of(cudaStream_t stream, const CudaSieve *sieve, const CudaStep *step,
                       bool is_training, const void *in, void *out, uint8_t *places)
{
    if (sieve->channels % VectorOf<Type>::COUNT == 0)
        forward<Type, VectorOf<Type>::COUNT>(stream, sieve, step, is_training, (const Type *)in,
                                             (Type *)out, places);
    else
        forward<Type, 1>(stream, sieve, step, is_training, (const Type *)in, (Type *)out, places);
}

template <typename Type>
static void backward_of(cudaStream_t stream, const CudaSieve *sieve, const void *out_gradient,
                        const uint8_t *places, void *in_gradient)
{
    if (sieve->channels % VectorOf<Type>::COUNT == 0)
        backward<Type, VectorOf<Type>::COUNT>(stream, sieve, (const Type *)out_gradient, places,
                                              (Type *)in_gradient);
    else
        backward<Type, 1>(stream, sieve, (const Type *)out_gradient, places, (Type *)in_gradient);
}

void cuda_sieve_forward(cudaStream_t stream, CudaPrecision precision, const CudaSieve *sieve,
                        const CudaStep *step, bool is_training, const void *in, void *out,
                        uint8_t *places)
{
    if (precision == CUDA_BF16)
        forward_of<uint16_t>(stream, sieve, step, is_training, in, out, places);
    else
        forward_of<float>(stream, sieve, step, is_training, in, out, places);
}

void cuda_sieve_backward(cudaStream_t stream, CudaPrecision precision, const CudaSieve *sieve,
                         const void *out_gradient, const uint8_t *places, void *in_gradient)
{
    if (precision == CUDA_BF16)
        backward_of<uint16_t>(stream, sieve, out_gradient, places, in_gradient);
    else
        backward_of<float>(stream, sieve, out_gradient, places, in_gradient);
}
