#include "sim/cloud/training/step_compute.h"

#include "sim/base/units.h"
#include "sim/cloud/training/layer_rates.h"
#include "sim/model/bounded.h"
#include "sim/model/compute.h"

/* --- A device whose stages were measured --- */

static LayerRates rates_of(const StepCompute *compute)
{
    return (LayerRates){.device = compute->gpu,
                        .precision = compute->program->precision,
                        .ranks = compute->ranks_on_node,
                        .ranks_on_one = compute->ranks_on_gpu};
}

static int64_t measured_pass_ns(const StepCompute *compute, LayerPass pass)
{
    const LayerRates rates = rates_of(compute);
    const Program *program = compute->program;
    return layer_rates_pass_ns(&rates, program->network, pass, program->batch_per_rank);
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
                       "program \"%s\": only the fp32 speed of %s is known", program->name,
                       compute->gpu->name);
}

/* --- A device with a known rate --- */

/* One rank's part of the device's rate in the catalogue. */
static ComputeRate rate_of(const GpuModel *gpu, int32_t ranks_on_gpu)
{
    return (ComputeRate){.peak_flops = gpu->peak_flops / ranks_on_gpu,
                         .efficiency_ppm = gpu->efficiency_ppm};
}

static int64_t flops_ns(const StepCompute *compute, int64_t flops)
{
    return bounded_at_rate_ns(flops, compute->flops_per_s);
}

static int64_t training_flops(const Program *program)
{
    return bounded_times(program->network->training_flops_per_sample, program->batch_per_rank);
}

/* Sets flops_per_s so that the operations of a batch take the estimated step without the update and
 * the framework's overhead. */
static void rate_as_measured(StepCompute *compute)
{
    const int64_t step_ns = bounded_times(compute->estimate.step_ns, compute->ranks_on_gpu);
    const int64_t update_ns = step_compute_update_ns(compute);
    const int64_t rest_ns = step_ns > update_ns ? step_ns - update_ns : 1;
    if (compute->overhead_ns > rest_ns / 2)
        compute->overhead_ns = rest_ns / 2; // the stated overhead is too large for this step
    compute->flops_per_s =
        bounded_part(training_flops(compute->program), NS_PER_S, rest_ns - compute->overhead_ns);
}

StepCompute step_compute(const Program *program, const VmSize *vm_size, int32_t ranks_on_node)
{
    StepCompute compute = {.program = program,
                           .gpu = vm_size->gpu,
                           .ranks_on_gpu = busiest_share(ranks_on_node, vm_size->gpus),
                           .ranks_on_node = ranks_on_node,
                           .overhead_ns = program->framework->step_overhead_ns};
    compute.estimate = step_estimate(program, vm_size->gpu);
    if (compute.estimate.basis == STEP_BASIS_STAGES)
        return compute;
    const ComputeRate rate = rate_of(compute.gpu, compute.ranks_on_gpu);
    compute.flops_per_s = mul_div(rate.peak_flops, rate.efficiency_ppm, PPM);
    if (compute.estimate.basis != STEP_BASIS_CONSTANTS)
        rate_as_measured(&compute);
    return compute;
}

/* Operations of the forward pass: a multiply-add is two. */
static int64_t forward_flops(const StepCompute *compute, int64_t samples)
{
    return bounded_times(bounded_times(2, compute->program->network->forward_macs_per_sample),
                         samples);
}

/* --- Both kinds of devices --- */

/* The forward pass of one batch, with the loss. */
static int64_t forward_ns(const StepCompute *compute)
{
    return compute->gpu->times
               ? measured_pass_ns(compute, PASS_FORWARD)
               : flops_ns(compute, forward_flops(compute, compute->program->batch_per_rank));
}

int64_t step_compute_ns(const StepCompute *compute)
{
    if (compute->gpu->times)
        return bounded_add(bounded_add(step_compute_input_ns(compute), compute->overhead_ns),
                           bounded_add(forward_ns(compute), step_compute_backward_ns(compute)));
    return bounded_add(flops_ns(compute, training_flops(compute->program)), compute->overhead_ns);
}

int64_t step_compute_backward_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    if (compute->gpu->times)
        return measured_pass_ns(compute, PASS_BACKWARD);
    return flops_ns(compute,
                    training_flops(program) - forward_flops(compute, program->batch_per_rank));
}

int64_t step_compute_update_ns(const StepCompute *compute)
{
    const Program *program = compute->program;
    const LayerRates rates = rates_of(compute);
    if (compute->gpu->times)
        return layer_rates_update_ns(&rates, program->network);
    return compute_ns(rate_of(compute->gpu, compute->ranks_on_gpu),
                      bounded_times(program->framework->update_flops_per_parameter,
                                    program->network->parameters));
}

int64_t step_compute_alone_exchange_ns(const StepCompute *compute)
{
    return compute->estimate.alone_ns;
}

int64_t step_compute_evaluate_ns(const StepCompute *compute, int64_t samples)
{
    const Program *program = compute->program;
    int64_t batches = divide_up(samples, program->batch_per_rank);
    int64_t passes_ns = compute->gpu->times ? bounded_part(measured_pass_ns(compute, PASS_FORWARD),
                                                           samples, program->batch_per_rank)
                                            : flops_ns(compute, forward_flops(compute, samples));
    return bounded_add(passes_ns, bounded_times(batches, compute->overhead_ns));
}
