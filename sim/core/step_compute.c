#include "sim/core/step_compute.h"

#include "sim/base/units.h"
#include "sim/core/layer_rates.h"
#include "sim/model/bounded.h"
#include "sim/model/compute.h"

StepCompute step_compute(const Program *program, const VmSize *vm_size, int32_t ranks_on_node)
{
    return (StepCompute){.program = program,
                         .gpu = vm_size->gpu,
                         .ranks_on_gpu = busiest_share(ranks_on_node, vm_size->gpus),
                         .ranks_on_node = ranks_on_node};
}

/* --- A device that was measured --- */

static LayerRates rates_of(const StepCompute *compute)
{
    return (LayerRates){.device = compute->gpu,
                        .precision = compute->program->precision,
                        .ranks = compute->ranks_on_node,
                        .ranks_on_one = compute->ranks_on_gpu};
}

static int64_t measured_pass_ns(const StepCompute *compute, LayerPass pass, int64_t samples)
{
    const LayerRates rates = rates_of(compute);
    return layer_rates_pass_ns(&rates, compute->program->network, pass, samples);
}

int64_t step_compute_input_ns(const StepCompute *compute)
{
    const LayerRates rates = rates_of(compute);
    return compute->gpu->times ? layer_rates_input_ns(&rates, compute->program->batch_per_rank) : 0;
}

bool step_compute_check(const StepCompute *compute, Place at, Status *status)
{
    const Program *program = compute->program;
    const LayerRates rates = rates_of(compute);
    if (compute->gpu->times)
        return layer_rates_check(&rates, program->network, at, status);
    return program->precision == STEP_FP32 ||
           status_fail(status, STATUS_BAD_INPUT, at,
                       "program \"%s\": of %s only the speed in fp32 is known", program->name,
                       compute->gpu->name);
}

/* --- One that is known by its peak --- */

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

/* --- Both --- */

int64_t step_compute_forward_ns(const StepCompute *compute)
{
    const int64_t batch = compute->program->batch_per_rank;
    if (compute->gpu->times)
        return measured_pass_ns(compute, PASS_FORWARD, batch);
    return compute_ns(rate_of(compute), forward_flops(compute, batch));
}

int64_t step_compute_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    int64_t both_ns;
    if (compute->gpu->times)
        both_ns = bounded_add(
            step_compute_input_ns(compute),
            bounded_add(step_compute_forward_ns(compute), step_compute_backward_ns(compute)));
    else
        both_ns =
            compute_ns(rate_of(compute), bounded_times(program->network->training_flops_per_sample,
                                                       program->batch_per_rank));
    return bounded_add(both_ns, program->framework->step_overhead_ns);
}

int64_t step_compute_backward_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    if (compute->gpu->times)
        return measured_pass_ns(compute, PASS_BACKWARD, program->batch_per_rank);
    int64_t flops =
        bounded_times(program->network->training_flops_per_sample, program->batch_per_rank);
    return compute_ns(rate_of(compute), flops - forward_flops(compute, program->batch_per_rank));
}

int64_t step_compute_update_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    const LayerRates rates = rates_of(compute);
    if (compute->gpu->times)
        return layer_rates_update_ns(&rates, program->network);
    return compute_ns(rate_of(compute),
                      bounded_times(program->framework->update_flops_per_parameter,
                                    program->network->parameters));
}

int64_t step_compute_evaluate_ns(const StepCompute *compute, int64_t samples)
{
    const Program *program = compute->program;
    int64_t batches = divide_up(samples, program->batch_per_rank);
    int64_t passes_ns =
        compute->gpu->times
            ? bounded_part(measured_pass_ns(compute, PASS_FORWARD, program->batch_per_rank),
                           samples, program->batch_per_rank)
            : compute_ns(rate_of(compute), forward_flops(compute, samples));
    return bounded_add(passes_ns, bounded_times(batches, program->framework->step_overhead_ns));
}
