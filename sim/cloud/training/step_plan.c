#include "sim/cloud/training/step_plan.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/training/step_compute.h"
#include "sim/cloud/training/step_exchange.h"
#include "sim/model/bounded.h"
#include "sim/model/compute.h"

RankPlaces rank_places_spread(int32_t nodes, int32_t ranks)
{
    return (RankPlaces){
        .nodes = nodes, .ranks = ranks, .ranks_on_fullest = busiest_share(ranks, nodes)};
}

RankPlaces rank_places_filled(const VmSize *vm_size, int32_t gpus)
{
    return (RankPlaces){.nodes = busiest_share(gpus, vm_size->gpus),
                        .ranks = gpus,
                        .ranks_on_fullest = gpus < vm_size->gpus ? gpus : vm_size->gpus};
}

int64_t plan_epoch_steps(const StepPlan *plan, int64_t epoch)
{
    return plan_steps(plan, epoch, epoch + 1);
}

int64_t plan_steps(const StepPlan *plan, int64_t first, int64_t end)
{
    const int64_t missing = first < end && end == plan->epochs ? plan->missing_steps : 0;
    return bounded_times(end - first, plan->steps_per_epoch) - missing;
}

static StepPlan transformer_plan(const Program *program)
{
    const TransformerTraining *transformer = program->transformer;
    return (StepPlan){.ranks = transformer->gpus,
                      .epochs = program->epochs,
                      .steps_per_epoch = program->steps_per_epoch,
                      .missing_steps = program->missing_steps,
                      .compute_ns = transformer->compute_ns,
                      .bubble_ns = transformer->bubble_ns,
                      .exchange_ns = transformer->exchange_ns,
                      .update_ns = transformer->update_ns,
                      .jitter_ppm = program->step_jitter_ppm};
}

StepPlan step_plan(const Program *program, const VmSize *vm_size, RankPlaces places)
{
    invariant(program->kind == PROGRAM_TRAIN);
    invariant(vm_size->gpu != NULL);
    invariant(vm_size->gpus > 0);
    invariant(places.nodes >= 1);
    invariant(places.ranks >= 1);
    if (program->transformer != NULL)
        return transformer_plan(program);
    const Framework *framework = program->framework;
    StepCompute compute = step_compute(program, vm_size, places.ranks_on_fullest);
    InputPipeline input = {.cpu_ns_per_sample = framework->input_cpu_ns_per_sample,
                           .parallelism_ppm = framework->input_parallelism_ppm,
                           .ranks_on_node = places.ranks_on_fullest,
                           .vcpus = vm_size->vcpus};
    int64_t test_samples = program->evaluates_at_end ? program->data_set->test_samples : 0;
    StepPlan plan = {.ranks = places.ranks,
                     .epochs = program->epochs,
                     .steps_per_epoch = program->steps_per_epoch,
                     .missing_steps = program->missing_steps,
                     .input_ns = input_batch_ns(input, program->batch_per_rank),
                     .compute_ns = step_compute_ns(&compute),
                     .update_ns = step_compute_update_ns(&compute),
                     .evaluate_ns = step_compute_evaluate_ns(&compute, program->evaluate_samples),
                     .final_evaluate_ns = step_compute_evaluate_ns(&compute, test_samples),
                     .jitter_ppm = program->step_jitter_ppm};
    step_exchange(&compute, vm_size, places.nodes, &plan);
    // Each of several processes has at least the costs of a single one (copies, cycles, hooks).
    const int64_t alone_ns = step_compute_alone_exchange_ns(&compute);
    if (plan.exchange_ns < alone_ns)
        plan.exchange_ns = alone_ns;
    return plan;
}

/* Limits from the addresses of random draws and from the arithmetic on hits. */
#define RANKS_MAX (INT64_C(1) << 16)
#define STEPS_MAX (INT64_C(1) << 32)
#define EPOCHS_MAX (INT64_C(1) << 24)
#define SAMPLES_PER_EPOCH_MAX (INT64_C(1) << 42)
#define DURATION_MAX_NS (INT64_C(1) << 62)

/* The time of all steps and evaluations. `own_ns` is the time of a step before the exchange. */
static int64_t whole_ns(const StepPlan *plan, int64_t own_ns)
{
    const int64_t rest_ns = bounded_add(plan->exchange_ns, plan->update_ns);
    const int64_t step_ns = bounded_add(own_ns, bounded_add(plan->bubble_ns, rest_ns));
    const int64_t steps_ns = bounded_times(step_ns, plan_steps(plan, 0, plan->epochs));
    return bounded_add(bounded_add(steps_ns, bounded_times(plan->evaluate_ns, plan->epochs)),
                       plan->final_evaluate_ns);
}

/* The longest possible time: in each step the slowest rank has the largest factor. */
static int64_t longest_ns(const StepPlan *plan)
{
    const QuantileKnot *slowest = &plan->jitter_ppm.knots[plan->jitter_ppm.count - 1];
    int64_t own_ns = bounded_add(plan->input_ns, plan->compute_ns);
    return whole_ns(plan, bounded_part(own_ns, slowest->value > PPM ? slowest->value : PPM, PPM));
}

bool program_can_resume(const Program *program)
{
    return program->resumes && program->checkpoint_bytes > 0 &&
           program->checkpoint_place == PLACE_SHARE;
}

int64_t program_least_ns(const JobSpec *spec, const VmSize *vm_size)
{
    const Program *program = spec->program;
    if (program->kind == PROGRAM_FIXED)
        return distribution_at(program->duration, 0);
    if (program->kind != PROGRAM_TRAIN)
        return 0;
    StepPlan plan = step_plan(program, vm_size, rank_places_spread(spec->nodes, spec->processes));
    return whole_ns(&plan, bounded_part(plan.compute_ns, plan.jitter_ppm.knots[0].value, PPM));
}

/* A training that shares its nodes has separate GPUs for its ranks. */
static bool check_gpus(const JobSpec *spec, const VmSize *vm_size, Place at, Status *status)
{
    const JobRequest request = job_spec_request(spec, vm_size->gpus);
    const int32_t least = request_part(request, request.nodes - 1, vm_size->gpus);
    const int32_t most = rank_places_spread(request.nodes, spec->processes).ranks_on_fullest;
    if (spec->asks_for == REQUEST_NODES || most <= least)
        return true;
    status_fail(status, STATUS_BAD_INPUT, at,
                "program \"%s\" trains with %d ranks on a node, where the job has %d GPUs",
                spec->program->name, (int)most, (int)least);
    return status_hint(status, "ranks spread evenly over nodes; ask for \"gpus_per_node\"");
}

bool training_check(const JobSpec *spec, const VmSize *vm_size, Place at, Status *status)
{
    const int32_t nodes = job_spec_request(spec, vm_size->gpus).nodes;
    return spec->program->kind != PROGRAM_TRAIN ||
           (check_gpus(spec, vm_size, at, status) &&
            training_check_places(spec->program, vm_size,
                                  rank_places_spread(nodes, spec->processes), at, status));
}

static bool check_network(const Program *program, const VmSize *vm_size, RankPlaces places,
                          Place at, Status *status)
{
    const StepCompute compute = step_compute(program, vm_size, places.ranks_on_fullest);
    return step_compute_check(&compute, at, status) &&
           step_exchange_check(program, places.nodes, places.ranks, at, status);
}

/* A transformer needs the nodes of its plan, and a rank on each GPU. */
static bool check_transformer(const Program *program, const VmSize *vm_size, RankPlaces places,
                              Place at, Status *status)
{
    const TransformerTraining *planned = program->transformer;
    if (planned->vm_size != vm_size)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "program \"%s\" is planned for nodes of %s, not of %s", program->name,
                           planned->vm_size->name, vm_size->name);
    return places.ranks == planned->gpus ||
           status_fail(status, STATUS_BAD_INPUT, at,
                       "program \"%s\" is planned for %d GPUs, not for %d ranks", program->name,
                       (int)planned->gpus, (int)places.ranks);
}

bool training_check_places(const Program *program, const VmSize *vm_size, RankPlaces places,
                           Place at, Status *status)
{
    invariant(program->kind == PROGRAM_TRAIN);
    if (vm_size->gpu == NULL || vm_size->gpus < 1)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "program \"%s\" trains on GPUs, but %s has none", program->name,
                           vm_size->name);
    const struct {
        const char *what;
        int64_t value;
        int64_t most;
    } counts[] = {
        {"ranks", places.ranks, RANKS_MAX},
        {"epochs", program->epochs, EPOCHS_MAX},
        {"steps", bounded_times(program->epochs, program->steps_per_epoch), STEPS_MAX},
        {"samples per epoch and rank",
         bounded_times(program->steps_per_epoch, program->batch_per_rank), SAMPLES_PER_EPOCH_MAX},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].value < 1 || counts[i].value > counts[i].most)
            return status_fail(status, STATUS_BAD_INPUT, at,
                               "program \"%s\": %lld %s, expected 1 to %lld", program->name,
                               (long long)counts[i].value, counts[i].what,
                               (long long)counts[i].most);
    if (program->transformer != NULL ? !check_transformer(program, vm_size, places, at, status)
                                     : !check_network(program, vm_size, places, at, status))
        return false;
    StepPlan plan = step_plan(program, vm_size, places);
    if (longest_ns(&plan) <= DURATION_MAX_NS)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "program \"%s\": its %lld steps take more than 146 years", program->name,
                       (long long)counts[2].value);
}
