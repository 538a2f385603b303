/* Replaces the toolkit's header of this name: the runtime's C interface and, for C++, the parts
 * that kernels use. See tests/trainer/cuda/emulation/emulation.h. */
#ifndef CUDA_EMULATION_RUNTIME_H
#define CUDA_EMULATION_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus
#include "cuda_emulated_types.h"

#include "cuda_emulated_device.h"
#include "cuda_emulated_launch.h"
#endif

#endif
