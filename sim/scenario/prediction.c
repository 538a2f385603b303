#include "sim/scenario/prediction.h"

#include <math.h>

#include "sim/base/units.h"
#include "sim/core/step_compute.h"

/* --- What is asked for --- */

static Place asked(void)
{
    return place_in("trainyard predict", 0, 0);
}

static bool fail_unknown(const Catalog *catalog, CatalogSection section, const char *name,
                         Status *status)
{
    int32_t count;
    const char *const *names = catalog_names(catalog, section, &count);
    const char *nearest = nearest_name(name, names, count);
    status_fail(status, STATUS_BAD_INPUT, asked(), "\"%s\" is not among the %s of the catalogue",
                name, catalog_section_name(section));
    if (nearest != NULL)
        return status_hint(status, "did you mean \"%s\"?", nearest);
    return false;
}

static bool find_pieces(const Catalog *catalog, const PredictionRequest *request,
                        Prediction *prediction, Status *status)
{
    prediction->network = catalog_network(catalog, request->network);
    prediction->vm_size = catalog_vm_size(catalog, request->vm_size);
    prediction->stack = catalog_stack(catalog, request->stack);
    if (prediction->network == NULL)
        return fail_unknown(catalog, CATALOG_NETWORKS, request->network, status);
    if (prediction->vm_size == NULL)
        return fail_unknown(catalog, CATALOG_VM_SIZES, request->vm_size, status);
    if (prediction->stack == NULL)
        return fail_unknown(catalog, CATALOG_STACKS, request->stack, status);
    return prediction->vm_size->gpu != NULL ||
           status_fail(status, STATUS_BAD_INPUT, asked(), "%s has no GPU",
                       prediction->vm_size->name);
}

static const ExchangeMethod *exchange_by(const SoftwareStack *stack, Collective collective)
{
    switch (collective) {
    case COLLECTIVE_MPI_HOST:
        return stack->mpi_host;
    case COLLECTIVE_NCCL:
        return stack->nccl;
    case COLLECTIVE_ANY:
    case COLLECTIVE_COUNT:
        break;
    }
    return NULL;
}

const char *collective_name(Collective collective)
{
    static const char *const names[] = {
#define X(name, text) text,
        COLLECTIVES(X)
#undef X
    };
    return collective == COLLECTIVE_ANY ? NULL : names[collective];
}

static bool choose_exchange(Collective asked_for, Prediction *prediction, Status *status)
{
    const SoftwareStack *stack = prediction->stack;
    prediction->collective = asked_for;
    for (int i = 0; i < COLLECTIVE_COUNT && prediction->collective == COLLECTIVE_ANY; i++)
        if (exchange_by(stack, (Collective)i) != NULL)
            prediction->collective = (Collective)i;
    prediction->exchange = exchange_by(stack, prediction->collective);
    if (prediction->exchange != NULL)
        return true;
    if (asked_for != COLLECTIVE_ANY)
        return status_fail(status, STATUS_BAD_INPUT, asked(), "%s does not exchange by %s",
                           stack->name, collective_name(asked_for));
    if (prediction->gpus == 1)
        return true;
    status_fail(status, STATUS_BAD_INPUT, asked(), "%s trains on one GPU, not on %d", stack->name,
                (int)prediction->gpus);
    return status_hint(status, "software with an exchange has it in its name: "
                               "\"tf1.8-horovod0.13.2\"");
}

/* --- The step --- */

/* Nothing but steps; the exchange of a process that has none is never asked. */
static Program program_of(const Catalog *catalog, const Prediction *prediction)
{
    static const DataSet synthetic = {.name = "synthetic", .train_samples = 1, .test_samples = 1};
    static const ExchangeMethod none = {.name = "none",
                                        .fusion_bytes = 1,
                                        .reduce_bytes_per_s = 1,
                                        .network_efficiency_ppm = PPM};
    return (Program){
        .kind = PROGRAM_TRAIN,
        .name = prediction->network->name,
        .network = prediction->network,
        .data_set = &synthetic,
        .framework = prediction->stack->framework,
        .exchange = prediction->exchange != NULL ? prediction->exchange : &none,
        .throughputs = catalog_throughputs(catalog),
        .step_jitter_ppm = *prediction->stack->jitter,
        .batch_per_rank = prediction->batch,
        .epochs = 1,
        .steps_per_epoch = 1,
    };
}

/* As independent errors add up; see the header. */
static int64_t uncertainty_ppm(const Prediction *prediction)
{
    const StepParts *parts = &prediction->parts;
    // What one process exchanges with itself was measured with its step.
    const double exchange_error = prediction->gpus == 1 ? 0 : 1.0 / 3;
    const int64_t measured_ns = parts->compute_ns + parts->update_ns + parts->input_ns +
                                (prediction->gpus == 1 ? parts->exchange_ns : 0);
    const double compute = (double)measured_ns * (double)prediction->estimate.error_ppm / PPM;
    const double exchange = (double)parts->exchange_ns * exchange_error;
    const double wait = (double)parts->wait_ns;
    return (int64_t)(sqrt(compute * compute + exchange * exchange + wait * wait) * PPM /
                     (double)prediction->step_ns);
}

bool prediction_make(const Catalog *catalog, PredictionRequest request, Prediction *prediction,
                     Status *status)
{
    *prediction = (Prediction){.gpus = request.gpus, .batch = request.batch};
    if (!find_pieces(catalog, &request, prediction, status) ||
        !choose_exchange(request.collective, prediction, status))
        return false;
    const int32_t on_node = prediction->vm_size->gpus;
    prediction->nodes = request.gpus / on_node + (request.gpus % on_node != 0);
    const Program program = program_of(catalog, prediction);
    const JobSpec job = {
        .program = &program, .nodes = prediction->nodes, .processes = request.gpus};
    if (!training_check(&job, prediction->vm_size, asked(), status))
        return false;
    const StepPlan plan =
        step_plan(&program, prediction->vm_size, prediction->nodes, request.gpus);
    prediction->parts = step_parts_mean(&plan);
    prediction->step_ns = step_parts_sum(prediction->parts);
    prediction->micro_images_per_s =
        mul_div(request.gpus * request.batch * PPM, NS_PER_S, prediction->step_ns);
    prediction->estimate = step_estimate(&program, prediction->vm_size->gpu);
    prediction->uncertainty_ppm = uncertainty_ppm(prediction);
    return true;
}
