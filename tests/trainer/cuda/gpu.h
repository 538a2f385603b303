/* Shared by tests of GPU code: GPU memory, and settings of the emulated GPU. The same tests run on
 * the emulation (`ctest -L cuda`) and, in builds with CUDA, on a real GPU (`ctest -L gpu`), where
 * the settings have no effect. */
#ifndef TESTS_TRAINER_CUDA_GPU_H
#define TESTS_TRAINER_CUDA_GPU_H

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim/base/philox.h"
#include "tests/support/suite.h"

#ifdef TRAINYARD_CUDA_EMULATED
#include "tests/trainer/cuda/emulation/emulation.h"
#endif

static inline void gpu_must(cudaError_t error)
{
    ck_assert_msg(error == cudaSuccess, "%s", cudaGetErrorString(error));
}

/* Allocates memory filled with 0xff: a NaN as a float, -1 as an integer. */
static inline void *gpu_new(int64_t bytes)
{
    void *memory;
    gpu_must(cudaMalloc(&memory, (size_t)bytes));
    gpu_must(cudaMemset(memory, 0xff, (size_t)bytes));
    return memory;
}

static inline void *gpu_copy(const void *host, int64_t bytes)
{
    void *memory = gpu_new(bytes);
    gpu_must(cudaMemcpy(memory, host, (size_t)bytes, cudaMemcpyHostToDevice));
    return memory;
}

/* Copies from the GPU, after waiting for all kernels. */
static inline void gpu_read(void *host, const void *memory, int64_t bytes)
{
    gpu_must(cudaGetLastError());
    gpu_must(cudaMemcpy(host, memory, (size_t)bytes, cudaMemcpyDeviceToHost));
}

static inline void gpu_free(void *memory)
{
    gpu_must(cudaFree(memory));
}

/* --- Of an emulated GPU --- */

#if defined(GPU_IS_JUDGED)
enum { GPU_IS_EMULATED = true, GPU_ORDERS = 1 }; // accesses are judged alike in every order
#elif defined(TRAINYARD_CUDA_EMULATED)
enum { GPU_IS_EMULATED = true, GPU_ORDERS = 4 };
#else
enum { GPU_IS_EMULATED = false, GPU_ORDERS = 2 }; // the hardware's order, which may vary
#endif

/* Sets one of GPU_ORDERS orders of threads and blocks: ascending, descending and two shuffled
 * ones. */
static inline void gpu_set_order(int32_t order)
{
#ifdef TRAINYARD_CUDA_EMULATED
    static const CudaEmulationOrder orders[] = {CUDA_ORDER_ASCENDING, CUDA_ORDER_DESCENDING,
                                                CUDA_ORDER_SHUFFLED, CUDA_ORDER_SHUFFLED};
    cuda_emulation_set_order(orders[order], (uint64_t)order);
#else
    (void)order;
#endif
}

static inline void gpu_reset(void)
{
#ifdef TRAINYARD_CUDA_EMULATED
    cuda_emulation_reset();
#endif
}

static inline void gpu_set_lag(bool lags)
{
#ifdef TRAINYARD_CUDA_EMULATED
    cuda_emulation_set_lag(lags);
#else
    (void)lags;
#endif
}

/* Counts so far, as in the next two functions; 0 for a real GPU. */
static inline int64_t gpu_graph_launches(void)
{
#ifdef TRAINYARD_CUDA_EMULATED
    return cuda_emulation_counts().graph_launches;
#else
    return 0;
#endif
}

static inline void gpu_check_graph_launches(int64_t expected)
{
    ck_assert(!GPU_IS_EMULATED || gpu_graph_launches() == expected);
}

static inline int64_t gpu_live_events(void)
{
#ifdef TRAINYARD_CUDA_EMULATED
    return cuda_emulation_counts().live_events;
#else
    return 0;
#endif
}

static inline int64_t gpu_allocated_bytes(void)
{
#ifdef TRAINYARD_CUDA_EMULATED
    return cuda_emulation_counts().allocated_bytes;
#else
    return 0;
#endif
}

static inline void gpu_check_nothing_is_left(void)
{
#ifdef TRAINYARD_CUDA_EMULATED
    const CudaEmulationCounts counts = cuda_emulation_counts();
    ck_assert_int_eq(counts.live_bytes + counts.live_pinned_bytes, 0);
    ck_assert_int_eq(
        counts.live_streams + counts.live_events + counts.live_graphs + counts.live_executables, 0);
#endif
}

/* True if kernels use tensor cores (CUDA_HAS_MMA). */
static inline bool gpu_has_mma(void)
{
    int device, major;
    gpu_must(cudaGetDevice(&device));
    gpu_must(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 8;
}

/* --- Values --- */

static inline uint32_t test_word(uint32_t stream, int64_t i)
{
    return philox(7, (PhiloxBlock){{(uint32_t)i, stream}}).word[0];
}

/* From -1 to 1, with all bits of the mantissa in use. */
static inline float test_value(uint32_t stream, int64_t i)
{
    return (float)test_word(stream, i) / 2147483648.0f - 1.0f;
}

static inline uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bf16 nearest to a number, ties to even, found by comparing distances. */
static inline uint16_t nearest_bf16(float value)
{
    if (isinf(value))
        return (uint16_t)(float_bits(value) >> 16);
    const uint32_t below = float_bits(value) & 0xffff0000, above = below + 0x10000;
    float low, high;
    memcpy(&low, &below, sizeof low);
    memcpy(&high, &above, sizeof high);
    const double to_low = fabs((double)value - (double)low);
    const double to_high = fabs((double)high - (double)value);
    const bool is_low = to_low != to_high ? to_low < to_high : (below >> 16 & 1) == 0;
    return (uint16_t)((is_low ? below : above) >> 16);
}

/* True for equal bits. All NaNs are equal, because their bits differ between processors. */
static inline bool same_float(float a, float b)
{
    return float_bits(a) == float_bits(b) || (isnan(a) && isnan(b));
}

/* Reports only the first difference in a long array, because each ck_assert writes to libcheck. */
static inline void check_floats(const float *got, const float *wanted, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!same_float(got[i], wanted[i]))
            ck_abort_msg("value %d of %d: %a, expected %a", (int)i, (int)count, (double)got[i],
                         (double)wanted[i]);
}

static inline float widened(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Compares bf16 values with the rounded floats. */
static inline void check_rounded(const uint16_t *got, const float *wanted, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (isnan(wanted[i]) ? !isnan(widened(got[i])) : got[i] != nearest_bf16(wanted[i]))
            ck_abort_msg("value %d of %d: %a, expected %a rounded", (int)i, (int)count,
                         (double)widened(got[i]), (double)wanted[i]);
}

#endif
