#include "real/compare/device.h"

#include <string.h>

#include "real/compare/validation.h"

Device device_of_backend(const char *backend)
{
    if (backend == NULL)
        return DEVICE_UNKNOWN;
    return strcmp(backend, "cuda") == 0 ? DEVICE_GPU : DEVICE_PROCESSOR;
}

Device device_of_vm_size(const VmSize *vm_size)
{
    const GpuModel *gpu = vm_size->gpu;
    return gpu == NULL || strcmp(gpu->name, VALIDATION_CORE) == 0 ? DEVICE_PROCESSOR : DEVICE_GPU;
}

bool device_check(const char *whose, const VmSize *vm_size, Device measured, Place at,
                  Status *status)
{
    static const char *const names[] = {"", "processors", "GPUs"};
    const Device predicted = device_of_vm_size(vm_size);
    if (measured == DEVICE_UNKNOWN || measured == predicted)
        return true;
    const bool is_local = strcmp(vm_size->name, VALIDATION_VM_SIZE) == 0;
    status_fail(status, STATUS_BAD_INPUT, at, "%s is predicted for %s%s%s%s, but it runs on %s",
                whose, names[predicted], is_local ? "" : " (", is_local ? "" : vm_size->name,
                is_local ? "" : ")", names[measured]);
    return status_hint(
        status, is_local ? "use the catalogue of `trainyard calibrate --backend NAME` for a "
                           "backend on that device"
                         : "use \"vmSize\": \"" VALIDATION_VM_SIZE "\" and --catalog FILE of "
                           "`trainyard calibrate`, as in scenarios/local/tutorial");
}
