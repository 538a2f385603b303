#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/step.cuh"
#include "trainer/cuda/kernels/work.h"

/* Memory limits the speed of these kernels. A thread reads PER_THREAD values as 16 bytes; the last
 * thread takes the remaining values one by one. */
enum {
    UPDATE_THREADS = 256,
    PER_THREAD = 4,
    ADDED_VALUES = 32, // of a block that adds parts
    ADDING_GROUPS = 8, // threads of that block per value
};

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

/* The arenas of cuda_update. */
typedef struct {
    int64_t count;
    float *gradients, *accumulators, *weights;
    uint16_t *bf16_weights; /* may be NULL */
} Arenas;

/* Updates one parameter; false if its weight is not finite. */
static __device__ __forceinline__ bool update_one(const CudaRmsProp &by, float rate,
                                                  const Arenas &arenas, int64_t i, float gradient)
{
    const Parameter old = {arenas.weights[i], arenas.accumulators[i]};
    const Parameter parameter = updated(by, rate, gradient, old);
    arenas.weights[i] = parameter.weight;
    arenas.accumulators[i] = parameter.accumulator;
    if (arenas.bf16_weights)
        arenas.bf16_weights[i] = narrow(parameter.weight);
    return is_finite(parameter.weight);
}

/* The same for PER_THREAD parameters. */
static __device__ __forceinline__ bool update_vector(const CudaRmsProp &by, float rate,
                                                     const Arenas &arenas, int64_t first)
{
    const Pack<float, PER_THREAD> gradient = pack_load<PER_THREAD>(arenas.gradients + first);
    Pack<float, PER_THREAD> accumulator = pack_load<PER_THREAD>(arenas.accumulators + first);
    Pack<float, PER_THREAD> weight = pack_load<PER_THREAD>(arenas.weights + first);
    Pack<uint16_t, PER_THREAD> half;
    bool is_fine = true;
    UNROLLED
    for (int32_t i = 0; i < PER_THREAD; i++) {
        const Parameter old = {weight.value[i], accumulator.value[i]};
        const Parameter parameter = updated(by, rate, gradient.value[i], old);
        weight.value[i] = parameter.weight;
        accumulator.value[i] = parameter.accumulator;
        half.value[i] = narrow(parameter.weight);
        is_fine = is_fine && is_finite(parameter.weight);
    }
    pack_store<PER_THREAD>(arenas.accumulators + first, accumulator);
    pack_store<PER_THREAD>(arenas.weights + first, weight);
    if (arenas.bf16_weights)
        pack_store<PER_THREAD>(arenas.bf16_weights + first, half);
    return is_fine;
}

/* --- Gradients in parts ---
 *
 * The first blocks of a grid each add ADDED_VALUES values, as add_parts of product_pass.cuh: group
 * g of the threads adds parts g, g + 8, ..., then the groups' sums are added in order. */

/* The index of the parts that block `block` adds; its number among the blocks of these parts
 * replaces `block`. -1 if the block adds no parts. */
static __device__ __forceinline__ int32_t parts_of_block(const CudaUnadded &unadded, int32_t *block)
{
    for (int32_t i = 0; i < unadded.count; i++) {
        const int32_t blocks = (unadded.all[i].size + ADDED_VALUES - 1) / ADDED_VALUES;
        if (*block < blocks)
            return i;
        *block -= blocks;
    }
    return -1;
}

/* Stores the sums in `gradients`. Returns the index in the arena of this thread's sum, which is in
 * `sum`; -1: it has none. */
static __device__ __forceinline__ int64_t add_block(CudaParts parts, int32_t block,
                                                    float *gradients, float *sum)
{
    __shared__ float sums[ADDING_GROUPS][ADDED_VALUES];
    const int32_t value = (int32_t)threadIdx.x % ADDED_VALUES;
    const int32_t group = (int32_t)threadIdx.x / ADDED_VALUES;
    const int32_t at = block * ADDED_VALUES + value;
    float own = 0.0f;
    if (at < parts.size)
        for (int32_t part = group; part < parts.count; part += ADDING_GROUPS)
            own = __fadd_rn(own, parts.parts[(int64_t)part * parts.size + at]);
    sums[group][value] = own;
    __syncthreads();
    if (group > 0 || at >= parts.size)
        return -1;
    for (int32_t i = 1; i < ADDING_GROUPS; i++)
        own = __fadd_rn(own, sums[i][value]);
    gradients[parts.at + at] = *sum = own;
    return parts.at + at;
}

static int64_t blocks_of(const CudaUnadded *unadded)
{
    int64_t blocks = 0;
    for (int32_t i = 0; i < unadded->count; i++)
        blocks += blocks_for(unadded->all[i].size, ADDED_VALUES);
    return blocks;
}

static __global__ void __launch_bounds__(UPDATE_THREADS)
    add_parts_kernel(CudaUnadded unadded, float *gradients)
{
    int32_t block = (int32_t)blockIdx.x;
    float sum;
    const int32_t parts = parts_of_block(unadded, &block);
    if (parts >= 0)
        (void)add_block(unadded.all[parts], block, gradients, &sum);
}

/* The bytes of the parts. */
static int64_t bytes_of(const CudaUnadded *unadded)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < unadded->count; i++)
        bytes += 4 * (int64_t)unadded->all[i].count * unadded->all[i].size;
    return bytes;
}

void cuda_add_parts(cudaStream_t stream, const CudaUnadded *unadded, float *gradients)
{
    const int64_t blocks = blocks_of(unadded), bytes = bytes_of(unadded);
    if (blocks == 0)
        return;
    CUDA_WORK(cuda_work(bytes, 4 * blocks * ADDED_VALUES, bytes / 4, blocks));
    CUDA_LAUNCH(add_parts_kernel, (unsigned)blocks, UPDATE_THREADS, stream, *unadded, gradients);
}

/* --- The update --- */

/* True if parameter `i` belongs to parts, whose blocks update it. */
static __device__ __forceinline__ bool is_in_parts(const CudaUnadded &unadded, int64_t i)
{
    for (int32_t k = 0; k < unadded.count; k++)
        if (i >= unadded.all[k].at && i < unadded.all[k].at + unadded.all[k].size)
            return true;
    return false;
}

/* True if one of the parameters [first, first + PER_THREAD) belongs to parts. */
static __device__ __forceinline__ bool touches_parts(const CudaUnadded &unadded, int64_t first)
{
    for (int32_t k = 0; k < unadded.count; k++)
        if (first + PER_THREAD > unadded.all[k].at &&
            first < unadded.all[k].at + unadded.all[k].size)
            return true;
    return false;
}

/* Updates the parameters of a thread that are not in parts. */
static __device__ __forceinline__ bool update_rest(const CudaRmsProp &by, float rate,
                                                   const CudaUnadded &unadded, const Arenas &arenas,
                                                   int64_t first)
{
    bool is_fine = true;
    if (first + PER_THREAD <= arenas.count && !touches_parts(unadded, first))
        return update_vector(by, rate, arenas, first);
    for (int64_t i = first; i < arenas.count && i < first + PER_THREAD; i++)
        if (!is_in_parts(unadded, i))
            is_fine = update_one(by, rate, arenas, i, arenas.gradients[i]) && is_fine;
    return is_fine;
}

static __global__ void __launch_bounds__(UPDATE_THREADS)
    update_kernel(CudaRmsProp by, CudaUnadded unadded, Arenas arenas, int32_t ended_images,
                  CudaStep *step)
{
    int32_t block = (int32_t)blockIdx.x;
    const float rate = step->rate;
    const int32_t parts = parts_of_block(unadded, &block);
    bool is_fine = true;
    if (parts >= 0) {
        float sum;
        const int64_t at = add_block(unadded.all[parts], block, arenas.gradients, &sum);
        if (at >= 0)
            is_fine = update_one(by, rate, arenas, at, sum);
    } else {
        is_fine = update_rest(by, rate, unadded, arenas,
                              ((int64_t)block * UPDATE_THREADS + threadIdx.x) * PER_THREAD);
    }
    if (!is_fine)
        note_bad_step(step);
    if (ended_images > 0 && is_last_block(&step->blocks_done, gridDim.x) && threadIdx.x == 0)
        end_step(by, ended_images, step);
}

void cuda_update(cudaStream_t stream, const CudaRmsProp *optimizer, int64_t count,
                 const CudaUnadded *unadded, float *gradients, float *accumulators, float *weights,
                 uint16_t *bf16_weights, int32_t ended_images, CudaStep *step)
{
    const Arenas arenas = {count, gradients, accumulators, weights, bf16_weights};
    const unsigned rest = blocks_for(count, UPDATE_THREADS * PER_THREAD);
    const unsigned blocks = rest + (unsigned)blocks_of(unadded);
    CUDA_WORK(cuda_work_update(count, bytes_of(unadded), bf16_weights != NULL, blocks));
    CUDA_LAUNCH(update_kernel, blocks, UPDATE_THREADS, stream, *optimizer, *unadded, arenas,
                ended_images, step);
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
