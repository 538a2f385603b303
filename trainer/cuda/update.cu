#include "trainer/cuda/device.cuh"
#include "trainer/cuda/kernels.h"
#include "trainer/cuda/work.h"

/* Memory limits the speed of both kernels. A thread reads PER_THREAD values as 16 bytes; the last
 * thread takes the remaining values one by one. */
enum { UPDATE_THREADS = 256, PER_THREAD = 4 };

static __device__ __forceinline__ int64_t first_of_thread()
{
    return ((int64_t)blockIdx.x * UPDATE_THREADS + threadIdx.x) * PER_THREAD;
}

typedef struct {
    float weight, accumulator;
} Parameter;

/* Like rmsprop_loop of trainer/compute/optimizer.c, with each operation rounded. */
static __device__ __forceinline__ Parameter updated(const CudaRmsProp &by, float rate,
                                                    float raw_gradient, Parameter old)
{
    const float gradient = __fmul_rn(raw_gradient, by.gradient_scale);
    const float mean_square = __fadd_rn(__fmul_rn(by.rho, old.accumulator),
                                        __fmul_rn(by.rest, __fmul_rn(gradient, gradient)));
    const float root = __fadd_rn(__fsqrt_rn(mean_square), by.epsilon);
    const float change = __fdiv_rn(__fmul_rn(rate, gradient), root);
    const Parameter result = {__fsub_rn(old.weight, change), mean_square};
    return result;
}

static __device__ __forceinline__ bool is_finite(float value)
{
    return (__float_as_uint(value) & 0x7f800000) != 0x7f800000;
}

/* Records only the first bad step; any thread may do so. */
static __device__ __forceinline__ void note_bad_step(CudaStep *step)
{
    atomicCAS((unsigned long long *)&step->bad_step, (unsigned long long)-1,
              (unsigned long long)step->step);
}

static __global__ void __launch_bounds__(UPDATE_THREADS)
    update_kernel(CudaRmsProp by, int64_t count, const float *__restrict__ gradients,
                  float *__restrict__ accumulators, float *__restrict__ weights,
                  uint16_t *__restrict__ bf16_weights, CudaStep *step)
{
    const int64_t first = first_of_thread();
    const float rate = step->rate;
    bool is_fine = true;
    if (first + PER_THREAD <= count) {
        const Pack<float, PER_THREAD> gradient = pack_load<PER_THREAD>(gradients + first);
        Pack<float, PER_THREAD> accumulator = pack_load<PER_THREAD>(accumulators + first);
        Pack<float, PER_THREAD> weight = pack_load<PER_THREAD>(weights + first);
        Pack<uint16_t, PER_THREAD> half;
        UNROLLED
        for (int32_t i = 0; i < PER_THREAD; i++) {
            const Parameter old = {weight.value[i], accumulator.value[i]};
            const Parameter parameter = updated(by, rate, gradient.value[i], old);
            weight.value[i] = parameter.weight;
            accumulator.value[i] = parameter.accumulator;
            half.value[i] = narrow(parameter.weight);
            is_fine = is_fine && is_finite(parameter.weight);
        }
        pack_store<PER_THREAD>(accumulators + first, accumulator);
        pack_store<PER_THREAD>(weights + first, weight);
        if (bf16_weights)
            pack_store<PER_THREAD>(bf16_weights + first, half);
    } else {
        for (int64_t i = first; i < count; i++) {
            const Parameter old = {weights[i], accumulators[i]};
            const Parameter parameter = updated(by, rate, gradients[i], old);
            weights[i] = parameter.weight;
            accumulators[i] = parameter.accumulator;
            if (bf16_weights)
                bf16_weights[i] = narrow(parameter.weight);
            is_fine = is_fine && is_finite(parameter.weight);
        }
    }
    if (!is_fine)
        note_bad_step(step);
}

void cuda_update(cudaStream_t stream, const CudaRmsProp *optimizer, int64_t count,
                 const float *gradients, float *accumulators, float *weights,
                 uint16_t *bf16_weights, CudaStep *step)
{
    const unsigned blocks = blocks_for(count, UPDATE_THREADS * PER_THREAD);
    CUDA_WORK(cuda_work_update(count, bf16_weights != NULL, blocks));
    CUDA_LAUNCH(update_kernel, blocks, UPDATE_THREADS, stream, *optimizer, count, gradients,
                accumulators, weights, bf16_weights, step);
}

static __global__ void __launch_bounds__(UPDATE_THREADS)
    narrow_kernel(const float *__restrict__ weights, int64_t count,
                  uint16_t *__restrict__ bf16_weights)
{
    const int64_t first = first_of_thread();
    if (first + PER_THREAD <= count) {
        const Pack<float, PER_THREAD> weight = pack_load<PER_THREAD>(weights + first);
        Pack<uint16_t, PER_THREAD> half;
        UNROLLED
        for (int32_t i = 0; i < PER_THREAD; i++)
            half.value[i] = narrow(weight.value[i]);
        pack_store<PER_THREAD>(bf16_weights + first, half);
    } else {
        for (int64_t i = first; i < count; i++)
            bf16_weights[i] = narrow(weights[i]);
    }
}

void cuda_narrow(cudaStream_t stream, const float *weights, int64_t count, uint16_t *bf16_weights)
{
    CUDA_LAUNCH(narrow_kernel, blocks_for(count, UPDATE_THREADS * PER_THREAD), UPDATE_THREADS,
                stream, weights, count, bf16_weights);
}
