/* The kind of device that a training is predicted for, or was measured on. */
#ifndef REAL_DEVICE_H
#define REAL_DEVICE_H

#include "sim/cloud/training/step_compute.h"

typedef enum { DEVICE_UNKNOWN, DEVICE_PROCESSOR, DEVICE_GPU } Device;

/* The device of a backend of the trainer; DEVICE_UNKNOWN for NULL, which means not recorded. */
Device device_of_backend(const char *backend);
/* The device of a VM size: its GPU, unless it is a core that was calibrated (VALIDATION_CORE). */
Device device_of_vm_size(const VmSize *vm_size);

/* Fails with STATUS_BAD_INPUT at `at` if both devices are known and differ: one says nothing about
 * the other. `whose` is predicted for the VM size: "job \"train\"". */
MUST_CHECK bool device_check(const char *whose, const VmSize *vm_size, Device measured, Place at,
                             Status *status);

#endif
