/* What a network takes on one device: the forward and backward pass of a step, an evaluation, the
 * update. Pure; from the catalogue alone: what was measured on one GPU
 * (sim/cloud/training/step_estimate.h), or operations at the GPU's rate where nothing was. */
#ifndef SIM_CORE_STEP_COMPUTE_H
#define SIM_CORE_STEP_COMPUTE_H

#include "sim/base/status.h"
#include "sim/cloud/spec/spec.h"
#include "sim/cloud/training/step_estimate.h"

/* One rank's device, shared with others where there are more ranks than devices on a node. */
typedef struct {
    const Program *program;
    const GpuModel *gpu;
    int32_t ranks_on_gpu;
    int32_t ranks_on_node;
    StepEstimate estimate; /* of one rank that has the device for itself */
    int64_t flops_per_s;   /* at which operations of a batch are done, forward and backward */
    int64_t overhead_ns;   /* of each step, beside them */
} StepCompute;

/* `ranks_on_node` on the fullest node; the program trains, and `vm_size` has a GPU. */
StepCompute step_compute(const Program *program, const VmSize *vm_size, int32_t ranks_on_node);

/* Whether that device can be reckoned with: what was measured of it covers the program, or it has a
 * peak, which is one of fp32. STATUS_BAD_INPUT at `at`, naming what is not known. */
MUST_CHECK bool step_compute_check(const StepCompute *compute, Place at, Status *status);

/* Forward and backward pass of one batch, and what the framework adds to each step: on a device
 * that was measured also the input, which the trainer prepares before it computes. */
int64_t step_compute_ns(const StepCompute *compute);
/* That input; 0 on other devices, where it is prepared beside the step (InputPipeline). */
int64_t step_compute_input_ns(const StepCompute *compute);
/* The part of it that is the backward pass, in which gradients come ready. */
int64_t step_compute_backward_ns(const StepCompute *compute);
int64_t step_compute_update_ns(const StepCompute *compute);
/* What the exchange is known to add to the step of a process that is alone with itself. */
int64_t step_compute_alone_exchange_ns(const StepCompute *compute);
/* Prediction alone: forward passes in batches of the training's size, input ready in time. */
int64_t step_compute_evaluate_ns(const StepCompute *compute, int64_t samples);

#endif
