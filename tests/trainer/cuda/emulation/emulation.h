/* An emulated GPU: kernels are compiled as plain C++ and run on the processor, one thread after the
 * other, so that they can be tested without a GPU. It does not reproduce speed or properties of
 * hardware: caches, the order of concurrent writes, the errors of __expf and tensor cores.
 *
 * The emulation detects errors that a GPU does not:
 *
 * - Device memory is filled with 0xFF (NaN, -1) when it is allocated. It is on the heap, where
 *   AddressSanitizer detects every access outside of it, and every access by the processor.
 * - __shared__ arrays are filled in the same way before a kernel runs, as far as the compiler
 * allows
 *   (__shared__ in cuda_emulated_device.h).
 * - Threads of a block run in a chosen order (cuda_emulation_set_order), each until it waits. So do
 *   the blocks of a grid, and the parts of a graph that do not depend on each other. If results
 *   differ between orders, a barrier or a dependency is missing.
 * - If threads reach barriers or warp functions at different lines, or not at all, the program ends
 *   with a message that names kernel, block and threads.
 * - Parts of a graph that access the same memory must depend on each other: see
 *   cuda_emulation_set_watch.
 * - In kernels that are compiled with -fsanitize=thread, threads that access the same memory
 *   without a barrier or fence between them, and reads of shared memory that the block has not
 *   written, end the program whatever the order (races.cc; tests/trainer/cuda/races).
 * - Streams can lag: see cuda_emulation_set_lag.
 *
 * It does not detect too much __shared__ memory (48 KiB is the limit; the device's compiler checks
 * it), too many registers, wrong alignment of vectors (UBSan detects it), and kernels that access
 * the processor's memory. Warp functions need all lanes (mask 0xffffffff). A global lock allows
 * calls from several host threads. */
#ifndef TESTS_TRAINER_CUDA_EMULATION_EMULATION_H
#define TESTS_TRAINER_CUDA_EMULATION_EMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "trainer/cuda/kernels/work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resets all settings below: one device of sm_80 with 8 GiB, ascending order, no lag, no failure,
 * counts of 0. Allocations are kept. Only needed for several tests in one process: libcheck runs
 * each test in a separate process. */
void cuda_emulation_reset(void);

typedef enum {
    CUDA_ORDER_ASCENDING,
    CUDA_ORDER_DESCENDING,
    CUDA_ORDER_SHUFFLED,
    CUDA_ORDER_COUNT
} CudaEmulationOrder;
/* `seed` is used by CUDA_ORDER_SHUFFLED. */
void cuda_emulation_set_order(CudaEmulationOrder order, uint64_t seed);

/* With lag, queued work runs only when a call waits for it: a synchronisation, an event that
 * another stream waits for, or a call that waits implicitly (cudaFree, cudaMemcpy). This detects
 * results that are read, and memory that is overwritten, without waiting. */
void cuda_emulation_set_lag(bool lags);

/* While watching, launches of graphs take longer, and find conflicts: parts of a graph that do not
 * depend on each other, of which one writes to a page of device memory that the other accesses. On
 * a GPU they may run at the same time. Each allocation has its own pages. */
void cuda_emulation_set_watch(bool watches);

typedef struct {
    const char *one, *other; /* names in CUDA_LAUNCH, or a word for other parts */
    const void *page;
} CudaEmulationConflict;
/* The number of conflicts since the last call, and the first of them. */
int64_t cuda_emulation_conflicts(CudaEmulationConflict *first);

/* While idle, kernels are queued, captured and counted, but do not run: for graphs whose kernels
 * would take minutes. */
void cuda_emulation_set_idle(bool idle);

/* From then on the GPU's time, which events record, is counted instead of measured. Each kernel
 * whose name in CUDA_LAUNCH contains `name` takes `ns`, other kernels take no time. Other work
 * takes the time that it passes to cuda_emulation_spend. */
void cuda_emulation_count_time(const char *name, int64_t ns);
/* Adds `ns` to the counted time; called by work that runs on a stream. */
void cuda_emulation_spend(int64_t ns);

/* With 0 devices every call returns cudaErrorNoDevice. */
void cuda_emulation_set_devices(int count, int major, int minor);
/* Sets the result of cudaDriverGetVersion: 13000 for CUDA 13.0; 0: there is no driver. With a
 * version below CUDART_VERSION every other call returns cudaErrorInsufficientDriver. */
void cuda_emulation_set_driver(int version);
/* Sets the memory of each device. cudaMalloc beyond it returns cudaErrorMemoryAllocation. */
void cuda_emulation_set_memory(int64_t bytes);

/* The nth call of the runtime from then on (1: the next; queries of the last error do not count)
 * returns `error` and does nothing. If `sticks`, all later calls do so, too, as after the loss of a
 * GPU. */
void cuda_emulation_fail_call(int64_t nth, cudaError_t error, bool sticks);
/* The nth kernel from then on (also in a graph) does not run. Every later call returns `error`, and
 * no further work runs. */
void cuda_emulation_fail_launch(int64_t nth, cudaError_t error);

typedef struct {
    int64_t calls;    /* of the runtime */
    int64_t launches; /* kernels that ran */
    int64_t graph_launches;
    int64_t allocated_bytes; /* total, on devices */
    /* Not freed yet: */
    int64_t live_bytes;        /* of all devices */
    int64_t live_allocations;  /* of all devices */
    int64_t live_pinned_bytes; /* cudaMallocHost and cudaHostAlloc */
    int64_t live_streams, live_events, live_graphs, live_executables;
} CudaEmulationCounts;
CudaEmulationCounts cuda_emulation_counts(void);
/* Multiply-adds that kernels have made, by __fmaf_rn and by tensor cores. */
int64_t cuda_emulation_multiply_adds(void);

/* A kernel of a graph. */
enum { CUDA_EMULATION_AFTER_MAX = 8 };
typedef struct {
    const char *name;     /* in CUDA_LAUNCH */
    const void *function; /* its address in this program */
    uint32_t grid[3], threads;
    bool has_work; /* by CUDA_WORK */
    CudaWork work;
    int32_t after_count, after[CUDA_EMULATION_AFTER_MAX]; /* the kernels that it waits for */
} CudaEmulationKernel;
/* Writes the kernels of the graph that was made last, in the order of queueing; returns their
 * number. */
int32_t cuda_emulation_kernels(CudaEmulationKernel *kernels, int32_t most);

#ifdef __cplusplus
}
#endif
#endif
