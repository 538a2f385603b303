/* Private to trainer/cuda: memory of the GPU, copies, and waiting for the GPU. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "trainer/cuda/model.h"

static const Place here = {.source = "CUDA"};

/* --- Memory --- */

/* Records an allocated block and returns it; NULL after a failure, which is recorded. */
static void *keep(CudaMemory *memory, cudaError_t result, void *block, bool is_pinned)
{
    if (result != cudaSuccess) {
        memory->result = result;
        (void)cudaGetLastError(); // otherwise the runtime keeps the error
        return NULL;
    }
    invariant(memory->block_count < CUDA_BLOCKS_MAX);
    memory->is_pinned[memory->block_count] = is_pinned;
    memory->blocks[memory->block_count++] = block;
    return block;
}

void *cuda_memory_of_gpu(CudaMemory *memory, int64_t bytes)
{
    void *block = NULL;
    if (memory->is_counting)
        memory->wanted_bytes += bytes;
    if (memory->is_counting || memory->result != cudaSuccess || bytes == 0)
        return NULL;
    const cudaError_t result = cudaMalloc(&block, (size_t)bytes);
    return keep(memory, result, block, false);
}

void *cuda_memory_pinned(CudaMemory *memory, int64_t bytes)
{
    void *block = NULL;
    if (memory->is_counting || memory->result != cudaSuccess || bytes == 0)
        return NULL;
    const cudaError_t result = cudaMallocHost(&block, (size_t)bytes);
    return keep(memory, result, block, true);
}

void cuda_memory_free(CudaMemory *memory)
{
    while (memory->block_count > 0) {
        const int32_t last = --memory->block_count;
        if (memory->is_pinned[last])
            (void)cudaFreeHost(memory->blocks[last]);
        else
            (void)cudaFree(memory->blocks[last]);
    }
    *memory = (CudaMemory){0};
}

static bool fail_memory(const CudaMemory *memory, size_t free_bytes, const CudaDevice *device,
                        const char *purpose, Status *status)
{
    Text wanted = {0}, left = {0};
    if (memory->result != cudaErrorMemoryAllocation)
        return status_fail(status, STATUS_MACHINE, here,
                           "GPU %" PRId32 " (%s) cannot allocate memory for %s: %s: %s",
                           device->index, device->name, purpose, cudaGetErrorName(memory->result),
                           cudaGetErrorString(memory->result));
    bytes_print(&wanted, memory->wanted_bytes);
    bytes_print(&left, (int64_t)free_bytes);
    status_fail(status, STATUS_MACHINE, here,
                "GPU %" PRId32 " (%s) has too little memory for %s: %s are needed, %s are free",
                device->index, device->name, purpose, text_string(&wanted), text_string(&left));
    text_free(&wanted);
    text_free(&left);
    return status_hint(status, "a smaller --batch-size, fewer ranks on this GPU, or another GPU");
}

bool cuda_memory_take(CudaMemory *memory, CudaWants *wants, void *owner, const CudaDevice *device,
                      const char *purpose, Status *status)
{
    size_t free_bytes = 0, total_bytes = 0;
    *memory = (CudaMemory){.is_counting = true};
    wants(owner, memory);
    memory->is_counting = false;
    memory->result = cudaMemGetInfo(&free_bytes, &total_bytes);
    wants(owner, memory);
    if (memory->result == cudaSuccess)
        return true;
    fail_memory(memory, free_bytes, device, purpose, status);
    cuda_memory_free(memory);
    return false;
}

/* --- Failures --- */

void cuda_note(CudaModel *model, cudaError_t result, const char *doing)
{
    if (result != cudaSuccess)
        cuda_note_as(model, doing, cudaGetErrorName(result), cudaGetErrorString(result));
}

void cuda_stream_waits(CudaModel *model, cudaStream_t waiting, cudaEvent_t event,
                       cudaStream_t awaited, const char *doing)
{
    cuda_note(model, cudaEventRecord(event, awaited), doing);
    cuda_note(model, cudaStreamWaitEvent(waiting, event, 0), doing);
}

void cuda_note_as(CudaModel *model, const char *doing, const char *name, const char *meaning)
{
    if (model->has_failed)
        return;
    Text steps = {0};
    text_printf(&steps, "step %" PRIu64, model->step_number);
    if (model->step_last > model->step_number)
        text_printf(&steps, " to %" PRIu64, model->step_last);
    model->has_failed = true;
    status_fail(&model->failure, STATUS_MACHINE, here,
                "GPU %" PRId32 " (%s) of rank %" PRIu32 " failed while %s (%s): %s: %s",
                model->device.index, model->device.name, model->settings.rank, doing,
                text_string(&steps), name, meaning);
    text_free(&steps);
}

bool cuda_is_fine(const CudaModel *model, Status *status)
{
    if (model->has_failed)
        *status = model->failure;
    return !model->has_failed;
}

bool cuda_wait_for_ranks(CudaModel *model, Comm *comm, const char *doing, Status *status)
{
    const struct timespec pause = {.tv_nsec = 20000}; // much shorter than a run of steps
    cuda_note(model, cudaGetLastError(), doing);      // errors of launches
    while (cudaStreamQuery(model->stream) == cudaErrorNotReady) {
        (void)cudaGetLastError(); // it may record "not ready" as an error
        if (!comm_check(comm, (int64_t)model->step_number, status))
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return comm_check(comm, (int64_t)model->step_number, status) && cuda_wait(model, doing, status);
}

bool cuda_wait(CudaModel *model, const char *doing, Status *status)
{
    cuda_note(model, cudaGetLastError(), doing); // errors of launches
    cuda_note(model, cudaStreamSynchronize(model->stream), doing);
    return cuda_is_fine(model, status);
}
