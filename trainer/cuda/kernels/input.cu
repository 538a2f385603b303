#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/work.h"

/* --- The order of images: a bitonic sort (Batcher, AFIPS 1968) of (key, index) ---
 *
 * The network of comparisons does not depend on the keys, so the processor does not have to read
 * them. Runs of SORT_RUN elements are sorted in a block's shared memory, and pairs within such a
 * run are merged there, too: 21 kernels for 50,000 images. */

enum { SORT_RUN = 2048, SORT_THREADS = SORT_RUN / 2 };

static __device__ __forceinline__ bool comes_first(uint64_t key, int32_t index, uint64_t other_key,
                                                   int32_t other_index)
{
    return key != other_key ? key < other_key : index < other_index;
}

static __device__ __forceinline__ void order_pair(uint64_t *keys, int32_t *indices, int32_t low,
                                                  int32_t high, bool ascends)
{
    const uint64_t low_key = keys[low], high_key = keys[high];
    const int32_t low_index = indices[low], high_index = indices[high];
    if (comes_first(high_key, high_index, low_key, low_index) == ascends) {
        keys[low] = high_key;
        keys[high] = low_key;
        indices[low] = high_index;
        indices[high] = low_index;
    }
}

/* The index of the first element of pair `pair`. The second is `distance` elements after it;
 * `distance` is a power of two.
 */
static __device__ __forceinline__ int32_t first_of_pair(int32_t pair, int32_t distance)
{
    return 2 * pair - (pair & (distance - 1));
}

static __global__ void make_keys_kernel(uint64_t seed, uint32_t rank, uint64_t epoch, int32_t count,
                                        int32_t padded, uint64_t *keys, int32_t *indices)
{
    const int32_t i = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= padded)
        return;
    const RandomAddress at = {RANDOM_SHUFFLE, rank, epoch, 0, (uint32_t)i};
    const PhiloxBlock words = random_words_on_gpu(seed, at);
    // Padding is sorted to the end: its key is the largest, and for equal keys its index is larger.
    keys[i] = i < count ? (uint64_t)words.word[1] << 32 | words.word[0] : UINT64_MAX;
    indices[i] = i;
}

/* The steps of the network whose pairs are within a run of `run` elements, for sequences of
 * `first_length` to `last_length` elements. Each block sorts one run. */
static __global__ void __launch_bounds__(SORT_THREADS)
    sort_run_kernel(int32_t run, int32_t first_length, int32_t last_length, uint64_t *keys,
                    int32_t *indices)
{
    __shared__ uint64_t run_keys[SORT_RUN];
    __shared__ int32_t run_indices[SORT_RUN];
    const int32_t base = (int32_t)blockIdx.x * run, thread = (int32_t)threadIdx.x;
    for (int32_t i = thread; i < run; i += SORT_THREADS) {
        run_keys[i] = keys[base + i];
        run_indices[i] = indices[base + i];
    }
    for (int32_t length = first_length; length <= last_length; length *= 2)
        for (int32_t distance = (length < run ? length : run) / 2; distance > 0; distance /= 2) {
            __syncthreads();
            if (thread < run / 2) {
                const int32_t low = first_of_pair(thread, distance);
                order_pair(run_keys, run_indices, low, low + distance,
                           ((base + low) & length) == 0);
            }
        }
    __syncthreads();
    for (int32_t i = thread; i < run; i += SORT_THREADS) {
        keys[base + i] = run_keys[i];
        indices[base + i] = run_indices[i];
    }
}

/* One step of the network, for pairs whose distance is at least the length of a run. */
static __global__ void sort_step_kernel(int32_t length, int32_t distance, uint64_t *keys,
                                        int32_t *indices)
{
    const int32_t pair = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    const int32_t low = first_of_pair(pair, distance);
    order_pair(keys, indices, low, low + distance, (low & length) == 0);
}

static __global__ void take_order_kernel(int32_t count, const int32_t *indices, int32_t *order)
{
    const int32_t i = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        order[i] = indices[i];
}

void cuda_shuffle(cudaStream_t stream, uint64_t seed, uint32_t rank, uint64_t epoch, int32_t count,
                  int32_t padded, uint64_t *keys, int32_t *indices, int32_t *order)
{
    const unsigned threads = 256;
    const int32_t run = padded < SORT_RUN ? padded : SORT_RUN;
    const unsigned runs = (unsigned)(padded / run);
    CUDA_LAUNCH(make_keys_kernel, blocks_for(padded, threads), threads, stream, seed, rank, epoch,
                count, padded, keys, indices);
    CUDA_LAUNCH(sort_run_kernel, runs, SORT_THREADS, stream, run, 2, run, keys, indices);
    for (int32_t length = 2 * run; length <= padded; length *= 2) {
        for (int32_t distance = length / 2; distance >= run; distance /= 2)
            CUDA_LAUNCH(sort_step_kernel, (unsigned)(padded / 2) / threads, threads, stream, length,
                        distance, keys, indices);
        CUDA_LAUNCH(sort_run_kernel, runs, SORT_THREADS, stream, run, length, length, keys,
                    indices);
    }
    CUDA_LAUNCH(take_order_kernel, blocks_for(count, threads), threads, stream, count, indices,
                order);
}

/* --- Images of a batch: a warp computes a row, each lane a pixel --- */

enum { SIDE = 32, CHANNELS = 3, ROW = SIDE * CHANNELS, IMAGE = SIDE * ROW, INPUT_WARPS = 4 };

/* As in trainer/data/augment.c: shift = whole + second_weight. */
typedef struct {
    int32_t whole;
    float second_weight;
} Shift;

static __device__ __forceinline__ Shift shift_of(uint32_t word)
{
    const float shift_max = 0.1f * (float)SIDE;
    const float pixels = __fmul_rn(shift_max, __fsub_rn(__fmul_rn(2.0f, random_unit(word)), 1.0f));
    int32_t whole = (int32_t)pixels;
    if (pixels < (float)whole)
        whole--; // towards minus infinity
    const Shift shift = {whole, __fsub_rn(pixels, (float)whole)};
    return shift;
}

static __device__ __forceinline__ int32_t nearest_place(int32_t place)
{
    return place < 0 ? 0 : place >= SIDE ? SIDE - 1 : place;
}

/* first + weight * (second - first), with each operation rounded as on the processor. */
static __device__ __forceinline__ float mix(float first, float weight, float second)
{
    return __fadd_rn(first, __fmul_rn(weight, __fsub_rn(second, first)));
}

typedef struct {
    float channel[CHANNELS];
} Pixel;

/* Pixel `x` of row `y`, shifted and flipped. All lanes of a warp call it for one row. Each lane
 * interpolates between the rows at its pixel and takes the neighbouring columns from other
 * lanes. */
static __device__ __forceinline__ Pixel augmented_pixel(const uint8_t *image, PhiloxBlock words,
                                                        int32_t y, int32_t x)
{
    const float scale = 1.0f / 255.0f;
    const Shift rows = shift_of(words.word[0]), columns = shift_of(words.word[1]);
    const uint8_t *upper = image + nearest_place(y + rows.whole) * ROW + x * CHANNELS;
    const uint8_t *lower = image + nearest_place(y + rows.whole + 1) * ROW + x * CHANNELS;
    const int32_t from = words.word[2] >> 31 ? SIDE - 1 - x : x; // before the flip
    const int32_t left = nearest_place(from + columns.whole);
    const int32_t right = nearest_place(from + columns.whole + 1);
    Pixel pixel;
    UNROLLED
    for (int32_t c = 0; c < CHANNELS; c++) {
        const float mixed =
            __fmul_rn(scale, mix((float)upper[c], rows.second_weight, (float)lower[c]));
        pixel.channel[c] = mix(__shfl_sync(FULL_WARP, mixed, left), columns.second_weight,
                               __shfl_sync(FULL_WARP, mixed, right));
    }
    return pixel;
}

static __device__ __forceinline__ Pixel plain_pixel(const uint8_t *image, int32_t y, int32_t x)
{
    const float scale = 1.0f / 255.0f;
    const uint8_t *bytes = image + y * ROW + x * CHANNELS;
    Pixel pixel;
    UNROLLED
    for (int32_t c = 0; c < CHANNELS; c++)
        pixel.channel[c] = __fmul_rn(scale, (float)bytes[c]);
    return pixel;
}

template <typename Type>
static __global__ void __launch_bounds__(INPUT_WARPS *WARP_THREADS)
    input_kernel(CudaInput input, const CudaStep *step, Type *out, uint8_t *batch_labels)
{
    constexpr int VECTOR = VectorOf<Type>::COUNT, VECTORS = ROW / VECTOR;
    __shared__ Pack<Type, VectorOf<Type>::COUNT> staged[INPUT_WARPS][VECTORS];
    const int32_t warp = (int32_t)(threadIdx.x / WARP_THREADS);
    const int32_t x = (int32_t)(threadIdx.x % WARP_THREADS);
    const int32_t row = (int32_t)blockIdx.x * INPUT_WARPS + warp;
    const int32_t place = row / SIDE, y = row % SIDE;
    const int64_t at = step->first + place;
    const int32_t index = input.order ? input.order[at] : (int32_t)at;
    const uint8_t *image = input.images + (int64_t)index * IMAGE;
    Pixel pixel;
    if (input.is_augmented) {
        const RandomAddress words = {RANDOM_AUGMENT, input.rank, step->step, 0, (uint32_t)place};
        pixel = augmented_pixel(image, random_words_on_gpu(input.seed, words), y, x);
    } else {
        pixel = plain_pixel(image, y, x);
    }
    UNROLLED
    for (int32_t c = 0; c < CHANNELS; c++) {
        const int32_t i = x * CHANNELS + c;
        staged[warp][i / VECTOR].value[i % VECTOR] = from_float<Type>(pixel.channel[c]);
    }
    __syncwarp();
    if (x < VECTORS)
        pack_store<VECTOR>(out + (int64_t)row * ROW + x * VECTOR, staged[warp][x]);
    if (x == 0 && y == 0)
        batch_labels[place] = input.labels[index];
}

void cuda_input(cudaStream_t stream, CudaPrecision precision, const CudaInput *input,
                const CudaStep *step, int32_t count, void *out, uint8_t *batch_labels)
{
    const unsigned blocks = (unsigned)count * (SIDE / INPUT_WARPS);
    const unsigned threads = INPUT_WARPS * WARP_THREADS;
    CUDA_WORK(cuda_work_input(count, precision == CUDA_BF16 ? 2 : 4, blocks));
    if (precision == CUDA_BF16)
        CUDA_LAUNCH((input_kernel<uint16_t>), blocks, threads, stream, *input, step,
                    (uint16_t *)out, batch_labels);
    else
        CUDA_LAUNCH((input_kernel<float>), blocks, threads, stream, *input, step, (float *)out,
                    batch_labels);
}
