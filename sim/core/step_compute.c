#include "sim/core/step_compute.h"

#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/compute.h"

StepCompute step_compute(const Program *program, const VmSize *vm_size, int32_t ranks_on_node)
{
    return (StepCompute){.program = program,
                         .gpu = vm_size->gpu,
                         .ranks_on_gpu = busiest_share(ranks_on_node, vm_size->gpus)};
}

static ComputeRate rate_of(const StepCompute *compute)
{
    return (ComputeRate){.peak_flops = compute->gpu->peak_flops / compute->ranks_on_gpu,
                         .efficiency_ppm = compute->gpu->efficiency_ppm};
}

/* Operations of the forward pass: a multiply-add is two. */
static int64_t forward_flops(const StepCompute *compute, int64_t samples)
{
    return bounded_times(bounded_times(2, compute->program->network->forward_macs_per_sample),
                         samples);
}

int64_t step_compute_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    int64_t flops =
        bounded_times(program->network->training_flops_per_sample, program->batch_per_rank);
    return bounded_add(compute_ns(rate_of(compute), flops), program->framework->step_overhead_ns);
}

int64_t step_compute_backward_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    int64_t flops =
        bounded_times(program->network->training_flops_per_sample, program->batch_per_rank);
    return compute_ns(rate_of(compute), flops - forward_flops(compute, program->batch_per_rank));
}

int64_t step_compute_update_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    return compute_ns(rate_of(compute),
                      bounded_times(program->framework->update_flops_per_parameter,
                                    program->network->parameters));
}

int64_t step_compute_evaluate_ns(const StepCompute *compute, int64_t samples)
{
    const Program *program = compute->program;
    int64_t batches = divide_up(samples, program->batch_per_rank);
    return bounded_add(compute_ns(rate_of(compute), forward_flops(compute, samples)),
                       bounded_times(batches, program->framework->step_overhead_ns));
}
