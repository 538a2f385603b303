/* The time of a network on one device: the forward and backward pass of a step, an evaluation, the
 * update. Pure. Based on the catalogue only: on measurements of one GPU
 * (sim/cloud/training/step_estimate.h), or else on operations at the GPU's rate. */
#ifndef SIM_CLOUD_TRAINING_STEP_COMPUTE_H
#define SIM_CLOUD_TRAINING_STEP_COMPUTE_H

#include "sim/base/status.h"
#include "sim/cloud/spec/spec.h"
#include "sim/cloud/training/step_estimate.h"

/* The device of one rank, which it shares if a node has more ranks than devices. */
typedef struct {
    const Program *program;
    const GpuModel *gpu;
    int32_t ranks_on_gpu;
    int32_t ranks_on_node;
    StepEstimate estimate; /* for one rank that does not share the device */
    int64_t flops_per_s;   /* rate of the operations of a batch, forward and backward */
    int64_t overhead_ns;   /* of each step, in addition to the operations */
} StepCompute;

/* `ranks_on_node` is that of the fullest node. The program is a training, and `vm_size` has a GPU.
 */
StepCompute step_compute(const Program *program, const VmSize *vm_size, int32_t ranks_on_node);

/* Checks that the times are known: the device's measurements cover the program, or it has none and
 * the precision is fp32. If not, STATUS_BAD_INPUT at `at` names the missing number. */
MUST_CHECK bool step_compute_check(const StepCompute *compute, Place at, Status *status);

/* Forward and backward pass of one batch, and the framework's overhead per step. On a device with
 * measured stages also the input, which the trainer prepares before it computes. */
int64_t step_compute_ns(const StepCompute *compute);
/* The input in step_compute_ns; 0 on other devices, where input is prepared while the step runs
 * (InputPipeline). */
int64_t step_compute_input_ns(const StepCompute *compute);
/* The backward pass in step_compute_ns, during which gradients become ready. */
int64_t step_compute_backward_ns(const StepCompute *compute);
int64_t step_compute_update_ns(const StepCompute *compute);
/* The cost of the exchange for a single process (StepEstimate.alone_ns). */
int64_t step_compute_alone_exchange_ns(const StepCompute *compute);
/* Evaluation: forward passes in batches of the training's size; input is ready in time. */
int64_t step_compute_evaluate_ns(const StepCompute *compute, int64_t samples);

#endif
