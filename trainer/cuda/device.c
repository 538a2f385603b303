/* Private to trainer/cuda: finds GPUs, and chooses the GPU of a rank. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trainer/cuda/model.h"

static const Place here = {.source = "CUDA"};
static const char *const on_processor = "--backend cpu computes on the processor";

/* --- No GPU --- */

static bool fail_driver(Status *status)
{
    int driver = 0;
    const int needed = CUDART_VERSION;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
        status_fail(status, STATUS_MACHINE, here, "there is no NVIDIA driver on this machine");
        return status_hint(status, "%s", on_processor);
    }
    status_fail(status, STATUS_MACHINE, here,
                "the NVIDIA driver is for CUDA %d.%d, and this build is with CUDA %d.%d",
                driver / 1000, driver % 1000 / 10, needed / 1000, needed % 1000 / 10);
    return status_hint(status, "a newer driver, or a build with an older toolkit; %s",
                       on_processor);
}

static bool fail_count(cudaError_t result, Status *status)
{
    (void)cudaGetLastError();
    if (result == cudaErrorInsufficientDriver)
        return fail_driver(status);
    if (result == cudaSuccess || result == cudaErrorNoDevice)
        status_fail(status, STATUS_MACHINE, here, "there is no NVIDIA GPU that can be used");
    else
        status_fail(status, STATUS_MACHINE, here, "the GPUs cannot be counted: %s: %s",
                    cudaGetErrorName(result), cudaGetErrorString(result));
    return status_hint(status, "nvidia-smi shows the GPUs, CUDA_VISIBLE_DEVICES hides some; %s",
                       on_processor);
}

/* --- Unsuitable GPUs --- */

/* True if code for one item of CMake's list of architectures runs on compute capability
 * `capability` (75 for 7.5). The driver compiles "75" and "75-virtual" for any later GPU. "75-real"
 * and "100f" need the same digits except the last, which must not be lower; "90a" needs the same
 * capability. An item that is not a number ("all") is assumed to suit. */
static bool architecture_suits(const char *item, int32_t capability)
{
    char *end;
    const long wanted = strtol(item, &end, 10);
    if (end == item)
        return true;
    if (*end == 'a')
        return capability == wanted;
    const bool is_family = *end == 'f' || strncmp(end, "-real", strlen("-real")) == 0;
    return capability >= wanted && (!is_family || capability / 10 == wanted / 10);
}

/* `list` is CMake's list, separated by blanks. */
static bool architectures_suit(const char *list, int32_t capability)
{
    for (const char *item = list; item; item = strchr(item, ' ')) {
        item += *item == ' ';
        if (architecture_suits(item, capability))
            return true;
    }
    return false;
}

static bool fail_architecture(const CudaDevice *device, Status *status)
{
    status_fail(status, STATUS_MACHINE, here, "this build has no code for GPU %" PRId32 " (%s)",
                device->index, device->name);
    return status_hint(status, "build again with the GPU's architecture in "
                               "CMAKE_CUDA_ARCHITECTURES, if need be with an older toolkit");
}

enum { TF32_CAPABILITY = 80 };

static bool check_capability(const CudaDevice *device, int32_t capability, Precision precision,
                             Status *status)
{
    if (!architectures_suit(TRAINYARD_CUDA_ARCHITECTURES, capability))
        return fail_architecture(device, status);
    if (precision != PRECISION_TF32 || capability >= TF32_CAPABILITY)
        return true; // without tensor cores for bf16, products are computed as floats
    status_fail(status, STATUS_MACHINE, here,
                "tf32 needs a GPU of compute capability 8.0, and GPU %" PRId32 " (%s) has %" PRId32
                ".%" PRId32,
                device->index, device->name, capability / 10, capability % 10);
    return status_hint(status, "--precision fp32");
}

/* --- Finding and starting --- */

static bool fail_device(cudaError_t result, const CudaDevice *device, Status *status)
{
    (void)cudaGetLastError();
    if (result == cudaErrorNoKernelImageForDevice)
        return fail_architecture(device, status);
    return status_fail(status, STATUS_MACHINE, here, "GPU %" PRId32 "%s%s%s cannot be used: %s: %s",
                       device->index, device->name[0] ? " (" : "", device->name,
                       device->name[0] ? ")" : "", cudaGetErrorName(result),
                       cudaGetErrorString(result));
}

bool cuda_device_find(int32_t local_rank, Precision precision, CudaDevice *device, Status *status)
{
    struct cudaDeviceProp properties;
    int count = 0, major = 0, minor = 0;
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess || count == 0)
        return fail_count(result, status);
    *device = (CudaDevice){.index = local_rank % count, .count = count};
    result = cudaGetDeviceProperties(&properties, device->index);
    if (result == cudaSuccess)
        snprintf(device->name, sizeof device->name, "%s", properties.name);
    if (result == cudaSuccess)
        result = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device->index);
    if (result == cudaSuccess)
        result = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device->index);
    if (result != cudaSuccess)
        return fail_device(result, device, status);
    return check_capability(device, 10 * major + minor, precision, status);
}

/* Runs the smallest kernel. */
static cudaError_t try_kernel(void)
{
    float *weights = NULL;
    cudaError_t result = cudaMalloc((void **)&weights, 2 * sizeof *weights);
    if (result != cudaSuccess)
        return result;
    result = cudaMemset(weights, 0, 2 * sizeof *weights);
    cuda_narrow(NULL, weights, 1, (uint16_t *)(weights + 1));
    if (result == cudaSuccess)
        result = cudaGetLastError();
    if (result == cudaSuccess)
        result = cudaDeviceSynchronize();
    (void)cudaFree(weights);
    return result;
}

bool cuda_device_start(const CudaDevice *device, Status *status)
{
    cudaError_t result = cudaSetDevice(device->index);
    if (result == cudaSuccess)
        result = try_kernel();
    return result == cudaSuccess || fail_device(result, device, status);
}
