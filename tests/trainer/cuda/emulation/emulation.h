/* A GPU that is none: kernels are compiled as plain C++ and run on the processor, one thread after
 * the other, so that they can be tested where there is no GPU. Nothing is said about speed, and
 * nothing about what only hardware does: caches, the order of concurrent writes, how far __expf
 * and tensor cores are from the exact value.
 *
 * What shows here and not on a GPU:
 *
 * - Device memory is filled with 0xFF (NaN, -1) when it is allocated. It lies on the heap, where
 *   AddressSanitizer sees every access outside, and every access of the processor's.
 * - So are __shared__ arrays before a kernel runs, as far as the compiler lets it (__shared__ in
 *   cuda_emulated_device.h).
 * - Threads of a block run in a chosen order (cuda_emulation_set_order), each until it waits; so
 *   do the blocks of a grid, and those parts of a graph that do not depend on each other. What
 *   differs between orders misses a barrier or a dependency.
 * - Barriers and warp functions which threads reach at different lines, or not at all, end the
 *   program with a message that names kernel, block and threads.
 * - Streams can lag: see cuda_emulation_set_lag.
 *
 * What does not show: too much __shared__ memory (48 KiB is the limit; the compiler of the device
 * says it), registers, alignment of vectors (UBSan does see it), and that kernels must not touch
 * the processor's memory. Warp functions want all lanes (mask 0xffffffff). There is one lock around
 * everything, so that host threads may call at the same time. */
#ifndef TESTS_TRAINER_CUDA_EMULATION_EMULATION_H
#define TESTS_TRAINER_CUDA_EMULATION_EMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything below as at the start: one device of sm_80 with 8 GiB, ascending, no lag, no failure,
 * counts of 0. What is allocated stays. Tests need it only within one process: each libcheck test
 * has its own. */
void cuda_emulation_reset(void);

typedef enum {
    CUDA_ORDER_ASCENDING,
    CUDA_ORDER_DESCENDING,
    CUDA_ORDER_SHUFFLED,
    CUDA_ORDER_COUNT
} CudaEmulationOrder;
/* `seed` is of CUDA_ORDER_SHUFFLED. */
void cuda_emulation_set_order(CudaEmulationOrder order, uint64_t seed);

/* With lag, what is queued on a stream is done only when somebody waits for it: a synchronisation,
 * an event that another stream waits for, a call that waits by itself (cudaFree, cudaMemcpy).
 * Shows results that are read, and memory that is overwritten, without waiting. */
void cuda_emulation_set_lag(bool lags);

/* From now on the GPU's time, which events note, is counted instead of measured: each kernel whose
 * name in CUDA_LAUNCH has `name` in it takes `ns`, others take nothing, and what else runs takes as
 * long as it says (cuda_emulation_spend). */
void cuda_emulation_count_time(const char *name, int64_t ns);
/* Work that runs on a stream took so long; while time is counted. */
void cuda_emulation_spend(int64_t ns);

/* 0 devices: every call says cudaErrorNoDevice. */
void cuda_emulation_set_devices(int count, int major, int minor);
/* As cudaDriverGetVersion has it, 13000 for CUDA 13.0; 0: there is none. Below CUDART_VERSION every
 * other call says cudaErrorInsufficientDriver. */
void cuda_emulation_set_driver(int version);
/* Of each device; cudaMalloc beyond says cudaErrorMemoryAllocation. */
void cuda_emulation_set_memory(int64_t bytes);

/* The nth call of the runtime from now on (1: the next; those for the last error do not count)
 * returns `error` and does nothing; if it sticks, so do all after it, as when a GPU is lost. */
void cuda_emulation_fail_call(int64_t nth, cudaError_t error, bool sticks);
/* The nth kernel that runs from now on (also one of a graph) does not; every later call returns
 * `error`, and nothing runs any more. */
void cuda_emulation_fail_launch(int64_t nth, cudaError_t error);

typedef struct {
    int64_t calls;    /* of the runtime */
    int64_t launches; /* kernels that ran */
    int64_t graph_launches;
    int64_t allocated_bytes; /* ever, of devices */
    /* Not given back yet: */
    int64_t live_bytes;        /* of all devices */
    int64_t live_allocations;  /* of all devices */
    int64_t live_pinned_bytes; /* cudaMallocHost and cudaHostAlloc */
    int64_t live_streams, live_events, live_graphs, live_executables;
} CudaEmulationCounts;
CudaEmulationCounts cuda_emulation_counts(void);

#ifdef __cplusplus
}
#endif
#endif
