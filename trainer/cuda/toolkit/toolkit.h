/* All differences between CUDA 10.2 and 13. For C and CUDA C++.
 *
 * Kernels (the .cu files) are CUDA C++ and include none of NVIDIA's libraries; all other files are
 * C11 and use the runtime's C interface. Kernels are started only by CUDA_LAUNCH, so that they can
 * also be compiled as plain C++ and run on a processor. For this, tests/trainer/cuda/emulation has
 * headers with the toolkit's names, which define TRAINYARD_CUDA_EMULATED. */
#ifndef TRAINER_CUDA_TOOLKIT_H
#define TRAINER_CUDA_TOOLKIT_H

#include <cuda_runtime.h>
#include <stdbool.h>

/* The first version that captures graphs in the way used here, and the last for compute capability
 * 3.0. */
#if CUDART_VERSION < 10020
#error "CUDA 10.2 or later is needed"
#endif

/* CUDA_LAUNCH(kernel, grid, block, stream, arguments...); put a template's name in parentheses. The
 * runtime records errors (cudaGetLastError). */
#if defined(__cplusplus) && !defined(TRAINYARD_CUDA_EMULATED)
#define CUDA_LAUNCH(kernel, grid, block, stream, ...)                                              \
    kernel<<<grid, block, 0, stream>>>(__VA_ARGS__)
#endif

/* CUDA_WORK(work): the work of the next launch (trainer/cuda/kernels/work.h), which the emulation
 * records.
 */
#if defined(__cplusplus) && !defined(TRAINYARD_CUDA_EMULATED)
#define CUDA_WORK(work) ((void)sizeof(work))
#endif

/* GPUs since sm_80 have mma.sync, tensor-core products of tf32 and bf16. */
#if defined(TRAINYARD_CUDA_EMULATED) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
#define CUDA_HAS_MMA 1
#else
#define CUDA_HAS_MMA 0
#endif

static inline cudaError_t cuda_graph_instantiate(cudaGraphExec_t *executable, cudaGraph_t graph)
{
#if CUDART_VERSION >= 12000
    return cudaGraphInstantiate(executable, graph, 0);
#else
    return cudaGraphInstantiate(executable, graph, NULL, NULL, 0);
#endif
}

/* If the stream is captured, the event becomes a node of the graph, which CUDA supports since
 * 11.1. */
static inline cudaError_t cuda_event_record(cudaEvent_t event, cudaStream_t stream,
                                            bool is_captured)
{
    if (!is_captured)
        return cudaEventRecord(event, stream);
#if CUDART_VERSION >= 11010
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal);
#else
    return cudaErrorNotSupported;
#endif
}

#endif
