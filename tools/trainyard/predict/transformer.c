#include "tools/trainyard/predict/transformer.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/json_file.h"
#include "sim/cli/report.h"
#include "sim/json/real.h"
#include "sim/model/price.h"
#include "sim/scenario/catalog/transformer_shape.h"
#include "sim/scenario/transformer/layout.h"
#include "sim/scenario/transformer/prediction.h"
#include "sim/scenario/transformer/tokens.h"
#include "sim/schema/json_load.h"
#include "tools/trainyard/predict/transformer_answer.h"

/* --- What is asked for --- */

static bool is_file(const char *model)
{
    const size_t length = strlen(model);
    return length > 5 && strcmp(model + length - 5, ".json") == 0;
}

bool predict_is_transformer(const Catalog *catalog, const char *model)
{
    return is_file(model) || catalog_transformer(catalog, model) != NULL;
}

static bool model_read(Arena *arena, const Catalog *catalog, const char *model,
                       TransformerShape *shape, Problems *problems)
{
    if (!is_file(model)) {
        *shape = *catalog_transformer(catalog, model);
        return true;
    }
    const JsonLoader loader = {.arena = arena, .files = disk_files, .problems = problems};
    Status status = {0};
    const Json *root = json_load(&loader, model, JSON_WITH_COMMENTS, &status);
    if (root == NULL && status.code != STATUS_OK)
        problems_add_status(problems, &status);
    return root != NULL && transformer_shape_read(arena, root, shape, problems);
}

/* --- Answers --- */

static int64_t cost_of(int64_t micro_usd_per_hour, double node_hours)
{
    return micro_usd_per_hour == PRICE_UNKNOWN
               ? PRICE_UNKNOWN
               : (int64_t)((double)micro_usd_per_hour * node_hours + 0.5);
}

static WholeTraining whole_training(const TransformerPrediction *prediction, double step_s,
                                    double tokens)
{
    const double days = transformer_days(prediction, step_s, tokens);
    const double node_hours = days * 24 * prediction->nodes;
    const VmSize *size = prediction->vm_size;
    return (WholeTraining){tokens, days, cost_of(size->dedicated_micro_usd_per_hour, node_hours),
                           cost_of(size->low_priority_micro_usd_per_hour, node_hours)};
}

/* --- Text --- */

/* "514,692" */
static const char *thousands(Arena *arena, double count)
{
    Text text = {0};
    thousands_print(&text, (int64_t)(count + 0.5));
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* The unit in which the step and its parts are printed. */
typedef struct {
    const char *name;
    double per_s;
    int decimals;
} StepUnit;

static StepUnit unit_of(double step_s)
{
    return step_s < 1 ? (StepUnit){"ms", 1e3, 1} : (StepUnit){"s", 1, 3};
}

static void print_all_to_all(const TransformerStep *step)
{
    const double between = step->all_to_all.between, all = between + step->all_to_all.within;
    if (all > 0)
        printf("  in an all-to-all the busiest rank receives %.3f GiB, %.3f GiB of it from other "
               "nodes\n",
               all / (double)GIB, between / (double)GIB);
}

static void print_step(const TransformerStep *step)
{
    const StepUnit unit = unit_of(step->step_s);
    printf("%-12s%14.*f %s of pipeline rank %d\n", "step", unit.decimals, unit.per_s * step->step_s,
           unit.name, (int)step->rank);
    for (int i = 0; i < STEP_PART_COUNT; i++)
        if (step->parts_s[i] > 0)
            printf("  %-12s%12.*f %s%6.1f %%   %s\n", step_part_name((StepPart)i), unit.decimals,
                   unit.per_s * step->parts_s[i], unit.name, 100 * step->parts_s[i] / step->step_s,
                   step_part_doc((StepPart)i));
    print_all_to_all(step);
}

/* With experts: their rows of the memory. */
static void print_memory_of_experts(const TransformerMemory *memory)
{
    printf("  experts %.1f, routed tokens %.1f, all-to-all %.1f\n",
           (double)memory->experts_bytes / (double)GIB, (double)memory->routed_bytes / (double)GIB,
           (double)memory->exchange_bytes / (double)GIB);
}

static void print_memory(const TransformerPrediction *prediction, const RankedLayout *ranked)
{
    const TransformerMemory *memory = &ranked->memory;
    printf("memory      %14.1f GiB of %.1f on one %s\n", (double)memory->total_bytes / (double)GIB,
           (double)prediction->machine.memory_bytes / (double)GIB, prediction->machine.gpu->name);
    printf(
        "  weights %.1f, gradients %.1f, optimizer %.1f, gathered %.1f, activations %.1f, "
        "logits %.1f, software %.1f\n",
        (double)memory->weights_bytes / (double)GIB, (double)memory->gradients_bytes / (double)GIB,
        (double)memory->optimizer_bytes / (double)GIB, (double)memory->gathered_bytes / (double)GIB,
        (double)memory->activations_bytes / (double)GIB, (double)memory->logits_bytes / (double)GIB,
        (double)memory->software_bytes / (double)GIB);
    if (transformer_has_experts(&prediction->job.shape))
        print_memory_of_experts(memory);
}

/* "46.7 billion": three digits. */
static const char *count_words(Arena *arena, int64_t count)
{
    static const struct {
        double size;
        const char *name;
    } scales[] = {{1, ""}, {1e3, " thousand"}, {1e6, " million"}, {1e9, " billion"}};
    enum { LAST = sizeof scales / sizeof scales[0] - 1 };
    const double rounds_to_thousand = 999.5;
    size_t scale = 0;
    while (scale < LAST && (double)count / scales[scale].size >= rounds_to_thousand)
        scale++;
    const double value = (double)count / scales[scale].size;
    const int decimals = scale == 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return arena_printf(arena, "%.*f%s", decimals, value, scales[scale].name);
}

static void print_heading(Arena *arena, const TransformerPrediction *prediction)
{
    const TransformerJob *job = &prediction->job;
    printf("%s with %s: %d GPU%s on %d node%s of %s (%s)\n", prediction->model,
           prediction->machine.software->name, (int)job->gpus, plural(job->gpus),
           (int)prediction->nodes, plural(prediction->nodes), prediction->vm_size->name,
           prediction->machine.gpu->name);
    printf("sequences of %lld tokens, %lld a step; %s parameters\n", (long long)job->shape.sequence,
           (long long)job->global_batch, count_words(arena, transformer_parameters(&job->shape)));
    const TransformerExperts *experts = &job->shape.experts;
    if (!transformer_has_experts(&job->shape))
        return;
    printf("a token uses %s of them: %lld of %lld experts of a layer",
           count_words(arena, transformer_active_parameters(&job->shape)),
           (long long)experts->chosen, (long long)experts->count);
    if (experts->shared > 0)
        printf(", and %lld shared", (long long)experts->shared);
    printf("; the busiest rank takes %.0f %% of the mean number of tokens\n",
           100 * (double)experts->imbalance_ppm / PPM);
}

static void print_cost(Arena *arena, const char *kind, int64_t micro_usd, double uncertainty)
{
    const double usd = (double)micro_usd / 1e6;
    if (micro_usd == PRICE_UNKNOWN)
        printf("  %-12s      no price in the catalogue\n", kind);
    else
        printf("  %-12s%12s USD    %s to %s\n", kind, thousands(arena, usd),
               thousands(arena, usd / (1 + uncertainty)),
               thousands(arena, usd * (1 + uncertainty)));
}

static void print_whole(Arena *arena, const WholeTraining *whole, double uncertainty)
{
    printf("%-12s%14.1f days   %.1f to %.1f\n", "training", whole->days,
           whole->days / (1 + uncertainty), whole->days * (1 + uncertainty));
    print_cost(arena, "dedicated", whole->dedicated_micro_usd, uncertainty);
    print_cost(arena, "low priority", whole->low_priority_micro_usd, uncertainty);
}

static void print_others(Arena *arena, const LayoutSearch *search)
{
    if (search->count < 2)
        return;
    printf("\nNext best                                                              step    "
           "memory\n");
    for (int32_t i = 1; i < search->count; i++)
        printf("  %-62s %+6.1f %% %5.1f GiB\n", layout_text(arena, &search->ranked[i].layout),
               100 * (search->ranked[i].step.step_s / search->ranked[0].step.step_s - 1),
               (double)search->ranked[i].memory.total_bytes / (double)GIB);
    printf("%lld layouts: %lld keep the rules, %lld fit into memory.\n",
           (long long)search->combinations, (long long)search->valid, (long long)search->fitting);
}

static void print_why(Arena *arena, const LayoutSearch *search)
{
    const RankedLayout *best = &search->ranked[0];
    const StepPart wait = transformer_largest_wait(&best->step);
    printf("It waits most for %s: %.1f %% of the step (%s).\n", step_part_name(wait),
           100 * best->step.parts_s[wait] / best->step.step_s, step_part_doc(wait));
    if (search->count < 2)
        return;
    const RankedLayout *next = &search->ranked[1];
    StepPart gain = STEP_COMPUTE;
    for (int i = 0; i < STEP_PART_COUNT; i++)
        if (next->step.parts_s[i] - best->step.parts_s[i] >
            next->step.parts_s[gain] - best->step.parts_s[gain])
            gain = (StepPart)i;
    const double gain_s = next->step.parts_s[gain] - best->step.parts_s[gain];
    const StepUnit unit = unit_of(gain_s);
    if (gain_s > 0)
        printf("%s spends %.*f %s more in %s.\n", layout_text(arena, &next->layout), unit.decimals,
               unit.per_s * gain_s, unit.name, step_part_name(gain));
    else
        printf("%s takes as long.\n", layout_text(arena, &next->layout));
}

static void print_fitting(Arena *arena, const TransformerPrediction *prediction,
                          const WholeTraining *whole)
{
    const RankedLayout *best = &prediction->search.ranked[0];
    const double step_s = best->step.step_s;
    const double uncertainty = transformer_uncertainty(&prediction->machine, &best->step);
    const TransformerJob *job = &prediction->job;
    const double tokens_per_s = transformer_tokens_per_s(job, step_s);
    printf("layout: %s\n\n", layout_text(arena, &best->layout));
    printf("%-12s%14s       %s to %s\n", "tokens/s", thousands(arena, tokens_per_s),
           thousands(arena, tokens_per_s / (1 + uncertainty)),
           thousands(arena, tokens_per_s * (1 + uncertainty)));
    printf("%-12s%14s\n", "  each GPU", thousands(arena, tokens_per_s / job->gpus));
    print_step(&best->step);
    printf(
        "%-12s%14.1f %% of the %s peak%s, attention as computed; %.1f %% with attention in full\n",
        "MFU",
        100 * transformer_mfu(job, &best->layout, prediction->machine.gpu, ATTENTION_AS_COMPUTED,
                              step_s),
        best->layout.precision == PRECISION_FP8 ? "FP8" : "BF16",
        transformer_has_experts(&job->shape) ? " by active parameters" : "",
        100 * transformer_mfu(job, &best->layout, prediction->machine.gpu, ATTENTION_IN_FULL,
                              step_s));
    print_memory(prediction, best);
    if (whole->tokens > 0)
        print_whole(arena, whole, uncertainty);
    printf("\n");
    print_why(arena, &prediction->search);
    print_others(arena, &prediction->search);
}

static void print_too_large(Arena *arena, const TransformerPrediction *prediction)
{
    const RankedLayout *least = &prediction->search.least;
    printf("layout: %s\n\n", layout_text(arena, &least->layout));
    print_memory(prediction, least);
    printf("\nThis layout does not fit into the memory of one %s.\n",
           prediction->machine.gpu->name);
    if (prediction->has_alternative)
        printf("The nearest that fits: --layout %s (%.1f GiB, %s tokens/s)\n",
               layout_text(arena, &prediction->alternative.layout),
               (double)prediction->alternative.memory.total_bytes / (double)GIB,
               thousands(arena, transformer_tokens_per_s(&prediction->job,
                                                         prediction->alternative.step.step_s)));
    else
        printf("No layout of this model fits on %d GPUs; use more.\n", (int)prediction->job.gpus);
}

static void print_basis(TransformerBasis basis)
{
    printf("\nBased on\n");
    for (int32_t i = 0; i < basis.count; i++)
        printf("  - %s\n", basis.lines[i]);
}

/* --- The verb --- */

static bool make_prediction(const Catalog *catalog, const TransformerArguments *arguments,
                            const TransformerRequest *request, double tokens,
                            TransformerPrediction *prediction, Status *status)
{
    const Place at = place_in("--within", 1, 1);
    if (arguments->within_ns == 0)
        return transformer_prediction_make(catalog, request, prediction, status);
    if (!(tokens > 0) || arguments->gpus > 0) {
        status_fail(status, STATUS_BAD_INPUT, at, "--within needs --tokens, and no --gpus");
        return status_hint(status, "--tokens 1T --within 30d");
    }
    return transformer_prediction_within(
        catalog, request, tokens, (double)arguments->within_ns / NS_PER_DAY, prediction, status);
}

int predict_transformer(Arena *arena, const Catalog *catalog, const TransformerArguments *arguments)
{
    Status status = {0};
    Problems problems = problems_create(arena);
    TransformerRequest request = {
        .model = arguments->model,
        .vm_size = arguments->vm,
        .software = arguments->software != NULL ? arguments->software : "megatron-core",
        .wire = arguments->wire,
        .gpus = arguments->gpus > 0 ? (int32_t)arguments->gpus : 1,
        .global_batch = arguments->global_batch,
        .layout = arguments->layout,
        .at = place_in("trainyard: predict", 0, 0),
        .layout_at = place_in("--layout", 1, 1),
    };
    int64_t counted = 0;
    if (arguments->tokens != NULL &&
        !tokens_parse(arguments->tokens, place_in("--tokens", 1, 1), &counted, &status))
        return report_status(&status);
    const double tokens = (double)counted;
    if (!model_read(arena, catalog, arguments->model, &request.shape, &problems))
        return report_problems(&problems);
    if (arguments->sequence > 0)
        request.shape.sequence = arguments->sequence;
    TransformerPrediction *prediction = ARENA_NEW(arena, TransformerPrediction);
    if (!transformer_shape_check(&request.shape, place_in("--seq", 1, 1), &status) ||
        !make_prediction(catalog, arguments, &request, tokens, prediction, &status))
        return report_status(&status);
    const bool has_costs = prediction->fits && tokens > 0;
    const TransformerBasis basis = transformer_basis(arena, catalog, prediction, has_costs);
    WholeTraining whole = {0};
    if (has_costs)
        whole = whole_training(prediction, prediction->search.ranked[0].step.step_s, tokens);
    if (arguments->is_json) {
        json_show(transformer_answer_json(arena, prediction, &whole, &basis));
    } else {
        print_heading(arena, prediction);
        if (prediction->fits)
            print_fitting(arena, prediction, &whole);
        else
            print_too_large(arena, prediction);
        print_basis(basis);
    }
    return prediction->fits ? EXIT_FINE : EXIT_NO;
}
