#include "tools/trainyard/predict/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cli/json_file.h"
#include "sim/json/decimal.h"
#include "sim/model/bounded.h"
#include "sim/schema/plain.h"

/* --- The basis of a prediction --- */

enum { LINES_MAX = 16 };

typedef struct {
    Arena *arena;
    int32_t count;
    const char *items[LINES_MAX];
} Lines;

#define LINE(lines, ...)                                                                           \
    ((lines)->items[(lines)->count++] = arena_printf((lines)->arena, __VA_ARGS__))

static const char *decimal_text(Arena *arena, int64_t value, int32_t decimals, int32_t shown)
{
    Text text = {0};
    decimal_print_rounded(&text, value, decimals, shown);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void add_row(const Prediction *prediction, Lines *lines)
{
    const Throughput *row = prediction->estimate.row;
    LINE(lines, "measured: %s images/s with %s%s%s at batch %" PRId64 " on one %s, %s%s",
         decimal_text(lines->arena, row->micro_samples_per_s, 6, 2), row->framework->name,
         row->exchange != NULL ? " and one process of " : "",
         row->exchange != NULL ? row->exchange->name : "", row->batch, row->gpu->name, row->note,
         prediction->estimate.row_count > 1 ? ", the first of several" : "");
    LINE(lines, "source: %s", row->source);
    if (prediction->estimate.held_ns > 0)
        LINE(lines, "modelled: %s ms of that step are the cost of one process of %s",
             decimal_text(lines->arena, prediction->estimate.held_ns, 6, 2), row->exchange->name);
    if (prediction->estimate.is_other_batch)
        LINE(lines, "converted to batch %" PRId64 " on a line through the measurements",
             prediction->batch);
}

static void add_estimate(const Prediction *prediction, Lines *lines)
{
    const StepEstimate *estimate = &prediction->estimate;
    const char *framework = prediction->stack->framework->name;
    const char *factor = decimal_text(lines->arena, estimate->factor_ppm, 6, 2);
    switch (estimate->basis) {
    case STEP_BASIS_MEASURED:
        add_row(prediction, lines);
        break;
    case STEP_BASIS_SOFTWARE:
        add_row(prediction, lines);
        if (estimate->factor_ppm == 0)
            LINE(lines, "assumed: %s is as fast; no network was measured with both", framework);
        else
            LINE(lines,
                 "times %s: %s compared with that, the median of measurements with both on %s",
                 factor, framework, estimate->is_of_gpu ? "this GPU" : "other GPUs");
        break;
    case STEP_BASIS_ROOFLINE:
        LINE(lines,
             "computed: %s was not measured on one %s; for each layer the longer of arithmetic at "
             "the peak rate and memory traffic, times %s: the median of %" PRId32
             " measurements of %s",
             prediction->network->name, prediction->vm_size->gpu->name, factor, estimate->row_count,
             estimate->is_of_gpu ? "this GPU" : "other GPUs");
        break;
    case STEP_BASIS_STAGES:
        LINE(lines,
             "measured: the time of each kind of layer on %s; %s is assumed to add %s ms per step",
             prediction->vm_size->gpu->name, framework,
             decimal_text(lines->arena, prediction->stack->framework->step_overhead_ns, 6, 2));
        break;
    case STEP_BASIS_CONSTANTS:
        invariant(false); // rows replace them: prediction.c
    }
}

/* The cost of the exchange for one process without others. */
static void add_alone(const Prediction *prediction, Lines *lines)
{
    const StepEstimate *estimate = &prediction->estimate;
    if (prediction->exchange == NULL || estimate->alone_ns == 0)
        return;
    const char *name = prediction->exchange->name;
    const char *ms = decimal_text(lines->arena, estimate->alone_ns, 6, 2);
    if (estimate->alone_batch == 0) {
        if (estimate->alone_error_ns > 0) // else it is part of the measured step: see add_row
            LINE(lines, "modelled: a single process of %s adds %s ms", name, ms);
        return;
    }
    LINE(lines, "measured: a single process of %s adds %s ms at batch %" PRId64, name, ms,
         estimate->alone_batch);
    if (estimate->alone_batch != prediction->batch)
        LINE(lines, "assumed: the same at batch %" PRId64 ", as gradients have the same size",
             prediction->batch);
}

static const char *reason_of(const CatalogValue *value)
{
    return value->note[0] != '\0' ? value->note : value->source;
}

/* Adds the catalogue's value at `path`, after `label`, with its note or source. */
static void add_value(const Catalog *catalog, const char *path, const char *label, Lines *lines)
{
    const CatalogValue *value = catalog_value(catalog, path);
    LINE(lines, "%s: %s %s: %s", value->is_assumption ? "assumed" : "published", label,
         value->value, reason_of(value));
}

/* Adds why the uncertainty is larger than usual: the reason of the catalogue's value at `path`. */
static void add_doubt(const Catalog *catalog, const char *path, Lines *lines)
{
    LINE(lines, "uncertain: %s", reason_of(catalog_value(catalog, path)));
}

static void add_doubts(const Catalog *catalog, const Prediction *prediction, Lines *lines)
{
    const char *exchange = arena_printf(lines->arena, "exchanges/%s", prediction->exchange->name);
    if (prediction->exchange->extra_error_ppm > 0)
        add_doubt(catalog, arena_printf(lines->arena, "%s/extra_error", exchange), lines);
    if (prediction_may_contend(prediction))
        add_doubt(catalog, arena_printf(lines->arena, "%s/rdma_contended", exchange), lines);
    if (prediction_rings_spread_ppm(prediction) > 0)
        add_doubt(
            catalog,
            arena_printf(lines->arena, "gpus/%s/rings_spread", prediction->vm_size->gpu->name),
            lines);
}

/* The rate of the network that the exchange uses, and the assumption of a forced InfiniBand. */
static void add_wire(const Catalog *catalog, const Prediction *prediction, Lines *lines)
{
    const bool is_infiniband = prediction->wire == WIRE_IB_FDR || prediction->loops_back;
    add_value(catalog,
              arena_printf(lines->arena, "vm_sizes/%s/%s", prediction->vm_size->name,
                           is_infiniband ? "rdma_rate" : "network_rate"),
              is_infiniband ? "InfiniBand of" : "an Ethernet of", lines);
    if (!prediction->is_forced)
        return;
    const char *exchange = prediction->exchange->name;
    const char *uses_rdma = arena_printf(lines->arena, "exchanges/%s/uses_rdma", exchange);
    LINE(lines, "assumed: InfiniBand, although %s did not use it: %s", exchange,
         catalog_value(catalog, uses_rdma)->note);
    add_value(catalog, arena_printf(lines->arena, "exchanges/%s/rdma_efficiency", exchange),
              "an InfiniBand efficiency of", lines);
}

/* The model of the exchange between GPUs. */
static void add_exchange(const Catalog *catalog, const Prediction *prediction, Lines *lines)
{
    const bool has_wire = prediction->wire != WIRE_ANY;
    LINE(lines, "modelled: %s%s%s%s, from its source code and measured links",
         prediction->exchange->name, has_wire ? " over " : " on one node",
         has_wire ? wire_name(prediction->wire) : "",
         !prediction->loops_back ? ""
         : has_wire              ? ", and through the same adapter within a node"
                                 : ", through its InfiniBand adapter");
    if (has_wire || prediction->loops_back)
        add_wire(catalog, prediction, lines);
    if (prediction->wire == WIRE_ETHERNET && prediction->exchange->connection_bytes_per_s > 0)
        add_value(
            catalog,
            arena_printf(lines->arena, "exchanges/%s/connection_rate", prediction->exchange->name),
            "one ring reaches at most", lines);
    LINE(lines, "assumed: steps vary as on dedicated machines; images are in memory in time");
    add_doubts(catalog, prediction, lines);
}

static Lines basis_of(Arena *arena, const Catalog *catalog, const Prediction *prediction)
{
    Lines lines = {.arena = arena};
    add_estimate(prediction, &lines);
    add_alone(prediction, &lines);
    if (prediction->exchange != NULL && prediction->gpus > 1)
        add_exchange(catalog, prediction, &lines);
    return lines;
}

/* --- Printing --- */

static int64_t computing_ns(const Prediction *prediction)
{
    return prediction->parts.compute_ns + prediction->parts.update_ns;
}

static void print_part(const char *name, int64_t ns, const Prediction *prediction)
{
    Text text = {0};
    decimal_print_rounded(&text, ns, 6, 1);
    printf("  %-10s%12s ms%6.0f %%\n", name, text_string(&text),
           100 * (double)ns / (double)prediction->step_ns);
    text_free(&text);
}

/* Why the measurement below a prediction does not apply to other networks, GPUs or software, which
 * also limits the prediction; NULL: no such reason. The note of a row names the machine first. */
static const char *caveat_of(const Prediction *prediction)
{
    const Throughput *row = prediction->estimate.row;
    if (row == NULL || row->calibrates || row->note[0] == '\0')
        return NULL;
    const char *after_machine = strstr(row->note, ": ");
    return after_machine != NULL ? after_machine + 2 : row->note;
}

static const char *gib_text(Arena *arena, int64_t bytes)
{
    return decimal_text(arena, bounded_part(bytes, 1000, INT64_C(1) << 30), 3, 1);
}

static void print_memory(Arena *arena, const Prediction *prediction)
{
    const GpuModel *gpu = prediction->vm_size->gpu;
    printf("memory      %12s GiB at least, of %s on one %s\n",
           gib_text(arena, prediction->memory_least_bytes), gib_text(arena, gpu->memory_bytes),
           gpu->name);
    if (!prediction->may_fit)
        printf("\nWarning: the training does not fit into the memory of one %s. The figures assume "
               "that it does.\n",
               gpu->name);
    if (!prediction->may_fit && prediction->batch_most > 0)
        printf("A batch of %" PRId64 " or less may fit.\n", prediction->batch_most);
}

/* "+- 8 %", "+178 % -64 %". From 100 % on, the uncertainty is a factor, so the lower limit is
 * closer.
 */
static const char *uncertainty_text(Arena *arena, int64_t ppm)
{
    if (ppm < PPM)
        return arena_printf(arena, "+- %s %%", decimal_text(arena, ppm, 4, 0));
    const int64_t below_ppm = PPM - bounded_part(PPM, PPM, bounded_add(PPM, ppm));
    return arena_printf(arena, "+%s %% -%s %%", decimal_text(arena, ppm, 4, 0),
                        decimal_text(arena, below_ppm, 4, 0));
}

static void print_text(Arena *arena, const Prediction *prediction, Lines basis)
{
    printf("%s at batch %" PRId64 " with %s%s%s: %d GPU%s on %d node%s of %s (%s)\n",
           prediction->network->name, prediction->batch, prediction->stack->name,
           prediction->exchange != NULL ? ", " : "",
           prediction->exchange != NULL ? collective_name(prediction->collective) : "",
           (int)prediction->gpus, plural(prediction->gpus), (int)prediction->nodes,
           plural(prediction->nodes), prediction->vm_size->name, prediction->vm_size->gpu->name);
    if (caveat_of(prediction) != NULL)
        printf("caveat: %s\n", caveat_of(prediction));
    printf("\nimages/s    %12s   %s\n", decimal_text(arena, prediction->micro_images_per_s, 6, 1),
           uncertainty_text(arena, prediction->uncertainty_ppm));
    printf("step        %12s ms\n", decimal_text(arena, prediction->step_ns, 6, 1));
    print_part("input", prediction->parts.input_ns, prediction);
    print_part("compute", computing_ns(prediction), prediction);
    print_part("exchange", prediction->parts.exchange_ns, prediction);
    print_part("wait", prediction->parts.wait_ns, prediction);
    print_memory(arena, prediction);
    printf("\nBased on\n");
    for (int32_t i = 0; i < basis.count; i++)
        printf("  - %s\n", basis.items[i]);
}

/* --- JSON --- */

#define MILLISECONDS(key, member, text) FIELD_DECIMAL(key, member, DECIMALS_MS, text, .unit = "ms")

#define OWNER NetworkAnswer
static const Field split_fields[] = {
    MILLISECONDS("input", input_ns, "waiting for images"),
    MILLISECONDS("compute", compute_ns, "computing, and updating parameters"),
    MILLISECONDS("exchange", exchange_ns, "the exposed part of summing gradients"),
    MILLISECONDS("wait", wait_ns, "waiting for the slowest rank"),
    {0},
};
static const ObjectType split_type =
    OBJECT_TYPE("Predicted split", "The parts of a step, whose sum it is.", split_fields);
static const Field memory_fields[] = {
    FIELD_COUNT("needs_at_least_bytes", memory_least_bytes,
                "what a rank needs on its GPU, a lower bound"),
    FIELD_COUNT("has_bytes", memory_bytes, "what the GPU has"),
    FIELD_BOOLEAN("may_fit", may_fit, NULL, "whether the bound is below that"),
    FIELD_COUNT("batch_most", batch_most, "the largest batch whose bound is; 0: none"),
    {0},
};
static const ObjectType memory_type =
    OBJECT_TYPE("Predicted memory", "Whether the batch may fit.", memory_fields);
static const Field answer_fields[] = {
    PLAIN_TEXT("model", model, "the network"),
    PLAIN_TEXT("vm", vm, "the VM size"),
    FIELD_COUNT("gpus", gpus, "GPUs, each with a rank"),
    FIELD_COUNT("nodes", nodes, "nodes of that size"),
    FIELD_COUNT("batch", batch, "images of a rank in a step"),
    PLAIN_TEXT("framework", framework, "the stack of software"),
    PLAIN_TEXT("collective", collective, "how gradients are summed; null: one rank", NULLABLE),
    PLAIN_TEXT("network", network, "between nodes; null: one node", NULLABLE),
    PLAIN_TEXT("caveat", caveat, "a doubt about the measurement that the prediction rests on",
               NULLABLE),
    FIELD_DECIMAL("images_per_s", micro_images_per_s, 6, "of all ranks", .unit = "images/s"),
    MILLISECONDS("step_ms", step_ns, "a step"),
    FIELD_GROUP("split_ms", split_type, "its parts"),
    FIELD_DECIMAL(
        "uncertainty_pct", uncertainty_ppm, 4,
        "about 19 of 20 measured rates should be within so many per cent of it; from 100 on, "
        "within a factor of 1 more than a hundredth of it",
        .unit = "%"),
    FIELD_GROUP("memory", memory_type, "whether the batch may fit"),
    FIELD_LIST(TEXTS, "basis", basis, basis_count, NULL, "what each figure rests on"),
    {0},
};
const ObjectType network_answer_type =
    OBJECT_TYPE("Predict answer",
                "The output of `trainyard predict --json` for a network of images.", answer_fields);
#undef OWNER

static void print_json(Arena *arena, const Prediction *prediction, const Lines *lines)
{
    const NetworkAnswer answer = {.model = prediction->network->name,
                                  .vm = prediction->vm_size->name,
                                  .gpus = prediction->gpus,
                                  .nodes = prediction->nodes,
                                  .batch = prediction->batch,
                                  .framework = prediction->stack->name,
                                  .collective = collective_name(prediction->collective),
                                  .network = wire_name(prediction->wire),
                                  .caveat = caveat_of(prediction),
                                  .micro_images_per_s = prediction->micro_images_per_s,
                                  .step_ns = prediction->step_ns,
                                  .input_ns = prediction->parts.input_ns,
                                  .compute_ns = computing_ns(prediction),
                                  .exchange_ns = prediction->parts.exchange_ns,
                                  .wait_ns = prediction->parts.wait_ns,
                                  .uncertainty_ppm = prediction->uncertainty_ppm,
                                  .memory_least_bytes = prediction->memory_least_bytes,
                                  .memory_bytes = prediction->vm_size->gpu->memory_bytes,
                                  .may_fit = prediction->may_fit,
                                  .batch_most = prediction->batch_most,
                                  .basis = lines->items,
                                  .basis_count = (uint32_t)lines->count};
    json_show(plain_write(arena, &network_answer_type, &answer));
}

void predict_network_print(Arena *arena, const Catalog *catalog, const Prediction *prediction,
                           bool is_json)
{
    const Lines basis = basis_of(arena, catalog, prediction);
    if (is_json)
        print_json(arena, prediction, &basis);
    else
        print_text(arena, prediction, basis);
}
