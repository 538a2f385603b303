#include "sim/model/transformer/layer.h"

#include "sim/base/units.h"
#include "sim/model/transformer/memory.h"

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

/* --- Groups of ranks --- */

static RankGroup group_of(int32_t gpus_per_node, int32_t stride, int32_t ranks)
{
    const int32_t on_node = stride >= gpus_per_node ? 1 : gpus_per_node / stride;
    return (RankGroup){ranks, on_node < ranks ? on_node : ranks};
}

Step step_begin(const TransformerJob *job, const TransformerLayout *layout,
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
        .expert = group_of(node, layout_expert_parts(layout), layout->expert),
        .expert_shards = group_of(node, layout_expert_parts(layout) * layout->expert,
                                  layout_expert_shards(layout)),
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

/* Two matmuls of an MLP of this width on `tokens`; its width is divided by `parts`. Adds to `sum_s`
 * one after the other. */
static double add_mlp_s(const Step *step, double sum_s, double tokens, double width, double parts)
{
    const TransformerShape *shape = &step->job->shape;
    const double h = (double)shape->hidden, rate = step->matmul_flops;
    return sum_s + matmul_s(step, rate, tokens, (shape->is_gated ? 2 : 1) * width / parts, h) +
           matmul_s(step, rate, tokens, h, width / parts);
}

static double attention_matmuls_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const TransformerLatents *latents = &shape->latents;
    const AttentionWidths widths = transformer_attention_widths(shape);
    const double t = step->layout->tensor, h = (double)shape->hidden;
    const double rate = step->matmul_flops, m = step->tokens;
    const double q = (double)widths.queries, kv = (double)(widths.keys + widths.values);
    const double output_s = matmul_s(step, rate, m, h, (double)widths.output / t);
    if (latents->keys == 0)
        return matmul_s(step, rate, m, (q + kv) / t, h) + output_s;
    // Each tensor rank computes the latents of its part of the sequence.
    const double part = step->layout->is_sequence_parallel ? m / t : m;
    const double c = (double)latents->keys, compressed = (double)latents->queries;
    const double queries_s = compressed > 0 ? matmul_s(step, rate, part, compressed, h) +
                                                  matmul_s(step, rate, m, q / t, compressed)
                                            : matmul_s(step, rate, m, q / t, h);
    const double expanded = kv - (double)(shape->heads * latents->rotary);
    return queries_s + matmul_s(step, rate, part, c + (double)latents->rotary, h) +
           matmul_s(step, rate, m, expanded / t, c) + output_s;
}

/* The routed experts of the rank: as many matmuls as it has experts with tokens. */
static double routed_matmuls_s(const Step *step)
{
    const TransformerExperts *experts = &step->job->shape.experts;
    const double copies = rank_routed_tokens(step->job, step->layout);
    const double held = (double)experts->count / step->layout->expert;
    const double used = copies < held ? copies : held;
    return used * add_mlp_s(step, 0, copies / used, (double)experts->mlp,
                            layout_expert_parts(step->layout));
}

/* Router and shared experts. */
static double shared_matmuls_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const TransformerExperts *experts = &shape->experts;
    const double t = step->layout->tensor;
    const double part = step->layout->is_sequence_parallel ? step->tokens / t : step->tokens;
    const double router_s =
        matmul_s(step, step->head_flops, part, (double)experts->count, (double)shape->hidden);
    const double width = (double)(experts->shared * experts->shared_mlp);
    return width > 0 ? add_mlp_s(step, router_s, step->tokens, width, t) : router_s;
}

static double layer_matmuls_s(const Step *step, BlockKind kind)
{
    const double attention_s = attention_matmuls_s(step);
    return kind == BLOCK_DENSE ? add_mlp_s(step, attention_s, step->tokens,
                                           (double)step->job->shape.mlp, step->layout->tensor)
                               : attention_s + shared_matmuls_s(step) + routed_matmuls_s(step);
}

/* Values that routing and the activation functions of experts move. */
static double expert_values(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const TransformerExperts *experts = &shape->experts;
    const double t = step->layout->tensor, mlp = shape->is_gated ? 3 : 2;
    // A copy is read and written on the way to its expert, and on the way back.
    const double of_copy =
        4 * (double)shape->hidden + mlp * (double)experts->mlp / layout_expert_parts(step->layout);
    const double of_token =
        mlp * (double)(experts->shared * experts->shared_mlp) / t +
        2 * (double)experts->count / (step->layout->is_sequence_parallel ? t : 1);
    return rank_routed_tokens(step->job, step->layout) * of_copy + step->tokens * of_token;
}

static double layer_elements_s(const Step *step, BlockKind kind)
{
    const TransformerShape *shape = &step->job->shape;
    const AttentionWidths widths = transformer_attention_widths(shape);
    const double t = step->layout->tensor, h = (double)shape->hidden;
    const double part = step->layout->is_sequence_parallel ? t : 1;
    const double mlp = kind == BLOCK_DENSE ? (double)shape->mlp : 0;
    // Two norms and two residuals read and write; positions; the activation function.
    const double whole = 8 * h / part;
    const double divided =
        2 * (double)(widths.queries + widths.keys) / t + (shape->is_gated ? 3 : 2) * mlp / t;
    const double latents = 2 * (double)widths.latents / part; // their norms
    const double values = 2 * step->tokens * (whole + divided + latents) +
                          (kind == BLOCK_EXPERTS ? 2 * expert_values(step) : 0);
    return values * share(step->machine->software->element_ppm) /
           (double)step->machine->gpu->memory_bytes_per_s;
}

static double layer_attention_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const TransformerMachine *machine = step->machine;
    const AttentionWidths widths = transformer_attention_widths(shape);
    const bool is_flash = step->layout->has_flash_attention;
    const double part = is_flash && shape->kind == TRANSFORMER_DECODER ? 0.5 : 1;
    const double s = (double)shape->sequence, t = step->layout->tensor;
    const double flops = 2 * step->tokens * s * (double)(widths.queries + widths.output) / t * part;
    const double rate =
        (double)machine->gpu->attention_flops * share(machine->software->attention_ppm);
    const double scores = step->tokens * s * (double)shape->heads / t;
    const double traffic_s =
        is_flash ? 0 : scores * SCORE_TRAFFIC_BYTES / (double)machine->gpu->memory_bytes_per_s;
    return flops / rate + traffic_s;
}

double layer_head_s(const Step *step)
{
    const TransformerShape *shape = &step->job->shape;
    const double words = (double)shape->vocabulary / step->layout->tensor;
    return matmul_s(step, step->head_flops, step->tokens, words, (double)shape->hidden) +
           step->tokens * words * LOGIT_TRAFFIC_BYTES / 3 /
               (double)step->machine->gpu->memory_bytes_per_s;
}

/* --- Communication of a layer --- */

double step_exposed_s(const Step *step, double communication_s, double behind_s)
{
    const double loss = share(step->machine->software->overlap_loss_ppm);
    const double hidden_s = communication_s < behind_s ? communication_s : behind_s;
    return communication_s - hidden_s + loss * hidden_s;
}

/* Gather and scatter, or sum, of a half of a layer: of `tokens` among tensor ranks. */
static double half_tensor_s(const Step *step, double tokens)
{
    const double bytes = 2 * tokens * (double)step->job->shape.hidden;
    return step->layout->is_sequence_parallel
               ? 2 * group_gather_s(step->machine, step->tensor, bytes)
               : group_all_reduce_s(step->machine, step->tensor, bytes);
}

/* The half with experts: copies of tokens if experts are on several ranks, or else the tokens, if a
 * matmul of this half is divided at all. */
static double experts_tensor_s(const Step *step)
{
    const TransformerLayout *layout = step->layout;
    const bool gathers_copies = layout->divides_experts && layout->expert > 1;
    const bool gathers_tokens =
        step->job->shape.experts.shared > 0 || (layout->divides_experts && layout->expert == 1);
    return (gathers_copies ? half_tensor_s(step, rank_routed_tokens(step->job, layout)) : 0) +
           (gathers_tokens ? half_tensor_s(step, step->tokens) : 0);
}

/* One pass of a layer. */
static double layer_tensor_s(const Step *step, BlockKind kind)
{
    if (step->layout->tensor == 1)
        return 0;
    const double once_s = half_tensor_s(step, step->tokens);
    return (kind == BLOCK_DENSE ? 2 * once_s : once_s + experts_tensor_s(step)) *
           share(step->machine->software->tensor_exposed_ppm);
}

double layer_received_bytes(const Step *step)
{
    if (step->layout->expert == 1)
        return 0;
    return 2 * rank_routed_tokens(step->job, step->layout) / layout_expert_parts(step->layout) *
           (double)step->job->shape.hidden;
}

/* All-to-alls of one pass, to the experts and back. */
static double layer_experts_s(const Step *step, BlockKind kind)
{
    if (kind == BLOCK_DENSE || step->layout->expert == 1)
        return 0;
    return 2 * group_all_to_all_s(step->machine, step->expert, layer_received_bytes(step)) *
           share(step->machine->routing->exposed_ppm);
}

/* Keys and values of all context ranks: a gather of each rank's. */
static double layer_context_s(const Step *step, double attention_s)
{
    const TransformerLayout *layout = step->layout;
    const AttentionWidths widths = transformer_attention_widths(&step->job->shape);
    if (layout->context == 1)
        return 0;
    const double kv = (double)(widths.keys + widths.values);
    const double bytes = 2 * step->tokens * kv / layout->tensor * layout->context;
    return step_exposed_s(step, group_gather_s(step->machine, step->context, bytes), attention_s);
}

/* Seconds of a gather of a layer's weights, `bytes` each: those of routed experts among the ranks
 * that hold the same ones. */
static double layer_gather_s(const Step *step, BlockKind kind, double bytes)
{
    const TransformerShape *shape = &step->job->shape;
    const TransformerLayout *layout = step->layout;
    const double common = (double)transformer_layer_parameters(shape, kind) / layout->tensor;
    const double common_s = group_gather_s(step->machine, step->shards, bytes * common);
    if (kind == BLOCK_DENSE)
        return common_s;
    const double experts = (double)(shape->experts.count / layout->expert) *
                           (double)transformer_expert_parameters(shape) /
                           layout_expert_parts(layout);
    return common_s + group_gather_s(step->machine, step->expert_shards, bytes * experts);
}

/* --- Passes --- */

double passes_sum(const Passes *passes)
{
    double sum = 0;
    for (int i = 0; i < STEP_PART_COUNT; i++)
        sum += passes->parts_s[i];
    return sum;
}

static void add_host(const Step *step, double launches, Passes *passes)
{
    const double host_s = launches * (double)step->machine->software->layer_launch_ns / NS_PER_S;
    passes->parts_s[STEP_HOST] = larger(0, host_s - passes_sum(passes));
}

bool step_is_fsdp(const Step *step)
{
    return step->layout->sharding >= SHARDING_FSDP &&
           (step->shards.ranks > 1 || step->expert_shards.ranks > 1);
}

Passes layer_forward(const Step *step, BlockKind kind)
{
    enum { WEIGHT_BYTES = 2 };
    Passes passes = {0};
    const double attention_s = layer_attention_s(step);
    passes.parts_s[STEP_COMPUTE] = layer_matmuls_s(step, kind) + layer_elements_s(step, kind);
    passes.parts_s[STEP_ATTENTION] = attention_s;
    passes.parts_s[STEP_TENSOR] = layer_tensor_s(step, kind);
    passes.parts_s[STEP_EXPERTS] = layer_experts_s(step, kind);
    passes.parts_s[STEP_CONTEXT] = layer_context_s(step, attention_s);
    add_host(step, 1, &passes);
    if (step_is_fsdp(step))
        passes.parts_s[STEP_GATHER] =
            step_exposed_s(step, layer_gather_s(step, kind, WEIGHT_BYTES), passes_sum(&passes));
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

Passes layer_backward(const Step *step, BlockKind kind, const Passes *forward)
{
    enum { WEIGHT_BYTES = 2 };
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
    passes.parts_s[STEP_EXPERTS] = (1 + again) * forward->parts_s[STEP_EXPERTS];
    passes.parts_s[STEP_CONTEXT] = 2 * forward->parts_s[STEP_CONTEXT];
    add_host(step, 2 + again, &passes);
    if (step_is_fsdp(step)) {
        const bool gathers = layout->sharding == SHARDING_FSDP;
        const double once_s = layer_gather_s(step, kind, WEIGHT_BYTES);
        const double scatter_s =
            layer_gather_s(step, kind, (double)step->machine->software->gradient_bytes);
        passes.parts_s[STEP_GATHER] =
            step_exposed_s(step, (gathers ? once_s : 0) + scatter_s, passes_sum(&passes));
    }
    return passes;
}
