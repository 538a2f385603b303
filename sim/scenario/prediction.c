#include "sim/scenario/prediction.h"

#include <math.h>

#include "sim/base/units.h"
#include "sim/cloud/training/step_compute.h"
#include "sim/cloud/training/step_memory.h"

/* --- The request --- */

static Place place_of_request(void)
{
    return place_in("trainyard: predict", 0, 0);
}

static bool fail_unknown(const Catalog *catalog, CatalogSection section, const char *name,
                         Status *status)
{
    int32_t count;
    const char *const *names = catalog_names(catalog, section, &count);
    status_fail(status, STATUS_BAD_INPUT, place_of_request(),
                "\"%s\" is not among the %s of the catalogue", name, catalog_section_name(section));
    return status_hint_names(status, name, names, count);
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
    return (prediction->vm_size->gpu != NULL && prediction->vm_size->gpus > 0) ||
           status_fail(status, STATUS_BAD_INPUT, place_of_request(), "%s has no GPU",
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
        return status_fail(status, STATUS_BAD_INPUT, place_of_request(),
                           "%s does not exchange by %s", stack->name, collective_name(asked_for));
    if (prediction->gpus == 1)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_of_request(), "%s trains on one GPU, not on %d",
                stack->name, (int)prediction->gpus);
    return status_hint(status, "software with an exchange has it in its name: "
                               "\"tf1.8-horovod0.13.2\"");
}

const char *wire_name(Wire wire)
{
    static const char *const names[] = {
#define X(name, text) text,
        WIRES(X)
#undef X
    };
    return wire == WIRE_ANY ? NULL : names[wire];
}

static bool check_wire(Wire asked_for, const VmSize *size, Status *status)
{
    if (asked_for != WIRE_IB_FDR || size->rdma_bytes_per_s > 0)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_of_request(), "%s has no InfiniBand", size->name);
    return status_hint(status, "sizes with it have an r after their number: Standard_NC24r");
}

static Wire choose_wire(Wire asked_for, const Prediction *prediction)
{
    if (asked_for != WIRE_ANY)
        return asked_for;
    const ExchangeMethod *exchange = prediction->exchange;
    const bool takes_infiniband =
        exchange != NULL && exchange->uses_rdma && prediction->vm_size->rdma_bytes_per_s > 0;
    return takes_infiniband ? WIRE_IB_FDR : WIRE_ETHERNET;
}

/* --- The step --- */

/* The exchange over the chosen wire. A single node uses no wire between nodes. But an exchange that
 * connects ranks of one node through their adapter does so only if it also uses InfiniBand between
 * nodes. */
static ExchangeMethod exchange_over(const Prediction *prediction, Wire wire)
{
    static const ExchangeMethod none = {.name = "none"}; // for one process, which exchanges nothing
    ExchangeMethod exchange = prediction->exchange != NULL ? *prediction->exchange : none;
    exchange.uses_rdma = wire == WIRE_IB_FDR;
    return exchange;
}

/* A program that only performs steps. */
static Program program_of(const Catalog *catalog, const Prediction *prediction,
                          const ExchangeMethod *exchange)
{
    static const DataSet synthetic = {.name = "synthetic", .train_samples = 1, .test_samples = 1};
    Throughputs throughputs = catalog_throughputs(catalog);
    throughputs.replaces_constants = true; // each constant was derived from one network
    return (Program){
        .kind = PROGRAM_TRAIN,
        .name = prediction->network->name,
        .network = prediction->network,
        .data_set = &synthetic,
        .framework = prediction->stack->framework,
        .exchange = exchange,
        .throughputs = throughputs,
        .step_jitter_ppm = *prediction->stack->jitter,
        .batch_per_rank = prediction->batch,
        .epochs = 1,
        .steps_per_epoch = 1,
    };
}

/* The error of the exchange's time, as a part of it. */
static double exchange_error_of(const Prediction *prediction)
{
    return 0.5 + (double)prediction->exchange->extra_error_ppm / PPM;
}

/* How much longer the exchange takes, as a part of its time, if static routes of InfiniBand meet.
 * Two nodes have one route each way. On more nodes, all but two routes may meet others. */
static double contention_of(const Prediction *prediction)
{
    const int64_t left_ppm = prediction->exchange->rdma_contended_ppm;
    if (!prediction_may_contend(prediction))
        return 0;
    return ((double)PPM / (double)left_ppm - 1) * (1 - 2.0 / prediction->nodes);
}

bool prediction_may_contend(const Prediction *prediction)
{
    return prediction->wire == WIRE_IB_FDR && prediction->nodes > 2 &&
           prediction->exchange->rdma_contended_ppm > 0;
}

int64_t prediction_rings_spread_ppm(const Prediction *prediction)
{
    const bool has_rings =
        prediction->wire == WIRE_ETHERNET && prediction->collective == COLLECTIVE_NCCL;
    return has_rings ? prediction->vm_size->gpu->rings_spread_ppm : 0;
}

/* The sum of the independent errors that the header lists. */
static int64_t uncertainty_ppm(const Prediction *prediction)
{
    const StepParts *parts = &prediction->parts;
    const bool is_alone = prediction->gpus == 1;
    const double exchange_ns = is_alone ? 0 : (double)parts->exchange_ns;
    // The exchange of a single process was measured as part of its step, or has its own error.
    const bool has_own_error = !is_alone || prediction->estimate.alone_error_ns > 0;
    const int64_t measured_ns = parts->input_ns + parts->compute_ns + parts->update_ns +
                                (has_own_error ? 0 : parts->exchange_ns);
    const double errors_ns[] = {
        (double)measured_ns * (double)prediction->estimate.error_ppm / PPM,
        is_alone ? (double)prediction->estimate.alone_error_ns : 0,
        is_alone ? 0 : exchange_error_of(prediction) * exchange_ns,
        is_alone ? 0 : contention_of(prediction) * exchange_ns,
        (double)parts->wait_ns,
        is_alone ? 0 : 0.05 * (double)prediction->step_ns,
        (double)prediction_rings_spread_ppm(prediction) * (double)prediction->step_ns / PPM,
    };
    double squares = 0;
    for (size_t i = 0; i < sizeof errors_ns / sizeof errors_ns[0]; i++)
        squares += errors_ns[i] * errors_ns[i];
    return (int64_t)(sqrt(squares) * PPM / (double)prediction->step_ns);
}

bool prediction_make(const Catalog *catalog, PredictionRequest request, Prediction *prediction,
                     Status *status)
{
    *prediction = (Prediction){.gpus = request.gpus, .batch = request.batch};
    if (!find_pieces(catalog, &request, prediction, status))
        return false;
    const RankPlaces places = rank_places_filled(prediction->vm_size, request.gpus);
    prediction->nodes = places.nodes;
    if (!choose_exchange(request.collective, prediction, status) ||
        !check_wire(request.wire, prediction->vm_size, status))
        return false;
    const Wire wire = choose_wire(request.wire, prediction);
    prediction->wire = places.nodes > 1 ? wire : WIRE_ANY;
    const ExchangeMethod exchange = exchange_over(prediction, wire);
    prediction->loops_back = exchange.uses_rdma && exchange.loops_back;
    prediction->is_forced = prediction->wire == WIRE_IB_FDR && !prediction->exchange->uses_rdma;
    const Program program = program_of(catalog, prediction, &exchange);
    if (!training_check_places(&program, prediction->vm_size, places, place_of_request(), status))
        return false;
    const StepPlan plan = step_plan(&program, prediction->vm_size, places);
    prediction->parts = step_parts_mean(&plan);
    prediction->step_ns = step_parts_sum(prediction->parts);
    const double images_per_s =
        (double)request.gpus * (double)request.batch * NS_PER_S / (double)prediction->step_ns;
    prediction->micro_images_per_s = (int64_t)(fmin(images_per_s, 9e12) * PPM);
    prediction->estimate = step_estimate(&program, prediction->vm_size->gpu);
    prediction->uncertainty_ppm = uncertainty_ppm(prediction);
    prediction->memory_least_bytes = step_memory_least_bytes(prediction->network, request.batch);
    prediction->batch_most = step_memory_batch_most(prediction->network, request.batch,
                                                    prediction->vm_size->gpu->memory_bytes);
    prediction->may_fit = prediction->batch_most == request.batch;
    return true;
}
