#include "tools/trainyard/predict/transformer_basis.h"

#include "sim/base/units.h"
#include "sim/model/price.h"

typedef struct {
    Arena *arena;
    const Catalog *catalog;
    TransformerBasis *basis;
} Writer;

static void add(const Writer *writer, const char *line)
{
    writer->basis->lines[writer->basis->count++] = line;
}

/* The catalogue's value of `member` in the entry `name` of `section`, after `label`. A curve is
 * too long to be shown. */
static void add_value(const Writer *writer, const char *section, const char *name,
                      const char *member, const char *label, bool shows_value)
{
    const char *path = arena_printf(writer->arena, "%s/%s/%s", section, name, member);
    const CatalogValue *value = catalog_value(writer->catalog, path);
    const bool has_note = value->note[0] != '\0';
    add(writer, arena_printf(writer->arena, "%s: %s%s%s: %s%s%s",
                             value->is_assumption ? "assumed" : "measured", label,
                             shows_value ? " " : "", shows_value ? value->value : "",
                             value->is_assumption ? value->note : value->source,
                             has_note && !value->is_assumption ? "; " : "",
                             has_note && !value->is_assumption ? value->note : ""));
}

static void add_software(const Writer *writer, const char *software, bool is_fp8)
{
    const char *member = is_fp8 ? "fp8_matmul" : "matmul";
    const CatalogValue *value =
        catalog_value(writer->catalog,
                      arena_printf(writer->arena, "transformer_software/%s/%s", software, member));
    add(writer, arena_printf(writer->arena,
                             "fitted: %s reaches %s of it, and its other constants: %s", software,
                             value->value, value->range[0] != '\0' ? value->range : value->source));
}

/* The assumptions about experts, and the error for want of measurements. */
static void add_routing(const Writer *writer, const TransformerPrediction *prediction)
{
    const char *name = prediction->machine.routing->name;
    const int64_t imbalance = prediction->job.shape.experts.imbalance_ppm;
    if (imbalance == prediction->machine.routing->imbalance_ppm)
        add_value(writer, "transformer_routing", name, "imbalance",
                  "tokens of the busiest rank's experts, relative to the mean:", true);
    else
        add(writer,
            arena_printf(writer->arena,
                         "of the model: tokens of the busiest rank's experts, relative to the "
                         "mean: %.6g %%",
                         100 * (double)imbalance / PPM));
    add_value(writer, "transformer_routing", name, "all_to_all",
              "time of an all-to-all relative to a gather:", true);
    add_value(writer, "transformer_routing", name, "exposed",
              "part of the all-to-all that is not hidden:", true);
    add(writer, arena_printf(
                    writer->arena,
                    "unmeasured: no training of a mixture of experts is among the "
                    "measurements; %s is added to the uncertainty",
                    catalog_value(writer->catalog,
                                  arena_printf(writer->arena, "transformer_routing/%s/error", name))
                        ->value));
}

/* The price of an hour of a node; no line if it is not known. */
static void add_price(const Writer *writer, const VmSize *size, const char *priority,
                      const char *member, int64_t micro_usd_per_hour)
{
    if (micro_usd_per_hour == PRICE_UNKNOWN)
        return;
    const CatalogValue *value = catalog_value(
        writer->catalog, arena_printf(writer->arena, "vm_sizes/%s/%s", size->name, member));
    add(writer, arena_printf(writer->arena, "%s: an hour of a %s node %s: %s",
                             value->is_assumption ? "assumed" : "published", priority, value->value,
                             value->is_assumption ? value->note : value->source));
}

static void add_prices(const Writer *writer, const VmSize *size)
{
    add_price(writer, size, "dedicated", "dedicated_price_per_hour",
              size->dedicated_micro_usd_per_hour);
    add_price(writer, size, "low-priority", "low_priority_price_per_hour",
              size->low_priority_micro_usd_per_hour);
}

TransformerBasis transformer_basis(Arena *arena, const Catalog *catalog,
                                   const TransformerPrediction *prediction, bool has_costs)
{
    TransformerBasis basis = {0};
    const Writer writer = {arena, catalog, &basis};
    const TransformerMachine *machine = &prediction->machine;
    const char *gpu = machine->gpu->name;
    const RankedLayout *shown =
        prediction->fits ? &prediction->search.ranked[0] : &prediction->search.least;
    const bool is_fp8 = shown->layout.precision == PRECISION_FP8;
    add_value(&writer, "transformer_gpus", gpu, is_fp8 ? "fp8_matmul" : "bf16_matmul",
              arena_printf(arena, "%s matmuls on %s reach", is_fp8 ? "FP8" : "BF16", gpu), true);
    add_software(&writer, machine->software->name, is_fp8);
    if (prediction->job.gpus > 1)
        add_value(&writer, "transformer_gpus", gpu, "all_reduce", "all-reduce in a node", false);
    if (prediction->nodes > 1) {
        add_value(&writer, "transformer_fabrics", machine->fabric->name, "two_nodes",
                  "all-reduce over two nodes", false);
        add_value(&writer, "transformer_fabrics", machine->fabric->name, "added",
                  "what more nodes add", false);
        add(&writer, "untested: trainings on several nodes were not compared with measurements");
    }
    if (machine->routing != NULL)
        add_routing(&writer, prediction);
    if (has_costs)
        add_prices(&writer, prediction->vm_size);
    add(&writer, "not included: failures, checkpoints, evaluation, input");
    return basis;
}
