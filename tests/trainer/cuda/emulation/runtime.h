/* What the parts of the emulated runtime share. */
#ifndef TESTS_TRAINER_CUDA_EMULATION_RUNTIME_H
#define TESTS_TRAINER_CUDA_EMULATION_RUNTIME_H

#include <cuda_runtime.h>

#include <chrono>
#include <functional>

#include "tests/trainer/cuda/emulation/emulation.h"

namespace emulation
{

/* --- device.cc: settings, counts, errors --- */

extern CudaEmulationCounts counts;

bool enter(cudaError_t *error);       /* takes the lock; whether the call may go on */
cudaError_t leave(cudaError_t error); /* notes the error of this thread, gives the lock back */

/* One call of the runtime: `work` under the lock, unless the device is lost. */
template <class Work> cudaError_t call(Work work)
{
    cudaError_t error = cudaSuccess;
    if (enter(&error))
        error = work();
    return leave(error);
}

std::chrono::steady_clock::time_point now(); /* of the GPU */

bool is_lost();                         /* nothing runs any more */
bool launch_starts(const char *kernel); /* counts it; false: the device is lost with it */

/* Opens device memory, which else the processor must not touch: AddressSanitizer sees to that. */
void open_devices();
void close_devices();

enum class Where { HOST, PINNED, DEVICE };
/* Where [address, address + bytes) lies; `is_inside`: with all its bytes. */
Where where(const void *address, size_t bytes, bool *is_inside);

/* --- streams.cc --- */

extern bool streams_lag;
/* `type` is what a graph takes it for that is captured. */
cudaError_t submit(cudaStream_t stream, enum cudaGraphNodeType type, std::function<void()> work);
void drain_all();
/* A call that may not be made while a stream is captured: the error, and the capture is spoilt. */
cudaError_t forbid_capture();

/* --- launch.cc --- */

void set_order(CudaEmulationOrder order, uint64_t seed);

/* The order in which things that do not depend on each other run: place -> index, both below
 * `count`. All orders are index = (factor * place + start) % count. */
struct Permutation {
    uint64_t count, factor, start;

    uint64_t first() const
    {
        return start;
    }
    uint64_t after(uint64_t index) const
    {
        return index < count - factor ? index + factor : index + factor - count;
    }
    /* The same, from the last place to the first. */
    uint64_t last() const
    {
        return before(start);
    }
    uint64_t before(uint64_t index) const
    {
        return index < factor ? index + count - factor : index - factor;
    }
};
Permutation next_permutation(uint64_t count); /* count >= 1; shuffled: another one each time */

} // namespace emulation

#endif
