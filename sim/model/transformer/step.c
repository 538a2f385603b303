#include "sim/model/transformer/step.h"

#include "sim/base/units.h"
#include "sim/model/transformer/layer.h"
#include "sim/model/transformer/memory.h"
#include "sim/model/transformer/schedule.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* --- Stages --- */

/* The last stage also has the head. */
static void add_head(const Step *step, Passes *forward, Passes *backward)
{
    const double once_s = layer_head_s(step);
    forward->parts_s[STEP_COMPUTE] += once_s;
    backward->parts_s[STEP_COMPUTE] += 2 * once_s;
}

/* The passes of all stages, in the order of the forward pass. */
typedef struct {
    Passes forward[BLOCK_KIND_COUNT], backward[BLOCK_KIND_COUNT]; /* of a layer */
    Passes head_forward, head_backward;
    LayerCounts layers[SCHEDULE_STAGES_MOST];
    double forward_s[SCHEDULE_STAGES_MOST];
    double backward_s[SCHEDULE_STAGES_MOST];
} Stages;

/* Adds the layers of one kind to all stages. */
static void add_layers(const Step *step, BlockKind kind, Stages *stages)
{
    const int32_t count = step->layout->pipeline * step->layout->chunks;
    stages->forward[kind] = layer_forward(step, kind);
    stages->backward[kind] = layer_backward(step, kind, &stages->forward[kind]);
    const double forward_s = passes_sum(&stages->forward[kind]);
    const double backward_s = passes_sum(&stages->backward[kind]);
    for (int32_t i = 0; i < count; i++) {
        const double layers = (double)stages->layers[i].of[kind];
        stages->forward_s[i] += layers * forward_s;
        stages->backward_s[i] += layers * backward_s;
    }
}

static void stages_fill(const Step *step, Stages *stages)
{
    const TransformerShape *shape = &step->job->shape;
    const LayerCounts all = transformer_layers(shape, 0, shape->layers);
    const int32_t count = step->layout->pipeline * step->layout->chunks;
    for (int32_t i = 0; i < count; i++) {
        stages->layers[i] = layout_chunk_layers(step->job, step->layout, i);
        stages->forward_s[i] = stages->backward_s[i] = 0;
    }
    for (int kind = 0; kind < BLOCK_KIND_COUNT; kind++) {
        stages->forward[kind] = stages->backward[kind] = (Passes){0};
        if (all.of[kind] > 0)
            add_layers(step, (BlockKind)kind, stages);
    }
    stages->head_forward = stages->head_backward = (Passes){0};
    add_head(step, &stages->head_forward, &stages->head_backward);
    stages->forward_s[count - 1] += passes_sum(&stages->head_forward);
    stages->backward_s[count - 1] += passes_sum(&stages->head_backward);
}

static double rank_passes_s(const Step *step, const Stages *stages, int32_t rank)
{
    double sum = 0;
    for (int32_t chunk = 0; chunk < step->layout->chunks; chunk++) {
        const int32_t stage = rank + chunk * step->layout->pipeline;
        sum += stages->forward_s[stage] + stages->backward_s[stage];
    }
    return sum;
}

/* In a dense model only the first chunks have one more layer, and only the last rank has the head.
 * Layers with experts may be on any rank. */
static int32_t busiest_rank(const Step *step, const Stages *stages)
{
    const int32_t last = step->layout->pipeline - 1;
    const int32_t others = transformer_has_experts(&step->job->shape) || last == 0 ? last : 1;
    int32_t busiest = last;
    double most_s = rank_passes_s(step, stages, last);
    for (int32_t rank = 0; rank < others; rank++) {
        const double passes_s = rank_passes_s(step, stages, rank);
        busiest = passes_s > most_s ? rank : busiest;
        most_s = passes_s > most_s ? passes_s : most_s;
    }
    return busiest;
}

static void passes_add(Passes *sum, const Passes *more, double times)
{
    for (int i = 0; i < STEP_PART_COUNT; i++)
        sum->parts_s[i] += times * more->parts_s[i];
}

/* The parts of the passes of `rank` in a step. */
static Passes rank_parts(const Step *step, const Stages *stages, int32_t rank)
{
    const double batches = (double)layout_micro_batches(step->job, step->layout);
    Passes sum = {0};
    for (int32_t chunk = 0; chunk < step->layout->chunks; chunk++) {
        const int32_t stage = rank + chunk * step->layout->pipeline;
        for (int kind = 0; kind < BLOCK_KIND_COUNT; kind++) {
            const double passes = (double)stages->layers[stage].of[kind] * batches;
            if (!(passes > 0))
                continue;
            passes_add(&sum, &stages->forward[kind], passes);
            passes_add(&sum, &stages->backward[kind], passes);
        }
    }
    if (rank == step->layout->pipeline - 1) {
        passes_add(&sum, &stages->head_forward, batches);
        passes_add(&sum, &stages->head_backward, batches);
    }
    return sum;
}

/* --- Once a step --- */

static double send_s(const Step *step)
{
    const TransformerLayout *layout = step->layout;
    if (layout->pipeline == 1)
        return 0;
    const double bytes = 2 * step->tokens * (double)step->job->shape.hidden / layout->tensor;
    return machine_send_s(step->machine, step->sends_between_nodes, bytes);
}

/* Messages of a bucket that carry the rank's gradients. */
typedef struct {
    double count;
    double bytes; /* of each */
} Messages;

static Messages gradient_messages(const Step *step, double parameters)
{
    const TransformerSoftware *software = step->machine->software;
    const double bytes = parameters * (double)software->gradient_bytes;
    const double bucket =
        bytes < (double)software->bucket_bytes ? bytes : (double)software->bucket_bytes;
    return (Messages){bytes / bucket, bucket};
}

/* Communication once a backward pass of the rank's layers. */
static double after_backward_s(const Step *step, const Stages *stages, int32_t rank,
                               double communication_s)
{
    if (!step->machine->software->overlaps_gradients)
        return communication_s;
    double backward_s = 0;
    for (int32_t chunk = 0; chunk < step->layout->chunks; chunk++)
        backward_s += stages->backward_s[rank + chunk * step->layout->pipeline];
    return step_exposed_s(step, communication_s, backward_s);
}

/* Seconds of one sum, scatter and gather of parameters over their copies. */
typedef struct {
    double sum_s, scatter_s, gather_s;
} GradientTimes;

static void add_gradients(const Step *step, RankGroup group, double parameters,
                          GradientTimes *times)
{
    if (group.ranks == 1 || !(parameters > 0))
        return;
    const Messages messages = gradient_messages(step, parameters);
    const double weights = 2.0 / (double)step->machine->software->gradient_bytes;
    times->sum_s += messages.count * group_all_reduce_s(step->machine, group, messages.bytes);
    times->scatter_s += messages.count * group_gather_s(step->machine, group, messages.bytes);
    times->gather_s +=
        messages.count * group_gather_s(step->machine, group, messages.bytes * weights);
}

/* DDP sums gradients once a step. A divided optimizer scatters them, and gathers the weights.
 * Divided gradients (ZeRO-2) are scattered after each micro batch, because no rank has room for
 * the sum. */
static double exposed_gradients_s(const Step *step, const Stages *stages, int32_t rank,
                                  RankParameters parameters)
{
    const Sharding sharding = step->layout->sharding;
    if (step_is_fsdp(step))
        return 0;
    GradientTimes times = {0};
    add_gradients(step, step->shards, (double)parameters.common, &times);
    add_gradients(step, step->expert_shards, (double)parameters.experts, &times);
    if (sharding == SHARDING_DDP)
        return after_backward_s(step, stages, rank, times.sum_s);
    const double earlier =
        sharding == SHARDING_ZERO2 ? (double)layout_micro_batches(step->job, step->layout) - 1 : 0;
    return after_backward_s(step, stages, rank, times.scatter_s + times.gather_s) +
           earlier * after_backward_s(step, stages, rank, times.scatter_s);
}

static double optimizer_s(const Step *step, RankParameters parameters)
{
    const bool is_divided = step->layout->sharding >= SHARDING_ZERO1;
    const double updated =
        (double)parameters.common / (is_divided ? step->shards.ranks : 1) +
        (double)parameters.experts / (is_divided ? step->expert_shards.ranks : 1);
    return updated * (double)step->machine->software->optimizer_bytes /
           (double)step->machine->gpu->memory_bytes_per_s;
}

static double makespan_s(const Step *step, const Stages *stages, ScheduleMode mode)
{
    const PipelineSchedule schedule = {
        .ranks = step->layout->pipeline,
        .chunks = step->layout->chunks,
        .micro_batches = layout_micro_batches(step->job, step->layout),
        .forward_s = stages->forward_s,
        .backward_s = stages->backward_s,
        .send_s = send_s(step),
    };
    return mode == SCHEDULE_EXECUTED ? schedule_time_s(&schedule) : schedule_least_s(&schedule);
}

/* Whether the communication of a part crosses nodes. */
static bool crosses(const Step *step, StepPart part)
{
    // Copies of experts are on several nodes only if those of other parameters are.
    const RankGroup group = part == STEP_TENSOR    ? step->tensor
                            : part == STEP_EXPERTS ? step->expert
                            : part == STEP_CONTEXT ? step->context
                                                   : step->shards;
    const bool is_communication = part == STEP_TENSOR || part == STEP_EXPERTS ||
                                  part == STEP_CONTEXT || part == STEP_GATHER ||
                                  part == STEP_GRADIENTS;
    return is_communication && group.on_node < group.ranks;
}

TransformerStep transformer_step(const TransformerJob *job, const TransformerLayout *layout,
                                 const TransformerMachine *machine, ScheduleMode mode)
{
    const Step step = step_begin(job, layout, machine);
    Stages stages;
    stages_fill(&step, &stages);
    const int32_t rank = busiest_rank(&step, &stages);
    const RankParameters parameters = rank_parameters(job, layout, rank);
    Passes sum = rank_parts(&step, &stages, rank);
    const double busy_s = passes_sum(&sum);
    if (layout->pipeline > 1)
        sum.parts_s[STEP_BUBBLE] = larger(0, makespan_s(&step, &stages, mode) - busy_s);
    sum.parts_s[STEP_GRADIENTS] = exposed_gradients_s(&step, &stages, rank, parameters);
    sum.parts_s[STEP_OPTIMIZER] = optimizer_s(&step, parameters);
    sum.parts_s[STEP_OVERHEAD] = (double)machine->software->step_overhead_ns / NS_PER_S;
    TransformerStep result = {.rank = rank,
                              .step_s = passes_sum(&sum),
                              .all_to_all =
                                  group_all_to_all_bytes(step.expert, layer_received_bytes(&step))};
    for (int i = 0; i < STEP_PART_COUNT; i++) {
        result.parts_s[i] = sum.parts_s[i];
        result.between_nodes_s += crosses(&step, (StepPart)i) ? sum.parts_s[i] : 0;
    }
    return result;
}

/* --- Names and totals --- */

const char *step_part_name(StepPart part)
{
    static const char *const names[] = {
#define X(name, text, doc) text,
        TRANSFORMER_STEP_PARTS(X)
#undef X
    };
    return names[part];
}

const char *step_part_doc(StepPart part)
{
    static const char *const docs[] = {
#define X(name, text, doc) doc,
        TRANSFORMER_STEP_PARTS(X)
#undef X
    };
    return docs[part];
}

double transformer_tokens_per_s(const TransformerJob *job, double step_s)
{
    return (double)job->global_batch * (double)job->shape.sequence / step_s;
}

double transformer_mfu(const TransformerJob *job, const TransformerLayout *layout,
                       const TransformerGpu *gpu, AttentionConvention convention, double step_s)
{
    const int64_t peak =
        layout->precision == PRECISION_FP8 ? gpu->fp8_peak_flops : gpu->bf16_peak_flops;
    return transformer_tokens_per_s(job, step_s) *
           (double)transformer_flops_per_token(&job->shape, convention) /
           ((double)peak * job->gpus);
}
