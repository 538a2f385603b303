#include "tools/trainyard/predict/transformer_answer.h"

#include <math.h>

#include "sim/json/decimal.h"
#include "sim/model/price.h"
#include "sim/scenario/transformer/layout.h"
#include "sim/schema/plain.h"

/* --- The members --- */

typedef struct {
    int64_t parts_ns[STEP_PART_COUNT]; /* PLAIN_UNKNOWN: not of this model */
} AnswerSplit;

typedef struct {
    int64_t within_bytes, between_bytes;
    bool is_there;
} AnswerExchange;

typedef struct {
    int64_t total_bytes, weights_bytes, gradients_bytes, optimizer_bytes, gathered_bytes;
    int64_t activations_bytes, logits_bytes;
    int64_t experts_bytes, routed_bytes, exchange_bytes; /* PLAIN_UNKNOWN without experts */
    int64_t software_bytes;
} AnswerMemory;

/* A layout; the times of one that does not fit are unknown. */
typedef struct {
    const char *layout;
    int64_t deci_tokens_per_s, step_ns;
    AnswerSplit split;
    AnswerExchange all_to_all;
    AnswerMemory memory;
    bool is_there;
} AnswerLayout;

typedef struct {
    const char *peak;
    int64_t as_computed, in_full; /* 10^-4 */
    bool is_there;
} AnswerMfu;

typedef struct {
    int64_t tokens, milli_days;
    int64_t dedicated_cents, low_priority_cents; /* PLAIN_UNKNOWN: no price */
    bool is_there;
} AnswerTraining;

typedef struct {
    int64_t count, per_token, shared, layers, imbalance_ppm;
    bool is_there;
} AnswerExperts;

typedef struct {
    int64_t combinations, valid, fitting;
} AnswerLayouts;

typedef struct {
    const char *model, *vm;
    int64_t gpus, nodes;
    const char *framework;
    int64_t sequence, global_batch, parameters;
    int64_t active_parameters; /* PLAIN_UNKNOWN without experts */
    AnswerExperts experts;
    int64_t flops_per_token, memory_bytes;
    bool fits;
    AnswerLayout best;
    int64_t deci_uncertainty_pct;
    AnswerMfu mfu;
    const char *waits_for; /* NULL: it does not fit */
    AnswerTraining training;
    AnswerLayout *others;
    uint32_t other_count;
    AnswerLayout nearest;
    AnswerLayouts layouts;
    const char *const *basis;
    uint32_t basis_count;
} TransformerAnswer;

#define OWNER AnswerSplit
static const Field split_fields[] = {
#define X(name, key, words)                                                                        \
    FIELD_DECIMAL(key, parts_ns[STEP_##name], DECIMALS_MS, words, .unit = "ms"),
    TRANSFORMER_STEP_PARTS(X)
#undef X
        {0},
};
static const ObjectType split_type = OBJECT_TYPE(
    "Transformer split", "The parts of a step, whose sum it is; experts: of models that have them.",
    split_fields);
#undef OWNER

#define OWNER AnswerExchange
static const Field exchange_fields[] = {
    FIELD_COUNT("within_node_bytes", within_bytes, "from ranks of its node"),
    FIELD_COUNT("between_nodes_bytes", between_bytes, "from other nodes"),
    {0},
};
static const ObjectType exchange_type = OBJECT_TYPE(
    "Transformer all-to-all", "Bytes that the busiest rank receives for its experts of a layer.",
    exchange_fields);
#undef OWNER

#define OWNER AnswerMemory
static const Field memory_fields[] = {
    FIELD_COUNT("total_bytes", total_bytes, "the sum"),
    FIELD_COUNT("weights_bytes", weights_bytes, "parameters"),
    FIELD_COUNT("gradients_bytes", gradients_bytes, "gradients"),
    FIELD_COUNT("optimizer_bytes", optimizer_bytes, "the state of the optimizer"),
    FIELD_COUNT("gathered_bytes", gathered_bytes, "parameters that FSDP has gathered"),
    FIELD_COUNT("activations_bytes", activations_bytes, "activations that the backward pass needs"),
    FIELD_COUNT("logits_bytes", logits_bytes, "logits and their gradients"),
    FIELD_COUNT("experts_bytes", experts_bytes, "of models with experts: their state"),
    FIELD_COUNT("routed_bytes", routed_bytes,
                "of models with experts: tokens that were sent to them"),
    FIELD_COUNT("all_to_all_bytes", exchange_bytes,
                "of models with experts: buffers of the all-to-all"),
    FIELD_COUNT("software_bytes", software_bytes, "the software itself"),
    {0},
};
static const ObjectType memory_type =
    OBJECT_TYPE("Transformer memory", "The memory of the fullest rank.", memory_fields);
#undef OWNER

/* The rows of an AnswerLayout, whose members begin with `in` in OWNER. */
#define LAYOUT_ROWS(in)                                                                            \
    PLAIN_TEXT("layout", in layout, "the layout as --layout names it"),                            \
        FIELD_DECIMAL("tokens_per_s", in deci_tokens_per_s, 1, "of all ranks",                     \
                      .unit = "tokens/s"),                                                         \
        FIELD_DECIMAL("step_ms", in step_ns, DECIMALS_MS, "a step of the busiest pipeline rank",   \
                      .unit = "ms"),                                                               \
        FIELD_OBJECT("split_ms", in split, split_type, "its parts"),                               \
        PLAIN_OPTIONAL("all_to_all", in all_to_all, exchange_type, "of models with experts"),      \
        FIELD_OBJECT("memory", in memory, memory_type, "of the fullest rank")

#define OWNER AnswerLayout
static const Field layout_fields[] = {LAYOUT_ROWS(), {0}};
static const ObjectType layout_type =
    OBJECT_TYPE("Ranked layout", "Another layout.", layout_fields);
#undef OWNER

#define OWNER AnswerMfu
static const Field mfu_fields[] = {
    PLAIN_TEXT("peak", peak, "the peak that it refers to: bf16 or fp8"),
    FIELD_DECIMAL("attention_as_computed", as_computed, 4, "scores of a causal mask count half",
                  .unit = "1"),
    FIELD_DECIMAL("attention_in_full", in_full, 4, "all scores count", .unit = "1"),
    {0},
};
static const ObjectType mfu_type = OBJECT_TYPE(
    "Model FLOPs utilization", "Operations of the model as a share of the peak.", mfu_fields);
#undef OWNER

#define OWNER AnswerTraining
static const Field training_fields[] = {
    FIELD_COUNT("tokens", tokens, "--tokens"),
    FIELD_DECIMAL("days", milli_days, 3, "without failures", .unit = "d"),
    FIELD_DECIMAL("dedicated_usd", dedicated_cents, 2, "null: the size has no price", NULLABLE,
                  .unit = "USD"),
    FIELD_DECIMAL("low_priority_usd", low_priority_cents, 2, "null: the size has no price",
                  NULLABLE, .unit = "USD"),
    {0},
};
static const ObjectType training_type =
    OBJECT_TYPE("Whole training", "The training to its end.", training_fields);
#undef OWNER

#define OWNER AnswerExperts
static const Field experts_fields[] = {
    FIELD_COUNT("count", count, "of a layer that has experts"),
    FIELD_COUNT("per_token", per_token, "that a token is sent to"),
    FIELD_COUNT("shared", shared, "that every token takes"),
    FIELD_COUNT("layers", layers, "layers that have experts"),
    FIELD_DECIMAL("imbalance", imbalance_ppm, DECIMALS_RATIO,
                  "tokens of the busiest rank, as a multiple of the mean", .unit = "1"),
    {0},
};
static const ObjectType experts_type =
    OBJECT_TYPE("Model experts", "The experts of a model.", experts_fields);
#undef OWNER

#define OWNER AnswerLayouts
static const Field layouts_fields[] = {
    FIELD_COUNT("combinations", combinations, "that agree with --layout"),
    FIELD_COUNT("valid", valid, "of them, those that break no rule"),
    FIELD_COUNT("fitting", fitting, "of them, those that fit into the GPUs' memory"),
    {0},
};
static const ObjectType layouts_type =
    OBJECT_TYPE("Tried layouts", "The layouts that were tried.", layouts_fields);
#undef OWNER

#define OWNER TransformerAnswer
static const Field answer_fields[] = {
    PLAIN_TEXT("model", model, "the transformer"),
    PLAIN_TEXT("vm", vm, "the VM size"),
    FIELD_COUNT("gpus", gpus, "GPUs, each with a rank"),
    FIELD_COUNT("nodes", nodes, "nodes of that size"),
    PLAIN_TEXT("framework", framework, "the software"),
    FIELD_COUNT("sequence", sequence, "tokens of a sequence"),
    FIELD_COUNT("global_batch", global_batch, "sequences of a step"),
    FIELD_COUNT("parameters", parameters, "of the model"),
    FIELD_COUNT("active_parameters", active_parameters,
                "of models with experts: those that a token uses"),
    PLAIN_OPTIONAL("experts", experts, experts_type, "of models that have them"),
    FIELD_COUNT("flops_per_token", flops_per_token, "operations of the model, with a causal mask"),
    FIELD_COUNT("memory_of_gpu_bytes", memory_bytes, "what a GPU has"),
    FIELD_BOOLEAN("fits", fits, NULL,
                  "whether a layout fits into it; the exit code is 1 otherwise"),
    LAYOUT_ROWS(best.),
    FIELD_DECIMAL("uncertainty_pct", deci_uncertainty_pct, 1,
                  "about 19 of 20 measured steps should be within a factor of 1 and so many per "
                  "cent of it",
                  .unit = "%"),
    PLAIN_OPTIONAL("mfu", mfu, mfu_type, "of the step"),
    PLAIN_TEXT("waits_for", waits_for, "the largest part of the step that is not computing"),
    PLAIN_OPTIONAL("training", training, training_type, "with --tokens"),
    FIELD_LIST(OBJECTS, "next_best", others, other_count, &layout_type, "the next layouts",
               .shown_if = offsetof(OWNER, fits)),
    PLAIN_OPTIONAL(
        "nearest_that_fits", nearest, layout_type,
        "if no layout fits: one that keeps the most of the choices of --layout and does"),
    FIELD_OBJECT("layouts", layouts, layouts_type, "how many layouts were tried"),
    FIELD_LIST(TEXTS, "basis", basis, basis_count, NULL, "what each figure rests on"),
    {0},
};
const ObjectType transformer_answer_type =
    OBJECT_TYPE("Predict transformer answer",
                "The output of `trainyard predict --json` for a transformer.", answer_fields);
#undef OWNER

/* --- A prediction as an answer --- */

/* `value` as a DECIMAL of that many decimals. */
static int64_t scaled(double value, int32_t decimals)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    return llround(value * powers[decimals]);
}

static AnswerMemory memory_of(const TransformerJob *job, const TransformerMemory *memory)
{
    const bool has_experts = transformer_has_experts(&job->shape);
    return (AnswerMemory){.total_bytes = memory->total_bytes,
                          .weights_bytes = memory->weights_bytes,
                          .gradients_bytes = memory->gradients_bytes,
                          .optimizer_bytes = memory->optimizer_bytes,
                          .gathered_bytes = memory->gathered_bytes,
                          .activations_bytes = memory->activations_bytes,
                          .logits_bytes = memory->logits_bytes,
                          .experts_bytes = has_experts ? memory->experts_bytes : PLAIN_UNKNOWN,
                          .routed_bytes = has_experts ? memory->routed_bytes : PLAIN_UNKNOWN,
                          .exchange_bytes = has_experts ? memory->exchange_bytes : PLAIN_UNKNOWN,
                          .software_bytes = memory->software_bytes};
}

/* `step` NULL: the layout does not fit. */
static AnswerLayout layout_of(Arena *arena, const TransformerJob *job,
                              const TransformerLayout *layout, const TransformerMemory *memory,
                              const TransformerStep *step)
{
    const bool has_experts = transformer_has_experts(&job->shape);
    AnswerLayout answer = {.layout = layout_text(arena, layout),
                           .deci_tokens_per_s = PLAIN_UNKNOWN,
                           .step_ns = PLAIN_UNKNOWN,
                           .memory = memory_of(job, memory),
                           .is_there = true};
    for (int i = 0; i < STEP_PART_COUNT; i++)
        answer.split.parts_ns[i] = step != NULL && (i != STEP_EXPERTS || has_experts)
                                       ? scaled(1e3 * step->parts_s[i], DECIMALS_MS)
                                       : PLAIN_UNKNOWN;
    if (step == NULL)
        return answer;
    answer.deci_tokens_per_s = scaled(transformer_tokens_per_s(job, step->step_s), 1);
    answer.step_ns = scaled(1e3 * step->step_s, DECIMALS_MS);
    answer.all_to_all = (AnswerExchange){.within_bytes = llround(step->all_to_all.within),
                                         .between_bytes = llround(step->all_to_all.between),
                                         .is_there = has_experts};
    return answer;
}

static AnswerLayout ranked_of(Arena *arena, const TransformerPrediction *prediction,
                              const RankedLayout *ranked)
{
    return layout_of(arena, &prediction->job, &ranked->layout, &ranked->memory, &ranked->step);
}

static int64_t cents(int64_t micro_usd)
{
    return micro_usd == PRICE_UNKNOWN ? PLAIN_UNKNOWN : scaled((double)micro_usd / 1e6, 2);
}

StepPart transformer_largest_wait(const TransformerStep *step)
{
    StepPart largest = STEP_RECOMPUTE;
    for (int i = STEP_RECOMPUTE; i < STEP_PART_COUNT; i++)
        if (step->parts_s[i] > step->parts_s[largest])
            largest = (StepPart)i;
    return largest;
}

static int64_t mfu_of(const TransformerPrediction *prediction, AttentionConvention convention)
{
    const RankedLayout *best = &prediction->search.ranked[0];
    return scaled(transformer_mfu(&prediction->job, &best->layout, prediction->machine.gpu,
                                  convention, best->step.step_s),
                  4);
}

static void fill_fitting(Arena *arena, const TransformerPrediction *prediction,
                         const WholeTraining *whole, TransformerAnswer *answer)
{
    const LayoutSearch *search = &prediction->search;
    const RankedLayout *best = &search->ranked[0];
    answer->best = ranked_of(arena, prediction, best);
    answer->deci_uncertainty_pct =
        scaled(100 * transformer_uncertainty(&prediction->machine, &best->step), 1);
    answer->mfu = (AnswerMfu){.peak = best->layout.precision == PRECISION_FP8 ? "fp8" : "bf16",
                              .as_computed = mfu_of(prediction, ATTENTION_AS_COMPUTED),
                              .in_full = mfu_of(prediction, ATTENTION_IN_FULL),
                              .is_there = true};
    answer->waits_for = step_part_name(transformer_largest_wait(&best->step));
    answer->training = (AnswerTraining){.tokens = llround(whole->tokens),
                                        .milli_days = scaled(whole->days, 3),
                                        .dedicated_cents = cents(whole->dedicated_micro_usd),
                                        .low_priority_cents = cents(whole->low_priority_micro_usd),
                                        .is_there = whole->tokens > 0};
    answer->others = ARENA_ARRAY(arena, AnswerLayout, search->count);
    for (int32_t i = 1; i < search->count; i++)
        answer->others[answer->other_count++] = ranked_of(arena, prediction, &search->ranked[i]);
}

static void fill_too_large(Arena *arena, const TransformerPrediction *prediction,
                           TransformerAnswer *answer)
{
    const LayoutSearch *search = &prediction->search;
    answer->best =
        layout_of(arena, &prediction->job, &search->least.layout, &search->least.memory, NULL);
    answer->deci_uncertainty_pct = PLAIN_UNKNOWN;
    if (prediction->has_alternative)
        answer->nearest = ranked_of(arena, prediction, &prediction->alternative);
}

static void fill_model(const TransformerShape *shape, TransformerAnswer *answer)
{
    const TransformerExperts *experts = &shape->experts;
    const bool has_experts = transformer_has_experts(shape);
    answer->sequence = shape->sequence;
    answer->parameters = transformer_parameters(shape);
    answer->active_parameters = has_experts ? transformer_active_parameters(shape) : PLAIN_UNKNOWN;
    answer->experts =
        (AnswerExperts){.count = experts->count,
                        .per_token = experts->chosen,
                        .shared = experts->shared,
                        .layers = transformer_layers(shape, 0, shape->layers).of[BLOCK_EXPERTS],
                        .imbalance_ppm = experts->imbalance_ppm,
                        .is_there = has_experts};
    answer->flops_per_token = transformer_flops_per_token(shape, ATTENTION_AS_COMPUTED);
}

Json *transformer_answer_json(Arena *arena, const TransformerPrediction *prediction,
                              const WholeTraining *whole, const TransformerBasis *basis)
{
    TransformerAnswer answer = {.model = prediction->model,
                                .vm = prediction->vm_size->name,
                                .gpus = prediction->job.gpus,
                                .nodes = prediction->nodes,
                                .framework = prediction->machine.software->name,
                                .global_batch = prediction->job.global_batch,
                                .memory_bytes = prediction->machine.memory_bytes,
                                .fits = prediction->fits,
                                .layouts = {.combinations = prediction->search.combinations,
                                            .valid = prediction->search.valid,
                                            .fitting = prediction->search.fitting},
                                .basis = basis->lines,
                                .basis_count = (uint32_t)basis->count};
    fill_model(&prediction->job.shape, &answer);
    if (prediction->fits)
        fill_fitting(arena, prediction, whole, &answer);
    else
        fill_too_large(arena, prediction, &answer);
    return plain_write(arena, &transformer_answer_type, &answer);
}
