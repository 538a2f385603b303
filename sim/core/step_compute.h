/* What the layers of a network take on one device: the forward and backward pass of a step, an
 * evaluation, the update. Pure; from the catalogue alone. */
#ifndef SIM_CORE_STEP_COMPUTE_H
#define SIM_CORE_STEP_COMPUTE_H

#include "sim/core/spec.h"

/* One rank's device, shared with others where there are more ranks than devices on a node. */
typedef struct {
    const Program *program;
    const GpuModel *gpu;
    int32_t ranks_on_gpu;
} StepCompute;

/* `ranks_on_node` on the fullest node; the program trains, and `vm_size` has a GPU. */
StepCompute step_compute(const Program *program, const VmSize *vm_size, int32_t ranks_on_node);

/* Forward and backward pass of one batch, and what the framework adds to each step. */
int64_t step_compute_ns(const StepCompute *compute);
/* The part of it that is the backward pass, in which gradients come ready. */
int64_t step_compute_backward_ns(const StepCompute *compute);
int64_t step_compute_update_ns(const StepCompute *compute);
/* Prediction alone: forward passes in batches of the training's size, input ready in time. */
int64_t step_compute_evaluate_ns(const StepCompute *compute, int64_t samples);

#endif
