/* The time of a network on one device: the forward and backward pass of a step, an evaluation, the
 * update. Pure; from the catalogue alone: measurements of one GPU
 * (sim/cloud/training/step_estimate.h), or operations at the GPU's rate where there are none. */
#ifndef SIM_CLOUD_TRAINING_STEP_COMPUTE_H
#define SIM_CLOUD_TRAINING_STEP_COMPUTE_H

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
    int64_t overhead_ns;   /* of each step, in addition */
} StepCompute;

/* `ranks_on_node` on the fullest node; the program trains, and `vm_size` has a GPU. */
StepCompute step_compute(const Program *program, const VmSize *vm_size, int32_t ranks_on_node);

/* Whether the device can be computed: its measurements cover the program, or it has a peak, which
 * applies to fp32. STATUS_BAD_INPUT at `at`, naming the missing number. */
MUST_CHECK bool step_compute_check(const StepCompute *compute, Place at, Status *status);

/* Forward and backward pass of one batch, and the framework's overhead per step: on a measured
 * device also the input, which the trainer prepares before it computes. */
int64_t step_compute_ns(const StepCompute *compute);
/* The input; 0 on other devices, where it is prepared while the step runs (InputPipeline). */
int64_t step_compute_input_ns(const StepCompute *compute);
/* The part of it that is the backward pass, in which gradients come ready. */
int64_t step_compute_backward_ns(const StepCompute *compute);
int64_t step_compute_update_ns(const StepCompute *compute);
/* The known cost of the exchange for a process that has no other to exchange with. */
int64_t step_compute_alone_exchange_ns(const StepCompute *compute);
/* Prediction alone: forward passes in batches of the training's size, input ready in time. */
int64_t step_compute_evaluate_ns(const StepCompute *compute, int64_t samples);

#endif
