#include "sim/model/transformer/memory.h"

#include <stddef.h>

#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/transformer/schedule.h"

enum { WEIGHT_BYTES = 2, OPTIMIZER_BYTES = 12, LOGIT_BYTES = 6, GATHERED_LAYERS = 2 };
/* Scores and probabilities of each routed expert, in fp32. */
enum { ROUTER_BYTES = 8 };

static int64_t rank_layers(const TransformerJob *job, const TransformerLayout *layout,
                           BlockKind kind, int32_t rank)
{
    int64_t layers = 0;
    for (int32_t chunk = 0; chunk < layout->chunks; chunk++)
        layers += layout_chunk_layers(job, layout, kind, rank + chunk * layout->pipeline);
    return layers;
}

/* The rank's part of the routed experts of a layer. */
static int64_t layer_experts(const TransformerShape *shape, const TransformerLayout *layout)
{
    return divide_up(shape->experts.count / layout->expert * transformer_expert_parameters(shape),
                     layout_expert_parts(layout));
}

RankParameters rank_parameters(const TransformerJob *job, const TransformerLayout *layout,
                               int32_t rank)
{
    const TransformerShape *shape = &job->shape;
    const int64_t table = shape->vocabulary * shape->hidden;
    const bool is_first = rank == 0, is_last = rank == layout->pipeline - 1;
    int64_t parameters = 0;
    for (int kind = 0; kind < BLOCK_KIND_COUNT; kind++)
        parameters += rank_layers(job, layout, (BlockKind)kind, rank) *
                      transformer_layer_parameters(shape, (BlockKind)kind);
    if (is_first)
        parameters += table + shape->positions * shape->hidden + shape->other_parameters;
    if (is_last) // a tied head on another rank is a copy
        parameters += (is_first && shape->is_tied ? 0 : table) + transformer_norm_parameters(shape);
    return (RankParameters){
        .common = divide_up(parameters, layout->tensor),
        .experts = rank_layers(job, layout, BLOCK_EXPERTS, rank) * layer_experts(shape, layout),
    };
}

/* Counts as doubles do not overflow; they are exact up to 2^53. */
static int64_t bytes_of(double bytes)
{
    const double most = 1e18;
    return (int64_t)(bytes < most ? bytes : most);
}

/* Tokens of a micro batch on a rank. */
static int64_t rank_tokens(const TransformerJob *job, const TransformerLayout *layout)
{
    return divide_up(layout->micro_batch * job->shape.sequence, layout->context);
}

/* Width of the MLPs that every token takes. */
static double common_width(const TransformerShape *shape, BlockKind kind)
{
    const TransformerExperts *experts = &shape->experts;
    return kind == BLOCK_DENSE ? (double)shape->mlp
                               : (double)(experts->shared * experts->shared_mlp);
}

int64_t layer_activation_bytes(const TransformerJob *job, const TransformerLayout *layout,
                               BlockKind kind)
{
    const TransformerShape *shape = &job->shape;
    const AttentionWidths widths = transformer_attention_widths(shape);
    const double h = (double)shape->hidden, tokens = (double)rank_tokens(job, layout);
    const double t = layout->tensor, whole = layout->is_sequence_parallel ? t : 1;
    if (layout->recompute == RECOMPUTE_FULL)
        return bytes_of(2 * h * tokens / whole);
    const double values = (double)(widths.queries + widths.keys + widths.values + widths.output) +
                          (shape->is_gated ? 3 : 2) * common_width(shape, kind);
    const bool keeps_scores = !layout->has_flash_attention && layout->recompute == RECOMPUTE_NONE;
    const double scores = keeps_scores ? 5 * (double)shape->heads * (double)shape->sequence : 0;
    const double router = kind == BLOCK_EXPERTS ? ROUTER_BYTES * (double)shape->experts.count : 0;
    const double latents = 2 * (double)widths.latents; // each tensor rank has them
    return bytes_of(tokens *
                    ((2 * values + scores) / t + 8 * h / whole + (router + latents) / whole));
}

/* Copies of the tokens of a rank, or of its tensor group if that divides experts. */
static double own_copies(const TransformerJob *job, const TransformerLayout *layout)
{
    return (double)rank_tokens(job, layout) / layout->tensor * layout_expert_parts(layout) *
           (double)job->shape.experts.chosen;
}

/* A rank with all experts takes its own copies, however they are balanced, and no rank takes more
 * than the copies of its whole group. */
double rank_routed_tokens(const TransformerJob *job, const TransformerLayout *layout)
{
    const double imbalance = (double)job->shape.experts.imbalance_ppm / PPM;
    return own_copies(job, layout) * (imbalance < layout->expert ? imbalance : layout->expert);
}

int64_t layer_routed_bytes(const TransformerJob *job, const TransformerLayout *layout)
{
    const TransformerShape *shape = &job->shape;
    if (!transformer_has_experts(shape) || layout->recompute == RECOMPUTE_FULL)
        return 0;
    const double mlp = (shape->is_gated ? 3 : 2) * (double)shape->experts.mlp;
    return bytes_of(rank_routed_tokens(job, layout) *
                    (2 * mlp / layout_expert_parts(layout) + 4 * (double)shape->hidden));
}

/* A kind of layers that the rank has; those with experts take more. */
static BlockKind largest_kind(const TransformerJob *job, const TransformerLayout *layout,
                              int32_t rank)
{
    return rank_layers(job, layout, BLOCK_EXPERTS, rank) > 0 ? BLOCK_EXPERTS : BLOCK_DENSE;
}

/* Recomputation holds the one layer that it performs again, next to the kept activations. */
static int64_t working_bytes(const TransformerJob *job, const TransformerLayout *layout,
                             BlockKind kind)
{
    TransformerLayout again = *layout;
    again.recompute = RECOMPUTE_NONE;
    return layer_activation_bytes(job, &again, kind) - layer_activation_bytes(job, layout, kind);
}

static double in_flight(const TransformerJob *job, const TransformerLayout *layout, int32_t rank)
{
    return schedule_in_flight(layout->pipeline, layout->chunks, layout_micro_batches(job, layout),
                              rank);
}

static int64_t activation_bytes(const TransformerJob *job, const TransformerLayout *layout,
                                int32_t rank)
{
    double kept = 0;
    for (int kind = 0; kind < BLOCK_KIND_COUNT; kind++) {
        const double layers = (double)rank_layers(job, layout, (BlockKind)kind, rank);
        if (layers > 0)
            kept += in_flight(job, layout, rank) * layers *
                    (double)layer_activation_bytes(job, layout, (BlockKind)kind);
    }
    return bytes_of(kept) + working_bytes(job, layout, largest_kind(job, layout, rank));
}

/* As activations; recomputation holds those of one layer. */
static int64_t routed_bytes(const TransformerJob *job, const TransformerLayout *layout,
                            int32_t rank)
{
    TransformerLayout again = *layout;
    again.recompute = RECOMPUTE_NONE;
    const double layers = (double)rank_layers(job, layout, BLOCK_EXPERTS, rank);
    const int64_t kept = layer_routed_bytes(job, layout);
    const int64_t working = layers > 0 ? layer_routed_bytes(job, &again) - kept : 0;
    return bytes_of(in_flight(job, layout, rank) * layers * (double)kept) + working;
}

/* The copies that the rank sends and receives, 2 bytes a value each. */
static int64_t exchange_bytes(const TransformerJob *job, const TransformerLayout *layout,
                              int32_t rank)
{
    if (layout->expert == 1 || rank_layers(job, layout, BLOCK_EXPERTS, rank) == 0)
        return 0;
    return bytes_of(2 * (own_copies(job, layout) + rank_routed_tokens(job, layout)) /
                    layout_expert_parts(layout) * (double)job->shape.hidden);
}

/* Bytes of a parameter that the sharding leaves on each of `shards` ranks. */
typedef struct {
    int64_t weights, gradients, optimizer;
} StateBytes;

static StateBytes state_bytes(const TransformerLayout *layout, const TransformerSoftware *software,
                              int64_t parameters, int64_t shards)
{
    const Sharding sharding = layout->sharding;
    return (StateBytes){
        .weights = divide_up(WEIGHT_BYTES * parameters, sharding >= SHARDING_FSDP ? shards : 1),
        .gradients = divide_up(software->gradient_bytes * parameters,
                               sharding >= SHARDING_ZERO2 ? shards : 1),
        .optimizer =
            divide_up(OPTIMIZER_BYTES * parameters, sharding >= SHARDING_ZERO1 ? shards : 1),
    };
}

/* FSDP: whole weights of two layers, or of all. Experts without copies are whole anyway. */
static int64_t gathered_bytes(const TransformerJob *job, const TransformerLayout *layout,
                              RankParameters parameters, int32_t rank)
{
    const BlockKind kind = largest_kind(job, layout, rank);
    const bool gathers_experts = layout_expert_shards(layout) > 1;
    const int64_t layer =
        divide_up(transformer_layer_parameters(&job->shape, kind), layout->tensor) +
        (kind == BLOCK_EXPERTS && gathers_experts ? layer_experts(&job->shape, layout) : 0);
    if (layout->sharding == SHARDING_FSDP)
        return GATHERED_LAYERS * WEIGHT_BYTES * layer;
    return layout->sharding == SHARDING_FSDP_KEPT
               ? WEIGHT_BYTES * (parameters.common + (gathers_experts ? parameters.experts : 0))
               : 0;
}

TransformerMemory rank_memory(const TransformerJob *job, const TransformerLayout *layout,
                              const TransformerSoftware *software, int32_t rank)
{
    const RankParameters parameters = rank_parameters(job, layout, rank);
    const StateBytes common =
        state_bytes(layout, software, parameters.common, layout_shards(layout));
    const StateBytes experts =
        state_bytes(layout, software, parameters.experts, layout_expert_shards(layout));
    TransformerMemory memory = {
        .weights_bytes = common.weights,
        .gradients_bytes = common.gradients,
        .optimizer_bytes = common.optimizer,
        .gathered_bytes = gathered_bytes(job, layout, parameters, rank),
        .activations_bytes = activation_bytes(job, layout, rank),
        .experts_bytes = experts.weights + experts.gradients + experts.optimizer,
        .routed_bytes = routed_bytes(job, layout, rank),
        .exchange_bytes = exchange_bytes(job, layout, rank),
    };
    if (rank == layout->pipeline - 1)
        memory.logits_bytes = LOGIT_BYTES * rank_tokens(job, layout) *
                              divide_up(job->shape.vocabulary, layout->tensor);
    const int64_t used = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes +
                         memory.gathered_bytes + memory.activations_bytes + memory.logits_bytes +
                         memory.experts_bytes + memory.routed_bytes + memory.exchange_bytes;
    memory.total_bytes =
        bounded_part(used, software->memory_ppm, PPM) + software->memory_base_bytes;
    memory.software_bytes = memory.total_bytes - used;
    return memory;
}

TransformerState layout_state(const TransformerJob *job, const TransformerLayout *layout)
{
    const int32_t parts = layout->expert * layout_expert_parts(layout);
    int64_t parameters = 0;
    for (int32_t rank = 0; rank < layout->pipeline; rank++) {
        const RankParameters of_rank = rank_parameters(job, layout, rank);
        parameters += of_rank.common * layout->tensor + of_rank.experts * parts;
    }
    const bool is_divided = layout->sharding >= SHARDING_ZERO1;
    const int32_t of_copy = layout->tensor > parts ? layout->tensor : parts;
    return (TransformerState){.bytes = (WEIGHT_BYTES + OPTIMIZER_BYTES) * parameters,
                              .writers =
                                  (is_divided ? layout->tensor * layout_shards(layout) : of_copy) *
                                  layout->pipeline};
}

/* In a dense model activations fall from rank to rank, and only the first and the last rank have
 * more parameters than the others, so one of them has the most. Layers with experts are larger,
 * and any rank may have the most of them. */
TransformerMemory layout_memory(const TransformerJob *job, const TransformerLayout *layout,
                                const TransformerSoftware *software, int32_t *rank)
{
    const int32_t last = layout->pipeline - 1;
    const int32_t stride = transformer_has_experts(&job->shape) || last == 0 ? 1 : last;
    TransformerMemory most = rank_memory(job, layout, software, 0);
    int32_t at = 0;
    for (int32_t i = stride; i <= last; i += stride) {
        const TransformerMemory memory = rank_memory(job, layout, software, i);
        at = memory.total_bytes > most.total_bytes ? i : at;
        most = at == i ? memory : most;
    }
    if (rank != NULL)
        *rank = at;
    return most;
}
