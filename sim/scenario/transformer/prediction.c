#include "sim/scenario/transformer/prediction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/transformer/layout.h"

/* The error of communication between nodes, as a part of it: rates were measured on two clusters.
 */
#define BETWEEN_NODES_ERROR 0.5

static bool fail_unknown(const Catalog *catalog, Place at, CatalogSection section, const char *name,
                         Status *status)
{
    int32_t count;
    const char *const *names = catalog_names(catalog, section, &count);
    status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not among the %s of the catalogue", name,
                catalog_section_name(section));
    return status_hint_names(status, name, names, count);
}

static bool check_gpus(const TransformerRequest *request, const VmSize *size, Status *status)
{
    if (request->gpus <= size->gpus || request->gpus % size->gpus == 0)
        return true;
    status_fail(status, STATUS_BAD_INPUT, request->at, "%d GPUs are not whole nodes of %d",
                (int)request->gpus, (int)size->gpus);
    return status_hint(status, "use %d or %d", (int)(request->gpus / size->gpus * size->gpus),
                       (int)((request->gpus / size->gpus + 1) * size->gpus));
}

/* The network between nodes: InfiniBand if the size has it. */
static bool choose_fabric(const Catalog *catalog, const TransformerRequest *request,
                          const VmSize *size, TransformerMachine *machine, Status *status)
{
    const Wire asked_for = request->wire;
    const bool has_infiniband = size->rdma_bytes_per_s > 0;
    if (asked_for == WIRE_IB_FDR && !has_infiniband)
        return status_fail(status, STATUS_BAD_INPUT, request->at, "%s has no InfiniBand",
                           size->name);
    const bool takes_infiniband = asked_for != WIRE_ETHERNET && has_infiniband;
    const char *name = takes_infiniband ? "infiniband" : "ethernet";
    machine->fabric = catalog_transformer_fabric(catalog, name);
    // One port for each GPU; the Ethernet is one for all.
    machine->port_bytes_per_s = takes_infiniband ? size->rdma_bytes_per_s
                                                 : (size->network_bytes_per_s - 1) / size->gpus + 1;
    return machine->fabric != NULL ||
           fail_unknown(catalog, request->at, CATALOG_TRANSFORMER_FABRICS, name, status);
}

/* The routing of a model with experts, and its imbalance if the model states none. */
static bool choose_routing(const Catalog *catalog, Place at, TransformerPrediction *prediction,
                           Status *status)
{
    static const char name[] = "any";
    TransformerExperts *experts = &prediction->job.shape.experts;
    if (!transformer_has_experts(&prediction->job.shape))
        return true;
    const TransformerRouting *routing = catalog_transformer_routing(catalog, name);
    if (routing == NULL)
        return fail_unknown(catalog, at, CATALOG_TRANSFORMER_ROUTING, name, status);
    prediction->machine.routing = routing;
    if (experts->imbalance_ppm == 0)
        experts->imbalance_ppm = routing->imbalance_ppm;
    return true;
}

static bool find_machine(const Catalog *catalog, const TransformerRequest *request,
                         TransformerPrediction *prediction, Status *status)
{
    const VmSize *size = catalog_vm_size(catalog, request->vm_size);
    TransformerMachine *machine = &prediction->machine;
    if (size == NULL)
        return fail_unknown(catalog, request->at, CATALOG_VM_SIZES, request->vm_size, status);
    if (size->gpu == NULL || size->gpus == 0)
        return status_fail(status, STATUS_BAD_INPUT, request->at, "%s has no GPU", size->name);
    machine->gpu = catalog_transformer_gpu(catalog, size->gpu->name);
    machine->software = catalog_transformer_software(catalog, request->software);
    machine->memory_bytes = size->gpu->memory_bytes;
    if (machine->gpu == NULL)
        return fail_unknown(catalog, request->at, CATALOG_TRANSFORMER_GPUS, size->gpu->name,
                            status);
    if (machine->software == NULL)
        return fail_unknown(catalog, request->at, CATALOG_TRANSFORMER_SOFTWARE, request->software,
                            status);
    prediction->vm_size = size;
    prediction->nodes = (request->gpus - 1) / size->gpus + 1;
    return check_gpus(request, size, status) &&
           choose_fabric(catalog, request, size, machine, status);
}

/* No layout of the text keeps the rules. */
static bool fail_broken(const TransformerRequest *request, const TransformerPrediction *prediction,
                        Status *status)
{
    const TransformerShape *shape = &prediction->job.shape;
    char experts[64] = "";
    if (transformer_has_experts(shape))
        snprintf(experts, sizeof experts, ", %lld experts of width %lld",
                 (long long)shape->experts.count, (long long)shape->experts.mlp);
    status_fail(status, STATUS_BAD_INPUT, request->layout_at, "%s: %s", request->layout,
                prediction->search.problem);
    return status_hint(status,
                       "there are %d GPUs, %lld layers, %lld heads, MLPs of width %lld%s; \"best\" "
                       "finds the possible layouts",
                       (int)prediction->job.gpus, (long long)shape->layers, (long long)shape->heads,
                       (long long)shape->mlp, experts);
}

/* --- The nearest layout that fits --- */

/* How many choices two layouts do not share. */
static int32_t distance(const TransformerLayout *a, const TransformerLayout *b)
{
    return (a->tensor != b->tensor) + (a->context != b->context) + (a->pipeline != b->pipeline) +
           (a->chunks != b->chunks) + (a->sharding != b->sharding) +
           (a->recompute != b->recompute) + (a->micro_batch != b->micro_batch) +
           (a->expert != b->expert) + (a->divides_experts != b->divides_experts);
}

/* The choices that may change: those of experts come last, and matter only if there are some. */
enum { FREE_CHOICES = 7, FREE_CHOICES_WITH_EXPERTS = 9 };

/* A text of the choices of `wanted`, without those whose bit is in `freed`. */
static void space_narrow(LayoutSpace *space, const TransformerLayout *wanted, uint32_t freed)
{
    const struct {
        Choices *choices;
        int64_t value;
    } dimensions[] = {
        {&space->tensor, wanted->tensor},
        {&space->context, wanted->context},
        {&space->pipeline, wanted->pipeline},
        {&space->chunks, wanted->chunks},
        {&space->sharding, wanted->sharding},
        {&space->recompute, wanted->recompute},
        {&space->micro_batch, wanted->micro_batch},
        {&space->expert, wanted->expert},
        {&space->divides_experts, wanted->divides_experts},
    };
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++)
        if (!(freed & 1u << i))
            *dimensions[i].choices = (Choices){1, {dimensions[i].value}};
}

static int32_t bits_of(uint32_t set)
{
    int32_t count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

/* Tries to change one choice, then two, and so on. */
static void find_alternative(TransformerPrediction *prediction, const LayoutSpace *every)
{
    const TransformerLayout *wanted = &prediction->search.least.layout;
    const int32_t choices =
        transformer_has_experts(&prediction->job.shape) ? FREE_CHOICES_WITH_EXPERTS : FREE_CHOICES;
    for (int32_t changed = 1; changed <= choices && !prediction->has_alternative; changed++) {
        for (uint32_t freed = 1; freed < 1u << choices; freed++) {
            LayoutSpace space = *every;
            LayoutSearch found;
            if (bits_of(freed) != changed)
                continue;
            space_narrow(&space, wanted, freed);
            layouts_search(&prediction->job, &prediction->machine, &space, 1, &found);
            if (found.count == 0 || distance(&found.ranked[0].layout, wanted) > changed)
                continue;
            if (!prediction->has_alternative ||
                found.ranked[0].step.step_s < prediction->alternative.step.step_s)
                prediction->alternative = found.ranked[0];
            prediction->has_alternative = true;
        }
    }
}

bool transformer_prediction_make(const Catalog *catalog, const TransformerRequest *request,
                                 TransformerPrediction *prediction, Status *status)
{
    enum { RANKED = 10 };
    *prediction = (TransformerPrediction){.model = request->model};
    if (!find_machine(catalog, request, prediction, status))
        return false;
    prediction->job = (TransformerJob){.shape = request->shape,
                                       .gpus = request->gpus,
                                       .gpus_per_node = prediction->vm_size->gpus,
                                       .global_batch = request->global_batch};
    if (!choose_routing(catalog, request->at, prediction, status))
        return false;
    const Piece text = {request->layout, strlen(request->layout), request->layout_at};
    LayoutSpace space, every;
    if (!layout_space_read(text, &prediction->job, &prediction->machine, &space, status))
        return false;
    layouts_search(&prediction->job, &prediction->machine, &space, RANKED, &prediction->search);
    if (prediction->search.valid == 0)
        return fail_broken(request, prediction, status);
    prediction->fits = prediction->search.count > 0;
    if (prediction->fits)
        return true;
    const char *best = space.precision == PRECISION_FP8 ? "best,fp8" : "best";
    if (!layout_space_read(piece_of("best", best, strlen(best)), &prediction->job,
                           &prediction->machine, &every, status))
        return false;
    every.has_flash_attention = space.has_flash_attention;
    every.sequence_parallel = space.sequence_parallel;
    find_alternative(prediction, &every);
    return true;
}

/* The next number of nodes that is tried. */
static int32_t next_nodes(int32_t nodes)
{
    int32_t step = 1;
    while (16 * step <= nodes)
        step *= 2;
    return nodes / step * step + step;
}

bool transformer_prediction_within(const Catalog *catalog, const TransformerRequest *request,
                                   double tokens, double days, TransformerPrediction *prediction,
                                   Status *status)
{
    const VmSize *size = catalog_vm_size(catalog, request->vm_size);
    TransformerRequest tried = *request;
    const int32_t nodes_most =
        size != NULL && size->gpus > 0 ? TRANSFORMER_GPUS_MOST / size->gpus : 1;
    for (int32_t nodes = 1; nodes <= nodes_most; nodes = next_nodes(nodes)) {
        Status broken = {0};
        tried.gpus = size != NULL && size->gpus > 0 ? nodes * size->gpus : 1;
        const bool is_made = transformer_prediction_make(catalog, &tried, prediction, &broken);
        if (!is_made && prediction->search.combinations == 0) { // not the fault of the number
            *status = broken;
            return false;
        }
        if (is_made && prediction->fits &&
            transformer_days(prediction, prediction->search.ranked[0].step.step_s, tokens) <= days)
            return true;
    }
    status_fail(status, STATUS_BAD_INPUT, request->at,
                "no number of nodes of %s trains %s in that time", request->vm_size,
                request->model);
    return status_hint(status, "a larger --global-batch can be divided among more GPUs");
}

double transformer_uncertainty(const TransformerMachine *machine, const TransformerStep *step)
{
    const double software = (double)machine->software->error_ppm / PPM;
    const double between = BETWEEN_NODES_ERROR * step->between_nodes_s / step->step_s;
    const double unmeasured =
        machine->routing != NULL ? (double)machine->routing->error_ppm / PPM / 2 : 0;
    return 2 * sqrt(software * software + between * between + unmeasured * unmeasured);
}

double transformer_days(const TransformerPrediction *prediction, double step_s, double tokens)
{
    enum { SECONDS_OF_DAY = 86400 };
    return tokens / transformer_tokens_per_s(&prediction->job, step_s) / SECONDS_OF_DAY;
}
