/* Private to trainer/comm: values on the GPU of each rank, summed by NCCL. */
#include "trainer/comm/sum_place.h"

#include <stdlib.h>

#include "sim/base/memory.h"
#include "trainer/base/floats.h"
#include "trainer/cuda/toolkit/toolkit.h"

typedef struct {
    Comm *comm;
    cudaStream_t stream;
    float *input, *output; /* on the GPU */
    float *fetched;
} Gpu;

static bool is_fine(cudaError_t result, const char *doing, Status *status)
{
    if (result == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    return status_fail(status, STATUS_MACHINE, place_in("CUDA", 0, 0), "%s: %s", doing,
                       cudaGetErrorString(result));
}

static void gpu_close(void *state)
{
    Gpu *gpu = state;
    (void)cudaFree(gpu->input);
    (void)cudaFree(gpu->output);
    if (gpu->stream)
        (void)cudaStreamDestroy(gpu->stream);
    free(gpu->fetched);
    free(gpu);
}

/* Selects this rank's GPU. */
static bool take_device(int32_t local_gpu, Status *status)
{
    int gpus = 0;
    return is_fine(cudaGetDeviceCount(&gpus), "counting GPUs", status) &&
           is_fine(gpus > 0 ? cudaSuccess : cudaErrorNoDevice, "counting GPUs", status) &&
           is_fine(cudaSetDevice(local_gpu % gpus), "taking a GPU", status);
}

static bool take_memory(size_t bytes, float **floats, Status *status)
{
    void *memory = NULL;
    const bool is_taken = is_fine(cudaMalloc(&memory, bytes), "taking memory of the GPU", status);
    *floats = memory;
    return is_taken;
}

static bool prepare(Gpu *gpu, const float *input, int64_t count, Status *status)
{
    const size_t bytes = (size_t)count * sizeof *input;
    return take_device(comm_local_rank(gpu->comm), status) &&
           is_fine(cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking),
                   "making a stream", status) &&
           take_memory(bytes, &gpu->input, status) && take_memory(bytes, &gpu->output, status) &&
           is_fine(cudaMemcpyAsync(gpu->input, input, bytes, cudaMemcpyHostToDevice, gpu->stream),
                   "copying to the GPU", status) &&
           is_fine(cudaStreamSynchronize(gpu->stream), "copying to the GPU", status);
}

/* Makes a failure of one rank a failure of all, so that NCCL does not wait for a rank without a
 * GPU. */
static bool all_are_prepared(Comm *comm, bool is_prepared, Status *status)
{
    int64_t are_prepared = is_prepared;
    Status comm_status;
    if (!comm_min(comm, &are_prepared, is_prepared ? status : &comm_status) || !is_prepared)
        return false;
    return are_prepared || status_fail(status, STATUS_MACHINE, place_in("CUDA", 0, 0),
                                       "the GPU of another rank cannot be used");
}

static bool gpu_open(Comm *comm, const float *input, int64_t count, void **state, Status *status)
{
    Gpu *gpu = memory_zeroed(sizeof *gpu);
    *gpu = (Gpu){.comm = comm, .fetched = floats_zeroed(count)};
    *state = gpu;
    if (all_are_prepared(comm, prepare(gpu, input, count, status), status) &&
        comm_use_gpus(comm, true, status))
        return true;
    gpu_close(gpu);
    return false;
}

static bool gpu_copy(void *state, int64_t count, Status *status)
{
    const Gpu *gpu = state;
    return is_fine(cudaMemcpyAsync(gpu->output, gpu->input, (size_t)count * sizeof *gpu->output,
                                   cudaMemcpyDeviceToDevice, gpu->stream),
                   "copying on the GPU", status);
}

static bool gpu_sum(void *state, int64_t count, Status *status)
{
    const Gpu *gpu = state;
    return comm_sum_on_gpu(gpu->comm, gpu->output, count, gpu->stream, status);
}

/* Checks alternately whether the GPU has finished and whether a sum has failed. */
static bool gpu_wait(void *state, Status *status)
{
    const Gpu *gpu = state;
    cudaError_t result;
    while ((result = cudaStreamQuery(gpu->stream)) == cudaErrorNotReady)
        if (!comm_check(gpu->comm, -1, status))
            return false;
    return is_fine(result, "waiting for the GPU", status) && comm_check(gpu->comm, -1, status);
}

static const float *gpu_fetch(void *state, int64_t count, Status *status)
{
    const Gpu *gpu = state;
    const size_t bytes = (size_t)count * sizeof *gpu->output;
    return is_fine(cudaMemcpy(gpu->fetched, gpu->output, bytes, cudaMemcpyDeviceToHost),
                   "copying from the GPU", status)
               ? gpu->fetched
               : NULL;
}

const SumPlace sum_place_gpu = {
    .open = gpu_open,
    .close = gpu_close,
    .copy = gpu_copy,
    .sum = gpu_sum,
    .wait = gpu_wait,
    .fetch = gpu_fetch,
};
