/* Shared by the parts of the emulated runtime. */
#ifndef TESTS_TRAINER_CUDA_EMULATION_RUNTIME_H
#define TESTS_TRAINER_CUDA_EMULATION_RUNTIME_H

#include <cuda_runtime.h>

#include <chrono>
#include <functional>

#include "tests/trainer/cuda/emulation/emulation.h"

/* The linker's names for the ends of the section that launch.cc fills; null if it does not. */
extern "C" char launch_begin[] __asm__("__start_cuda_emulated_launch") __attribute__((weak));
extern "C" char launch_end[] __asm__("__stop_cuda_emulated_launch") __attribute__((weak));

namespace emulation
{

/* --- device.cc: settings, counts, errors --- */

extern CudaEmulationCounts counts;

bool enter(cudaError_t *error);       /* takes the lock; true if the call may continue */
cudaError_t leave(cudaError_t error); /* records the error of this thread, releases the lock */

/* One call of the runtime: `work` under the lock, unless the device is lost. */
template <class Work> cudaError_t call(Work work)
{
    cudaError_t error = cudaSuccess;
    if (enter(&error))
        error = work();
    return leave(error);
}

std::chrono::steady_clock::time_point now(); /* of the GPU */

bool is_lost();                         /* true: no work runs any more */
bool launch_starts(const char *kernel); /* counts the launch; false: the device is lost by it */

/* Make device memory accessible and inaccessible to the processor, for AddressSanitizer. */
void open_devices();
void close_devices();

/* Calls `visit` for the whole pages of each allocation of device memory. */
void for_each_device_block(const std::function<void(uintptr_t begin, size_t bytes)> &visit);

enum class Where { HOST, PINNED, DEVICE };
/* The kind of memory of [address, address + bytes). `is_inside`: all bytes are in one
 * allocation. */
Where where(const void *address, size_t bytes, bool *is_inside);

/* --- streams.cc --- */

extern bool streams_lag;
/* `type` is the type of the node if a graph is captured, `launch` a kernel's. */
cudaError_t submit(cudaStream_t stream, enum cudaGraphNodeType type, std::function<void()> work,
                   const CudaEmulationKernel *launch = nullptr);
void drain_all();
/* For calls that are forbidden during a capture: invalidates the capture and returns the error. */
cudaError_t forbid_capture();

/* --- access.cc --- */

extern bool watches;
size_t page_bytes();
/* Runs the work of a node of a graph, and records which pages it accesses. */
void watch_node(size_t node, const std::function<void()> &work);
/* Counts the conflicts between the nodes that were watched since the last call. */
void judge_accesses(const std::function<bool(size_t, size_t)> &are_ordered,
                    const std::function<const char *(size_t)> &name_of);

/* --- races.cc --- */

/* Called by launch.cc while a kernel runs. */
void races_begin(uint64_t blocks);
void races_end();
void races_begin_block(uint32_t number);
void races_set_thread(uint32_t number);
void races_barrier();
void races_warp_barrier(uint32_t warp);

/* --- launch.cc --- */

/* True for the emulation's data that kernels read. */
inline bool is_of_launch(uintptr_t address)
{
    return address >= (uintptr_t)launch_begin && address < (uintptr_t)launch_end;
}
/* Ends the program: the running thread makes an access that is not allowed. */
[[noreturn]] void fail_access(const char *complaint);

extern bool is_idle; // kernels do not run
void set_order(CudaEmulationOrder order, uint64_t seed);

/* The order of work that does not depend on each other: maps place to index, both below `count`.
 * All orders are index = (factor * place + start) % count. */
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
    /* The index of the last place. */
    uint64_t last() const
    {
        return before(start);
    }
    uint64_t before(uint64_t index) const
    {
        return index < factor ? index + count - factor : index - factor;
    }
};
Permutation
next_permutation(uint64_t count); /* count >= 1; CUDA_ORDER_SHUFFLED: a different one each time */

} // namespace emulation

#endif
