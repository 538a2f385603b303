/* The loss of a batch, for the kernels that compute it: softmax, gradients, score, and the end of a
 * step. */
#ifndef TRAINER_CUDA_LOSS_CUH
#define TRAINER_CUDA_LOSS_CUH

#include "trainer/compute/loss.h"
#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/last_block.cuh"

/* LANES threads work on an image, each on every LANES-th class. */
enum { LANES = 16 };

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

/* The classes of this thread. A class that does not exist has the logit -INFINITY, and then the
 * probability -1. */
template <int PER_LANE> struct Classes {
    float value[PER_LANE];
};

/* The probabilities of an image's logits, as in trainer/compute/loss.c. */
template <int PER_LANE>
static __device__ __forceinline__ Classes<PER_LANE> softmax_of(const Classes<PER_LANE> &logits,
                                                               int32_t classes, int32_t lane)
{
    Classes<PER_LANE> probabilities;
    float largest = -INFINITY;
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++)
        largest = logits.value[i] > largest ? logits.value[i] : largest;
    // A NaN is never the maximum, but its power is a NaN, and so is the sum.
    largest = largest_of(largest);
    double sum = 0.0;
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++)
        if (lane + i * LANES < classes) {
            const double power = exp((double)logits.value[i] - (double)largest);
            probabilities.value[i] = (float)power;
            sum += power;
        }
    sum = sum_of(sum);
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++)
        probabilities.value[i] =
            lane + i * LANES < classes ? (float)((double)probabilities.value[i] / sum) : -1.0f;
    return probabilities;
}

/* Counts an image whose likeliest class is right. Returns what the gradient of its logits is
 * multiplied with: 0 if its loss is clipped. All lanes of a warp call this; `counts`: the image is
 * not one that only fills the warp. */
template <int PER_LANE>
static __device__ __forceinline__ float count_image(const Classes<PER_LANE> &probabilities,
                                                    int32_t label, int32_t lane, int32_t count,
                                                    bool counts, CudaStep *step)
{
    Guess guess = {probabilities.value[0], lane};
    float right = 0.0f;
    UNROLLED
    for (int32_t i = 0; i < PER_LANE; i++) {
        const int32_t c = lane + i * LANES;
        if (probabilities.value[i] > guess.probability) {
            guess.probability = probabilities.value[i];
            guess.class_index = c;
        }
        right = c == label ? probabilities.value[i] : right;
    }
    guess = likeliest_of(guess);
    right = __shfl_sync(FULL_WARP, right, label % LANES, LANES);
    if (counts && lane == 0 && guess.class_index == label && step->bad_step < 0)
        atomicAdd((unsigned long long *)&step->correct, 1ull);
    return loss_is_clipped((double)right) ? 0.0f : __fdiv_rn(1.0f, (float)count);
}

/* The gradient of the logit of class `c`; `share`: of count_image. */
static __device__ __forceinline__ float gradient_of(float probability, int32_t c, int32_t label,
                                                    float share)
{
    return __fmul_rn(__fsub_rn(probability, c == label ? 1.0f : 0.0f), share);
}

/* --- The score --- */

/* Adds the losses of all images in a fixed order. Called by one block of THREADS threads. */
template <int THREADS>
static __device__ __forceinline__ void add_losses(const volatile float *probabilities,
                                                  const uint8_t *batch_labels, int32_t count,
                                                  int32_t classes, CudaStep *step)
{
    __shared__ double sums[THREADS];
    const int32_t thread = (int32_t)threadIdx.x;
    double sum = 0.0;
    for (int32_t image = thread; image < count; image += THREADS) {
        const int64_t right = (int64_t)image * classes + batch_labels[image];
        sum += loss_of((double)probabilities[right]);
    }
    sums[thread] = sum;
    for (int32_t distance = THREADS / 2; distance > 0; distance /= 2) {
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

/* Records a loss that is not finite, and goes to the next step, which begins `count` images later.
 */
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

/* Adds the score of a batch, and ends the step if `ends_step`. Called by all threads of all blocks
 * after they have stored their probabilities. */
template <int THREADS>
static __device__ __forceinline__ void
finish_loss(const float *probabilities, const uint8_t *batch_labels, int32_t count, int32_t classes,
            bool ends_step, const CudaRmsProp &optimizer, CudaStep *step)
{
    if (!is_last_block(&step->blocks_done, gridDim.x))
        return;
    add_losses<THREADS>(probabilities, batch_labels, count, classes, step);
    if (ends_step && threadIdx.x == 0)
        end_step(optimizer, count, step);
}

#endif
