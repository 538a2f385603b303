#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <cuda_emulated_sanitizer.h>
#if CUDA_EMULATED_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

#include "tests/trainer/cuda/emulation/runtime.h"

namespace emulation
{

CudaEmulationCounts counts;

namespace
{

enum { DEVICES_MAX = 64, ALIGNMENT = 256 }; // cudaMalloc's alignment

struct Settings {
    int devices = 1, major = 8, minor = 0, driver = CUDART_VERSION;
    int64_t memory_bytes = INT64_C(8) << 30;
    int64_t calls_to_failure = 0, launches_to_failure = 0; // 0: none
    cudaError_t call_error = cudaSuccess, launch_error = cudaSuccess;
    bool call_error_sticks = false;
    const char *slow_kernel = nullptr; // null: time is measured
    int64_t slow_ns = 0, counted_ns = 0;
    cudaError_t lost = cudaSuccess;
};

struct Allocation {
    size_t bytes;
    size_t whole; // with the rest of its last page, if it is of a device
    bool is_pinned;
    int device;
};

Settings settings;
int64_t used_bytes[DEVICES_MAX];
std::recursive_mutex lock;
thread_local cudaError_t last_error = cudaSuccess;
thread_local int device_of_thread = 0;

// Never destroyed: remaining allocations stay reachable, and the counts report them.
std::map<uintptr_t, Allocation> &allocations()
{
    static auto *all = new std::map<uintptr_t, Allocation>;
    return *all;
}

cudaError_t admit()
{
    counts.calls++;
    if (settings.lost != cudaSuccess)
        return settings.lost;
    if (settings.calls_to_failure > 0 && --settings.calls_to_failure == 0) {
        if (settings.call_error_sticks)
            settings.lost = settings.call_error;
        return settings.call_error;
    }
    if (settings.driver < CUDART_VERSION)
        return cudaErrorInsufficientDriver;
    if (settings.devices == 0)
        return cudaErrorNoDevice;
    return cudaSuccess;
}

cudaError_t allocate(void **address, size_t bytes, bool is_pinned)
{
    cudaError_t error = forbid_capture();
    if (error != cudaSuccess)
        return error;
    if (address == nullptr)
        return cudaErrorInvalidValue;
    *address = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    int device = device_of_thread;
    if (!is_pinned &&
        (bytes > (size_t)INT64_MAX || (int64_t)bytes > settings.memory_bytes - used_bytes[device]))
        return cudaErrorMemoryAllocation;
    const size_t page = page_bytes(), whole = is_pinned ? bytes : (bytes + page - 1) / page * page;
    if (posix_memalign(address, is_pinned ? (size_t)ALIGNMENT : page, whole) != 0)
        return cudaErrorMemoryAllocation;
    memset(*address, 0xFF, bytes);
    allocations()[(uintptr_t)*address] = {bytes, whole, is_pinned, device};
    if (is_pinned) {
        counts.live_pinned_bytes += (int64_t)bytes;
        return cudaSuccess;
    }
    ASAN_POISON_MEMORY_REGION(*address, whole);
    used_bytes[device] += (int64_t)bytes;
    counts.allocated_bytes += (int64_t)bytes;
    counts.live_bytes += (int64_t)bytes;
    counts.live_allocations++;
    return cudaSuccess;
}

cudaError_t release(void *address, bool is_pinned)
{
    if (address == nullptr)
        return cudaSuccess;
    cudaError_t error = forbid_capture();
    if (error != cudaSuccess)
        return error;
    auto found = allocations().find((uintptr_t)address);
    if (found == allocations().end() || found->second.is_pinned != is_pinned)
        return cudaErrorInvalidValue;
    drain_all();
    const int64_t bytes = (int64_t)found->second.bytes;
    const size_t whole = found->second.whole;
    if (is_pinned) {
        counts.live_pinned_bytes -= bytes;
    } else {
        used_bytes[found->second.device] -= bytes;
        counts.live_bytes -= bytes;
        counts.live_allocations--;
    }
    allocations().erase(found);
    ASAN_UNPOISON_MEMORY_REGION(address, whole);
    free(address);
    return cudaSuccess;
}

} // namespace

bool enter(cudaError_t *error)
{
    lock.lock();
    *error = admit();
    return *error == cudaSuccess;
}

cudaError_t leave(cudaError_t error)
{
    // The work that a call waited for may have failed.
    if (error == cudaSuccess)
        error = settings.lost;
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    lock.unlock();
    return error;
}

bool is_lost()
{
    return settings.lost != cudaSuccess;
}

bool launch_starts(const char *kernel)
{
    if (settings.launches_to_failure > 0 && --settings.launches_to_failure == 0) {
        settings.lost = settings.launch_error;
        return false;
    }
    counts.launches++;
    if (settings.slow_kernel != nullptr && strstr(kernel, settings.slow_kernel) != nullptr)
        settings.counted_ns += settings.slow_ns;
    return true;
}

std::chrono::steady_clock::time_point now()
{
    if (settings.slow_kernel == nullptr)
        return std::chrono::steady_clock::now();
    return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(settings.counted_ns));
}

void open_devices()
{
    for (const auto &[begin, allocation] : allocations())
        // NOLINTNEXTLINE(performance-no-int-to-ptr): only for its bytes
        ASAN_UNPOISON_MEMORY_REGION((void *)begin, allocation.bytes);
}

void close_devices()
{
    for (const auto &[begin, allocation] : allocations())
        if (!allocation.is_pinned)
            // NOLINTNEXTLINE(performance-no-int-to-ptr): only for its bytes
            ASAN_POISON_MEMORY_REGION((void *)begin, allocation.bytes);
}

void for_each_device_block(const std::function<void(uintptr_t begin, size_t bytes)> &visit)
{
    for (const auto &[begin, allocation] : allocations())
        if (!allocation.is_pinned)
            visit(begin, allocation.whole);
}

Where where(const void *address, size_t bytes, bool *is_inside)
{
    *is_inside = true;
    uintptr_t at = (uintptr_t)address;
    auto next = allocations().upper_bound(at);
    if (next == allocations().begin())
        return Where::HOST;
    const auto &[begin, allocation] = *--next;
    if (at >= begin + allocation.bytes)
        return Where::HOST;
    *is_inside = bytes <= begin + allocation.bytes - at;
    return allocation.is_pinned ? Where::PINNED : Where::DEVICE;
}

} // namespace emulation

using namespace emulation;

extern "C" {

/* --- Settings of tests --- */

void cuda_emulation_reset(void)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings = Settings();
    streams_lag = is_idle = watches = false;
    set_order(CUDA_ORDER_ASCENDING, 0);
    cuda_emulated_multiply_adds = 0;
    counts.calls = counts.launches = counts.graph_launches = counts.allocated_bytes = 0;
    last_error = cudaSuccess;
    device_of_thread = 0;
}

void cuda_emulation_set_order(CudaEmulationOrder order, uint64_t seed)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    set_order(order, seed);
}

void cuda_emulation_set_watch(bool watches_now)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    watches = watches_now;
}

void cuda_emulation_set_idle(bool idle)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    is_idle = idle;
}

void cuda_emulation_set_lag(bool lags)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    if (!lags)
        drain_all();
    streams_lag = lags;
}

void cuda_emulation_count_time(const char *name, int64_t ns)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings.slow_kernel = name;
    settings.slow_ns = ns;
}

void cuda_emulation_spend(int64_t ns)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings.counted_ns += ns;
}

void cuda_emulation_set_devices(int count, int major, int minor)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings.devices = count < DEVICES_MAX ? count : DEVICES_MAX;
    settings.major = major;
    settings.minor = minor;
}

void cuda_emulation_set_driver(int version)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings.driver = version;
}

void cuda_emulation_set_memory(int64_t bytes)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings.memory_bytes = bytes;
}

void cuda_emulation_fail_call(int64_t nth, cudaError_t error, bool sticks)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings.calls_to_failure = nth;
    settings.call_error = error;
    settings.call_error_sticks = sticks;
}

void cuda_emulation_fail_launch(int64_t nth, cudaError_t error)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    settings.launches_to_failure = nth;
    settings.launch_error = error;
}

int64_t cuda_emulation_multiply_adds(void)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    return (int64_t)cuda_emulated_multiply_adds;
}

CudaEmulationCounts cuda_emulation_counts(void)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    return counts;
}

/* --- Errors --- */

#define NAME_OF(name, value, text)                                                                 \
    case name:                                                                                     \
        return #name;
const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
        CUDA_EMULATION_ERRORS(NAME_OF)
    }
    return "unrecognized error code";
}

#define TEXT_OF(name, value, text)                                                                 \
    case name:                                                                                     \
        return text;
const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
        CUDA_EMULATION_ERRORS(TEXT_OF)
    }
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError(void)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    return is_lost() ? settings.lost : last_error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

/* --- Devices --- */

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = settings.driver;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 0;
    return call([&] {
        *count = settings.devices;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int *device)
{
    return call([&] {
        *device = device_of_thread;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device)
{
    return call([&] {
        if (device < 0 || device >= settings.devices)
            return cudaErrorInvalidDevice;
        device_of_thread = device;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    return call([&] {
        if (device < 0 || device >= settings.devices)
            return cudaErrorInvalidDevice;
        *properties = cudaDeviceProp();
        snprintf(properties->name, sizeof properties->name, "Emulated GPU sm_%d%d", settings.major,
                 settings.minor);
        properties->totalGlobalMem = (size_t)settings.memory_bytes;
        properties->major = settings.major;
        properties->minor = settings.minor;
        properties->multiProcessorCount = 4;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    return call([&] {
        if (device < 0 || device >= settings.devices)
            return cudaErrorInvalidDevice;
        switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = 1024;
            return cudaSuccess;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = 48 << 10;
            return cudaSuccess;
        case cudaDevAttrWarpSize:
            *value = 32;
            return cudaSuccess;
        case cudaDevAttrMultiProcessorCount:
            *value = 4;
            return cudaSuccess;
        case cudaDevAttrComputeCapabilityMajor:
            *value = settings.major;
            return cudaSuccess;
        case cudaDevAttrComputeCapabilityMinor:
            *value = settings.minor;
            return cudaSuccess;
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    return call([&] {
        if (device < 0 || device >= settings.devices)
            return cudaErrorInvalidDevice;
        int written = snprintf(id, (size_t)length, "0000:%02X:00.0", device + 1);
        return written < length ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaDeviceSynchronize(void)
{
    return call([] {
        cudaError_t error = forbid_capture();
        if (error == cudaSuccess)
            drain_all();
        return error;
    });
}

/* Unlike a GPU, keeps allocations. */
cudaError_t cudaDeviceReset(void)
{
    return cudaDeviceSynchronize();
}

/* --- Memory --- */

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return call([&] {
        *free_bytes = (size_t)(settings.memory_bytes - used_bytes[device_of_thread]);
        *total_bytes = (size_t)settings.memory_bytes;
        return cudaSuccess;
    });
}

cudaError_t cudaMalloc(void **address, size_t bytes)
{
    return call([&] { return allocate(address, bytes, false); });
}

cudaError_t cudaFree(void *address)
{
    return call([&] { return release(address, false); });
}

cudaError_t cudaMallocHost(void **address, size_t bytes)
{
    return call([&] { return allocate(address, bytes, true); });
}

cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned int)
{
    return call([&] { return allocate(address, bytes, true); });
}

cudaError_t cudaFreeHost(void *address)
{
    return call([&] { return release(address, true); });
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        cudaStream_t stream)
{
    if (bytes == 0)
        return cudaSuccess;
    bool to_fits = false, from_fits = false;
    Where to_where = where(to, bytes, &to_fits), from_where = where(from, bytes, &from_fits);
    if (to == nullptr || from == nullptr || !to_fits || !from_fits)
        return cudaErrorInvalidValue;
    bool to_device = to_where == Where::DEVICE, from_device = from_where == Where::DEVICE;
    bool is_right = true;
    switch (kind) {
    case cudaMemcpyHostToHost:
        is_right = !to_device && !from_device;
        break;
    case cudaMemcpyHostToDevice:
        is_right = to_device && !from_device;
        break;
    case cudaMemcpyDeviceToHost:
        is_right = !to_device && from_device;
        break;
    case cudaMemcpyDeviceToDevice:
        is_right = to_device && from_device;
        break;
    case cudaMemcpyDefault:
        break;
    }
    if (!is_right)
        return cudaErrorInvalidValue;
    return submit(stream, cudaGraphNodeTypeMemcpy, [to, from, bytes] { memmove(to, from, bytes); });
}

/* A copy from or to memory that is not pinned is complete when the call returns. */
static bool touches_pageable(const void *to, const void *from)
{
    bool fits = false;
    return where(to, 1, &fits) == Where::HOST || where(from, 1, &fits) == Where::HOST;
}

static cudaError_t wait_for(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (error != cudaSuccess || status != cudaStreamCaptureStatusNone)
        return error;
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return call([&] {
        cudaError_t error = copy(to, from, bytes, kind, stream);
        if (error == cudaSuccess && streams_lag && touches_pageable(to, from))
            error = wait_for(stream);
        return error;
    });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return call([&] {
        cudaError_t error = forbid_capture();
        if (error == cudaSuccess)
            error = copy(to, from, bytes, kind, nullptr);
        return error;
    });
}

static cudaError_t fill(void *address, int value, size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return cudaSuccess;
    bool fits = false;
    if (where(address, bytes, &fits) == Where::HOST || !fits)
        return cudaErrorInvalidValue;
    return submit(stream, cudaGraphNodeTypeMemset, [=] { memset(address, value, bytes); });
}

cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream)
{
    return call([&] { return fill(address, value, bytes, stream); });
}

cudaError_t cudaMemset(void *address, int value, size_t bytes)
{
    return call([&] {
        cudaError_t error = forbid_capture();
        return error == cudaSuccess ? fill(address, value, bytes, nullptr) : error;
    });
}

} // extern "C"
