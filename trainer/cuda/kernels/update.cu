#include "trainer/cuda/kernels/device.cuh"
#include "trainer/cuda/kernels/kernels.h"
#include "trainer/cuda/kernels/work.h"

/* Memory limits the speed of these kernels. A thread reads PER_THREAD values as 16 bytes; values at
 * the end, or at places that are not aligned, are read one by one. */
enum {
    UPDATE_THREADS = 256,
    PER_THREAD = 4,
    ADDING_GROUPS = 8, // threads of a block for the same values of parts
    ADDING_THREADS = UPDATE_THREADS / ADDING_GROUPS, // of a group
    ADDED_VALUES = ADDING_THREADS * PER_THREAD,      // of a block that adds parts
    AHEAD = 4,                                       // parts that a thread reads at the same time
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

/* The arenas of cuda_update, and the parameters that it updates. */
typedef struct {
    int64_t first, end;
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

typedef Pack<float, PER_THREAD> Values;

/* The same for PER_THREAD parameters. */
static __device__ __forceinline__ bool update_vector(const CudaRmsProp &by, float rate,
                                                     const Arenas &arenas, int64_t first,
                                                     const Values &gradient)
{
    Values accumulator = pack_load<PER_THREAD>(arenas.accumulators + first);
    Values weight = pack_load<PER_THREAD>(arenas.weights + first);
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
 * The first blocks of a grid each add ADDED_VALUES values: group g of the threads adds parts g,
 * g + 8, ..., then the groups' sums are added in order. */

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

/* The values of a thread that has sums of parts: the first one in the arena, and their number. */
typedef struct {
    int64_t first;
    int32_t count;
} Added;

/* True if all values of the parts can be read and stored in vectors. */
static __device__ __forceinline__ bool has_vectors(const CudaParts &parts)
{
    return parts.size % PER_THREAD == 0 && parts.at % PER_THREAD == 0;
}

/* The first `count` values from `from` on, and zeros. */
static __device__ __forceinline__ Values values_at(const float *from, int32_t count, bool is_vector)
{
    Values values = {};
    if (is_vector)
        return count > 0 ? pack_load<PER_THREAD>(from) : values;
    UNROLLED
    for (int32_t i = 0; i < PER_THREAD; i++)
        if (i < count)
            values.value[i] = from[i];
    return values;
}

static __device__ __forceinline__ void add_values(Values *to, const Values &values)
{
    UNROLLED
    for (int32_t i = 0; i < PER_THREAD; i++)
        to->value[i] = __fadd_rn(to->value[i], values.value[i]);
}

/* Adds the values of block `block` of the parts, and stores the sums in `gradients`. Returns which
 * of them this thread has in `sum`; count 0: none. */
static __device__ __forceinline__ Added add_block(const CudaParts &parts, int32_t block,
                                                  float *gradients, Values *sum)
{
    __shared__ Values sums[ADDING_GROUPS][ADDING_THREADS];
    const int32_t thread = (int32_t)threadIdx.x % ADDING_THREADS;
    const int32_t group = (int32_t)threadIdx.x / ADDING_THREADS;
    const int32_t at = block * ADDED_VALUES + thread * PER_THREAD, rest = parts.size - at;
    const int32_t count = rest < PER_THREAD ? rest : (int32_t)PER_THREAD;
    const bool is_vector = has_vectors(parts);
    Values own = {};
    for (int32_t part = group; part < parts.count; part += ADDING_GROUPS * AHEAD) {
        Values read[AHEAD];
        UNROLLED
        for (int32_t i = 0; i < AHEAD; i++) {
            const int32_t next = part + i * ADDING_GROUPS;
            read[i] = values_at(parts.parts + (int64_t)next * parts.size + at,
                                next < parts.count ? count : 0, is_vector);
        }
        UNROLLED
        for (int32_t i = 0; i < AHEAD; i++)
            add_values(&own, read[i]);
    }
    sums[group][thread] = own;
    __syncthreads();
    const Added added = {parts.at + at, group > 0 || count < 0 ? 0 : count};
    if (added.count == 0)
        return added;
    for (int32_t i = 1; i < ADDING_GROUPS; i++)
        add_values(&own, sums[i][thread]);
    *sum = own;
    if (is_vector)
        pack_store<PER_THREAD>(gradients + added.first, own);
    else
        for (int32_t i = 0; i < added.count; i++)
            gradients[added.first + i] = own.value[i];
    return added;
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
    Values sum;
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

/* Updates the parameters of a thread that adds parts. */
static __device__ __forceinline__ bool update_added(const CudaRmsProp &by, float rate,
                                                    const CudaParts &parts, int32_t block,
                                                    const Arenas &arenas)
{
    Values sum;
    const Added added = add_block(parts, block, arenas.gradients, &sum);
    bool is_fine = true;
    if (added.count > 0 && has_vectors(parts))
        return update_vector(by, rate, arenas, added.first, sum);
    UNROLLED
    for (int32_t i = 0; i < PER_THREAD; i++)
        if (i < added.count)
            is_fine = update_one(by, rate, arenas, added.first + i, sum.value[i]) && is_fine;
    return is_fine;
}

/* Updates the parameters [at, at + PER_THREAD) that are not in parts. */
static __device__ __forceinline__ bool update_rest(const CudaRmsProp &by, float rate,
                                                   const CudaUnadded &unadded, const Arenas &arenas,
                                                   int64_t at)
{
    bool is_fine = true;
    if (at + PER_THREAD <= arenas.end && !touches_parts(unadded, at))
        return update_vector(by, rate, arenas, at, pack_load<PER_THREAD>(arenas.gradients + at));
    for (int64_t i = at; i < arenas.end && i < at + PER_THREAD; i++)
        if (!is_in_parts(unadded, i))
            is_fine = update_one(by, rate, arenas, i, arenas.gradients[i]) && is_fine;
    return is_fine;
}

/* Records only the first bad step; any thread may do so. */
static __device__ __forceinline__ void note_bad_step(uint64_t number, CudaStep *step)
{
    atomicCAS((unsigned long long *)&step->bad_step, (unsigned long long)-1,
              (unsigned long long)number);
}

static __global__ void __launch_bounds__(UPDATE_THREADS)
    update_kernel(CudaRmsProp by, CudaUnadded unadded, Arenas arenas, bool has_ended,
                  CudaStep *step)
{
    int32_t block = (int32_t)blockIdx.x;
    const float rate = step->rate;
    const int32_t parts = parts_of_block(unadded, &block);
    const bool is_fine =
        parts >= 0 ? update_added(by, rate, unadded.all[parts], block, arenas)
                   : update_rest(by, rate, unadded, arenas,
                                 arenas.first +
                                     ((int64_t)block * UPDATE_THREADS + threadIdx.x) * PER_THREAD);
    if (!is_fine)
        note_bad_step(step->step - (has_ended ? 1 : 0), step);
}

void cuda_update(cudaStream_t stream, const CudaRmsProp *optimizer, int64_t first, int64_t end,
                 const CudaUnadded *unadded, float *gradients, float *accumulators, float *weights,
                 uint16_t *bf16_weights, bool has_ended, CudaStep *step)
{
    const Arenas arenas = {first, end, gradients, accumulators, weights, bf16_weights};
    const unsigned rest = blocks_for(end - first, UPDATE_THREADS * PER_THREAD);
    const unsigned blocks = rest + (unsigned)blocks_of(unadded);
    CUDA_WORK(cuda_work_update(end - first, bytes_of(unadded), bf16_weights != NULL, blocks));
    CUDA_LAUNCH(update_kernel, blocks, UPDATE_THREADS, stream, *optimizer, *unadded, arenas,
                has_ended, step);
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
