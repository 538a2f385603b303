#include "sim/model/transformer/step.h"

#include "sim/base/units.h"
#include "sim/model/transformer/memory.h"
#include "sim/model/transformer/schedule.h"

/* The backward pass of flash attention: five products instead of two. Source: Dao,
 * FlashAttention-2, arXiv:2307.08691, section 4. */
#define ATTENTION_BACKWARD 2.5
/* Scores in memory, without flash attention: written and read by the product, the mask, the softmax
 * and the dropout, 2 bytes each. */
#define SCORE_TRAFFIC_BYTES 16
/* Logits in memory: written, read and rewritten in fp32 by the loss. */
#define LOGIT_TRAFFIC_BYTES 16

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double share(int64_t ppm)
{
    return (double)ppm / PPM;
}

/* The values that the parts of the step are computed from. */
typedef struct {
    const TransformerJob *job;
    const TransformerLayout *layout;
    const TransformerMachine *machine;
    double tokens;       /* of a micro batch on a rank */
    double matmul_flops; /* of layers, reached by large ones */
    double head_flops;   /* of the head, which stays in BF16 */
    RankGroup tensor, context, shards;
    bool sends_between_nodes;
} Step;

/* --- Groups of ranks --- */

static RankGroup group_of(int32_t gpus_per_node, int32_t stride, int32_t ranks)
{
    const int32_t on_node = stride >= gpus_per_node ? 1 : gpus_per_node / stride;
    return (RankGroup){ranks, on_node < ranks ? on_node : ranks};
}

static Step step_begin(const TransformerJob *job, const TransformerLayout *layout,
                       const TransformerMachine *machine)
{
    const TransformerSoftware *software = machine->software;
    const TransformerGpu *gpu = machine->gpu;
    const bool is_fp8 = layout->precision == PRECISION_FP8;
    const double bf16_flops = (double)gpu->bf16_matmul_flops * share(software->matmul_ppm);
    const int32_t node = job->gpus_per_node;
    return (Step){
        .job = job,
        .layout = layout,
        .machine = machine,
        .tokens = (double)(layout->micro_batch * job->shape.sequence) / layout->context,
        .matmul_flops =
            is_fp8 ? (double)gpu->fp8_matmul_flops * share(software->fp8_matmul_ppm) : bf16_flops,
        .head_flops = bf16_flops,
        .tensor = group_of(node, 1, layout->tensor),
        .context = group_of(node, layout->tensor, layout->context),
        .shards = group_of(node, layout->tensor, layout_shards(layout)),
        .sends_between_nodes = job->gpus > node,
    };
}

/* --- Computation --- */

static double matmul_s(const Step *step, double flops_per_s, double m, double n, double k)
{
    const double half = (double)step->machine->software->matmul_half;
    const double shape = 1 + half / m + half / n + half / k;
    const double bytes = 2 * (m * n + n * k + m * k);
    return larger(2 * m * n * k / flops_per_s * shape,
                  bytes / (double)step->machine->gpu->memory_bytes_per_s);
}

static double layer_matmuls_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const double t = step->layout->tensor, h = (double)shape->hidden, f = (double)shape->mlp;
    const double kv = (double)(shape->hidden / shape->heads * shape->kv_heads);
    const double rate = step->matmul_flops, m = step->tokens;
    return matmul_s(step, rate, m, (h + 2 * kv) / t, h) + matmul_s(step, rate, m, h, h / t) +
           matmul_s(step, rate, m, (shape->is_gated ? 2 : 1) * f / t, h) +
           matmul_s(step, rate, m, h, f / t);
}

static double layer_elements_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const double t = step->layout->tensor, h = (double)shape->hidden;
    const double kv = (double)(shape->hidden / shape->heads * shape->kv_heads);
    // Two norms and two residuals read and write; positions; the activation function.
    const double whole = 8 * h / (step->layout->is_sequence_parallel ? t : 1);
    const double divided = 2 * (h + kv) / t + (shape->is_gated ? 3 : 2) * (double)shape->mlp / t;
    return 2 * step->tokens * (whole + divided) * share(step->machine->software->element_ppm) /
           (double)step->machine->gpu->memory_bytes_per_s;
}

static double layer_attention_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const TransformerMachine *machine = step->machine;
    const bool is_flash = step->layout->has_flash_attention;
    const double part = is_flash && shape->kind == TRANSFORMER_DECODER ? 0.5 : 1;
    const double s = (double)shape->sequence, t = step->layout->tensor;
    const double flops = 4 * step->tokens * s * (double)shape->hidden / t * part;
    const double rate =
        (double)machine->gpu->attention_flops * share(machine->software->attention_ppm);
    const double scores = step->tokens * s * (double)shape->heads / t;
    const double traffic_s =
        is_flash ? 0 : scores * SCORE_TRAFFIC_BYTES / (double)machine->gpu->memory_bytes_per_s;
    return flops / rate + traffic_s;
}

/* The head and the loss, forward. */
static double head_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const double words = (double)shape->vocabulary / step->layout->tensor;
    return matmul_s(step, step->head_flops, step->tokens, words, (double)shape->hidden) +
           step->tokens * words * LOGIT_TRAFFIC_BYTES / 3 /
               (double)step->machine->gpu->memory_bytes_per_s;
}

/* --- Communication of a layer --- */

/* Communication that may hide in `behind_s` of computation. */
static double exposed_s(const Step *step, double communication_s, double behind_s)
{
    const double loss = share(step->machine->software->overlap_loss_ppm);
    const double hidden_s = communication_s < behind_s ? communication_s : behind_s;
    return communication_s - hidden_s + loss * hidden_s;
}

/* One pass of a layer. */
static double layer_tensor_s(const Step *step)
{
    if (step->layout->tensor == 1)
        return 0;
    const double bytes = 2 * step->tokens * (double)step->job->shape.hidden;
    const double once_s = step->layout->is_sequence_parallel
                              ? 2 * group_gather_s(step->machine, step->tensor, bytes)
                              : group_all_reduce_s(step->machine, step->tensor, bytes);
    return 2 * once_s * share(step->machine->software->tensor_exposed_ppm);
}

/* Keys and values of all context ranks: a gather of each rank's. */
static double layer_context_s(const Step *step, double attention_s)
{
    const TransformerLayout *layout = step->layout;
    const TransformerShape *shape = &step->job->shape;
    if (layout->context == 1)
        return 0;
    const double kv = (double)(shape->hidden / shape->heads * shape->kv_heads);
    const double bytes = 4 * step->tokens * kv / layout->tensor * layout->context;
    return exposed_s(step, group_gather_s(step->machine, step->context, bytes), attention_s);
}

static double layer_weights_bytes(const Step *step)
{
    return 2 * (double)transformer_layer_parameters(&step->job->shape) / step->layout->tensor;
}

/* --- Stages --- */

/* A pass of one layer, by part. */
typedef struct {
    double parts_s[STEP_PART_COUNT];
} Passes;

static double passes_sum(const Passes *passes)
{
    double sum = 0;
    for (int i = 0; i < STEP_PART_COUNT; i++)
        sum += passes->parts_s[i];
    return sum;
}

static void passes_add(Passes *sum, const Passes *more, double times)
{
    for (int i = 0; i < STEP_PART_COUNT; i++)
        sum->parts_s[i] += times * more->parts_s[i];
}

static void add_host(const Step *step, double launches, Passes *passes)
{
    const double host_s = launches * (double)step->machine->software->layer_launch_ns / NS_PER_S;
    passes->parts_s[STEP_HOST] = larger(0, host_s - passes_sum(passes));
}

static bool is_fsdp(const Step *step)
{
    return step->layout->sharding >= SHARDING_FSDP && layout_shards(step->layout) > 1;
}

static Passes layer_forward(const Step *step)
{
    Passes passes = {0};
    const double attention_s = layer_attention_s(step);
    passes.parts_s[STEP_COMPUTE] = layer_matmuls_s(step) + layer_elements_s(step);
    passes.parts_s[STEP_ATTENTION] = attention_s;
    passes.parts_s[STEP_TENSOR] = layer_tensor_s(step);
    passes.parts_s[STEP_CONTEXT] = layer_context_s(step, attention_s);
    add_host(step, 1, &passes);
    if (is_fsdp(step))
        passes.parts_s[STEP_GATHER] =
            exposed_s(step, group_gather_s(step->machine, step->shards, layer_weights_bytes(step)),
                      passes_sum(&passes));
    return passes;
}

/* The share of a layer that is performed again before its backward pass. */
static double recomputed_share(const Step *step)
{
    if (step->layout->recompute == RECOMPUTE_FULL)
        return 1;
    return step->layout->recompute == RECOMPUTE_SELECTIVE
               ? share(step->machine->software->selective_ppm)
               : 0;
}

static Passes layer_backward(const Step *step, const Passes *forward)
{
    const TransformerLayout *layout = step->layout;
    const double again = recomputed_share(step);
    const bool repeats_scores =
        layout->recompute == RECOMPUTE_SELECTIVE && !layout->has_flash_attention;
    const double attention_s = forward->parts_s[STEP_ATTENTION];
    Passes passes = {0};
    passes.parts_s[STEP_COMPUTE] = 2 * forward->parts_s[STEP_COMPUTE];
    passes.parts_s[STEP_ATTENTION] = ATTENTION_BACKWARD * attention_s;
    passes.parts_s[STEP_RECOMPUTE] = again * (forward->parts_s[STEP_COMPUTE] + attention_s) +
                                     (repeats_scores ? (1 - again) * attention_s : 0);
    passes.parts_s[STEP_TENSOR] = (1 + again) * forward->parts_s[STEP_TENSOR];
    passes.parts_s[STEP_CONTEXT] = 2 * forward->parts_s[STEP_CONTEXT];
    add_host(step, 2 + again, &passes);
    if (is_fsdp(step)) {
        const double bytes = layer_weights_bytes(step);
        const double scale = (double)step->machine->software->gradient_bytes / 2;
        const bool gathers = layout->sharding == SHARDING_FSDP;
        const double once_s = group_gather_s(step->machine, step->shards, bytes);
        const double scatter_s = group_gather_s(step->machine, step->shards, bytes * scale);
        passes.parts_s[STEP_GATHER] =
            exposed_s(step, (gathers ? once_s : 0) + scatter_s, passes_sum(&passes));
    }
    return passes;
}

/* The last stage also has the head. */
static void add_head(const Step *step, Passes *forward, Passes *backward)
{
    const double once_s = head_s(step);
    forward->parts_s[STEP_COMPUTE] += once_s;
    backward->parts_s[STEP_COMPUTE] += 2 * once_s;
}

/* The passes of all stages, in the order of the forward pass. */
typedef struct {
    Passes forward, backward; /* of a layer */
    Passes head_forward, head_backward;
    double forward_s[SCHEDULE_STAGES_MOST];
    double backward_s[SCHEDULE_STAGES_MOST];
} Stages;

static void stages_fill(const Step *step, Stages *stages)
{
    const int32_t count = step->layout->pipeline * step->layout->chunks;
    stages->forward = layer_forward(step);
    stages->backward = layer_backward(step, &stages->forward);
    stages->head_forward = stages->head_backward = (Passes){0};
    add_head(step, &stages->head_forward, &stages->head_backward);
    const double forward_s = passes_sum(&stages->forward);
    const double backward_s = passes_sum(&stages->backward);
    for (int32_t i = 0; i < count; i++) {
        const double layers = (double)layout_chunk_layers(step->job, step->layout, i);
        stages->forward_s[i] = layers * forward_s;
        stages->backward_s[i] = layers * backward_s;
    }
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

/* Only the first chunks have one more layer, and only the last rank has the head. */
static int32_t busiest_rank(const Step *step, const Stages *stages)
{
    const int32_t last = step->layout->pipeline - 1;
    return rank_passes_s(step, stages, 0) > rank_passes_s(step, stages, last) ? 0 : last;
}

/* The parts of the passes of `rank` in a step. */
static Passes rank_parts(const Step *step, const Stages *stages, int32_t rank)
{
    const double batches = (double)layout_micro_batches(step->job, step->layout);
    Passes sum = {0};
    for (int32_t chunk = 0; chunk < step->layout->chunks; chunk++) {
        const double layers = (double)layout_chunk_layers(step->job, step->layout,
                                                          rank + chunk * step->layout->pipeline);
        passes_add(&sum, &stages->forward, layers * batches);
        passes_add(&sum, &stages->backward, layers * batches);
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
    return exposed_s(step, communication_s, backward_s);
}

/* DDP sums gradients once a step. A divided optimizer scatters them, and gathers the weights.
 * Divided gradients (ZeRO-2) are scattered after each micro batch, because no rank has room for
 * the sum. */
static double exposed_gradients_s(const Step *step, const Stages *stages, int32_t rank,
                                  double parameters)
{
    const Sharding sharding = step->layout->sharding;
    if (step->shards.ranks == 1 || is_fsdp(step))
        return 0;
    const Messages messages = gradient_messages(step, parameters);
    if (sharding == SHARDING_DDP)
        return after_backward_s(
            step, stages, rank,
            messages.count * group_all_reduce_s(step->machine, step->shards, messages.bytes));
    const double weights = 2.0 / (double)step->machine->software->gradient_bytes;
    const double scatter_s =
        messages.count * group_gather_s(step->machine, step->shards, messages.bytes);
    const double gather_s =
        messages.count * group_gather_s(step->machine, step->shards, messages.bytes * weights);
    const double earlier =
        sharding == SHARDING_ZERO2 ? (double)layout_micro_batches(step->job, step->layout) - 1 : 0;
    return after_backward_s(step, stages, rank, scatter_s + gather_s) +
           earlier * after_backward_s(step, stages, rank, scatter_s);
}

static double optimizer_s(const Step *step, double parameters)
{
    const bool is_divided = step->layout->sharding >= SHARDING_ZERO1;
    return parameters / (is_divided ? layout_shards(step->layout) : 1) *
           (double)step->machine->software->optimizer_bytes /
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
    const RankGroup group = part == STEP_TENSOR    ? step->tensor
                            : part == STEP_CONTEXT ? step->context
                                                   : step->shards;
    const bool is_communication = part == STEP_TENSOR || part == STEP_CONTEXT ||
                                  part == STEP_GATHER || part == STEP_GRADIENTS;
    return is_communication && group.on_node < group.ranks;
}

TransformerStep transformer_step(const TransformerJob *job, const TransformerLayout *layout,
                                 const TransformerMachine *machine, ScheduleMode mode)
{
    const Step step = step_begin(job, layout, machine);
    Stages stages;
    stages_fill(&step, &stages);
    const int32_t rank = busiest_rank(&step, &stages);
    const double parameters = (double)rank_parameters(job, layout, rank);
    Passes sum = rank_parts(&step, &stages, rank);
    const double busy_s = passes_sum(&sum);
    if (layout->pipeline > 1)
        sum.parts_s[STEP_BUBBLE] = larger(0, makespan_s(&step, &stages, mode) - busy_s);
    sum.parts_s[STEP_GRADIENTS] = exposed_gradients_s(&step, &stages, rank, parameters);
    sum.parts_s[STEP_OPTIMIZER] = optimizer_s(&step, parameters);
    sum.parts_s[STEP_OVERHEAD] = (double)machine->software->step_overhead_ns / NS_PER_S;
    TransformerStep result = {.rank = rank, .step_s = passes_sum(&sum)};
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
