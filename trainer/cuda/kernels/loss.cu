#include "trainer/compute/loss.h"
#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/step.cuh"
#include "trainer/cuda/kernels/work.h"

/* LANES threads work on an image, each on every LANES-th class: with ten classes, two images fill a
 * warp. A label is a byte, so there are at most 256 classes. */
enum { LANES = 16, LOSS_THREADS = 128, BLOCK_IMAGES = LOSS_THREADS / LANES, CLASSES_MAX = 256 };

/* --- Sums and maxima over the LANES threads of an image, returned to all of them --- */

static __device__ __forceinline__ float largest_of(float value)
{
    UNROLLED
    for (int32_t distance = LANES / 2; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(FULL_WARP, value, distance);
        value = other > value ? other : value;
    }
    return value;
}

static __device__ __forceinline__ double sum_of(double value)
{
    UNROLLED
    for (int32_t distance = LANES / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(FULL_WARP, value, distance);
    return value;
}

typedef struct {
    float probability;
    int32_t class_index;
} Guess;

/* The first of equally likely classes. With NaNs, the first lane keeps its class. */
static __device__ __forceinline__ Guess likeliest_of(Guess guess)
{
    UNROLLED
    for (int32_t distance = LANES / 2; distance > 0; distance /= 2) {
        const Guess other = {__shfl_xor_sync(FULL_WARP, guess.probability, distance),
                             __shfl_xor_sync(FULL_WARP, guess.class_index, distance)};
        const bool is_better =
            other.probability > guess.probability ||
            (other.probability == guess.probability && other.class_index < guess.class_index);
        guess = is_better ? other : guess;
    }
    return guess;
}

/* --- One image --- */

/* The softmax of one image for the classes of this thread, as in trainer/compute/loss.c. A class
 * that does not exist has the probability -1. */
template <int PER_LANE>
static __device__ __forceinline__ void softmax_of(const float *logits, int32_t classes,
                                                  int32_t lane, float probabilities[PER_LANE])
{
    float logit[PER_LANE], largest = -INFINITY;
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++) {
        const int32_t c = lane + i * LANES;
        logit[i] = c < classes ? logits[c] : -INFINITY;
        largest = logit[i] > largest ? logit[i] : largest;
    }
    // A NaN is never the maximum, but its power is a NaN, and so is the sum.
    largest = largest_of(largest);
    double sum = 0.0;
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++)
        if (lane + i * LANES < classes) {
            const double power = exp((double)logit[i] - (double)largest);
            probabilities[i] = (float)power;
            sum += power;
        }
    sum = sum_of(sum);
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++)
        probabilities[i] =
            lane + i * LANES < classes ? (float)((double)probabilities[i] / sum) : -1.0f;
}

/* --- The score --- */

/* Adds the losses of all images in a fixed order. Called by one block. */
static __device__ __forceinline__ void add_losses(const volatile float *probabilities,
                                                  const uint8_t *batch_labels, int32_t count,
                                                  int32_t classes, CudaStep *step)
{
    __shared__ double sums[LOSS_THREADS];
    const int32_t thread = (int32_t)threadIdx.x;
    double sum = 0.0;
    for (int32_t image = thread; image < count; image += LOSS_THREADS) {
        const int64_t right = (int64_t)image * classes + batch_labels[image];
        sum += loss_of((double)probabilities[right]);
    }
    sums[thread] = sum;
    for (int32_t distance = LOSS_THREADS / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (thread < distance)
            sums[thread] += sums[thread + distance];
    }
    if (thread == 0 && step->bad_step < 0) {
        step->loss_sum += sums[0];
        step->images += count;
    }
}

/* --- The end of a step --- */

/* The rate of the optimizer in this step, with the arithmetic of rmsprop_rate. */
static __device__ __forceinline__ float rate_of(const CudaRmsProp &optimizer, const CudaStep *step)
{
    const double slower = __dadd_rn(1.0, __dmul_rn(optimizer.decay, (double)(int64_t)step->step));
    return (float)__ddiv_rn(optimizer.learning_rate, slower);
}

/* Records a loss that is not finite, and goes to the next step. */
static __device__ __forceinline__ void end_step(const CudaRmsProp &optimizer, int32_t count,
                                                CudaStep *step)
{
    // x - x is a NaN if x is not finite.
    const double loss_sum = step->loss_sum;
    if (loss_sum - loss_sum != 0.0 && step->bad_step < 0)
        step->bad_step = (int64_t)step->step;
    step->rate = rate_of(optimizer, step);
    step->step++;
    step->first += count;
}

/* --- All in one kernel --- */

template <typename Type, int PER_LANE>
static __global__ void __launch_bounds__(LOSS_THREADS)
    loss_kernel(const float *logits, const uint8_t *batch_labels, int32_t count, int32_t classes,
                float *probabilities, Type *gradient, bool ends_step, CudaRmsProp optimizer,
                CudaStep *step)
{
    const int32_t lane = (int32_t)(threadIdx.x % LANES);
    const int32_t own = (int32_t)(blockIdx.x * BLOCK_IMAGES + threadIdx.x / LANES);
    const bool is_image = own < count;
    const int32_t image =
        is_image ? own : count - 1; // all lanes of a warp must take part in the shuffles
    const int64_t first = (int64_t)image * classes;
    const int32_t label = batch_labels[image];
    float probability[PER_LANE], right = 0.0f;
    softmax_of<PER_LANE>(logits + first, classes, lane, probability);

    Guess guess = {probability[0], lane};
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++) {
        const int32_t c = lane + i * LANES;
        if (probability[i] > guess.probability) {
            guess.probability = probability[i];
            guess.class_index = c;
        }
        right = c == label ? probability[i] : right;
    }
    guess = likeliest_of(guess);
    right = __shfl_sync(FULL_WARP, right, label % LANES, LANES);
    if (is_image && lane == 0 && guess.class_index == label && step->bad_step < 0)
        atomicAdd((unsigned long long *)&step->correct, 1ull);

    const float share = loss_is_clipped((double)right) ? 0.0f : __fdiv_rn(1.0f, (float)count);
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++) {
        const int32_t c = lane + i * LANES;
        if (!is_image || c >= classes)
            continue;
        probabilities[first + c] = probability[i];
        if (gradient) {
            const float above = __fsub_rn(probability[i], c == label ? 1.0f : 0.0f);
            gradient[first + c] = from_float<Type>(__fmul_rn(above, share));
        }
    }
    if (!is_last_block(&step->blocks_done, gridDim.x))
        return;
    add_losses(probabilities, batch_labels, count, classes, step);
    if (ends_step && threadIdx.x == 0)
        end_step(optimizer, count, step);
}

template <typename Type>
static void loss(cudaStream_t stream, const float *logits, const uint8_t *batch_labels,
                 int32_t count, int32_t classes, float *probabilities, Type *gradient,
                 const CudaRmsProp *optimizer, CudaStep *step)
{
    void (*kernel)(const float *, const uint8_t *, int32_t, int32_t, float *, Type *, bool,
                   CudaRmsProp, CudaStep *) =
        classes <= LANES ? loss_kernel<Type, 1> : loss_kernel<Type, CLASSES_MAX / LANES>;
    const unsigned blocks = blocks_for(count, BLOCK_IMAGES);
    CUDA_WORK(cuda_work_loss(count, classes, gradient ? (int64_t)sizeof(Type) : 0, blocks));
    CUDA_LAUNCH(kernel, blocks, LOSS_THREADS, stream, logits, batch_labels, count, classes,
                probabilities, gradient, optimizer != NULL, optimizer ? *optimizer : CudaRmsProp(),
                step);
}

void cuda_loss(cudaStream_t stream, CudaPrecision precision, const float *logits,
               const uint8_t *batch_labels, int32_t count, int32_t classes, float *probabilities,
               void *gradient, const CudaRmsProp *optimizer, CudaStep *step)
{
    if (precision == CUDA_BF16)
        loss(stream, logits, batch_labels, count, classes, probabilities, (uint16_t *)gradient,
             optimizer, step);
    else
        loss(stream, logits, batch_labels, count, classes, probabilities, (float *)gradient,
             optimizer, step);
}
