#include "sim/model/transformer/memory.h"

#include <stddef.h>

#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/transformer/schedule.h"

enum { WEIGHT_BYTES = 2, OPTIMIZER_BYTES = 12, LOGIT_BYTES = 6, GATHERED_LAYERS = 2 };

static int64_t rank_layers(const TransformerJob *job, const TransformerLayout *layout, int32_t rank)
{
    int64_t layers = 0;
    for (int32_t chunk = 0; chunk < layout->chunks; chunk++)
        layers += layout_chunk_layers(job, layout, rank + chunk * layout->pipeline);
    return layers;
}

int64_t rank_parameters(const TransformerJob *job, const TransformerLayout *layout, int32_t rank)
{
    const TransformerShape *shape = &job->shape;
    const int64_t table = shape->vocabulary * shape->hidden;
    const bool is_first = rank == 0, is_last = rank == layout->pipeline - 1;
    int64_t parameters = rank_layers(job, layout, rank) * transformer_layer_parameters(shape);
    if (is_first)
        parameters += table + shape->positions * shape->hidden + shape->other_parameters;
    if (is_last) // a tied head on another rank is a copy
        parameters +=
            (is_first && shape->is_tied ? 0 : table) + shape->hidden * (shape->has_biases ? 2 : 1);
    return divide_up(parameters, layout->tensor);
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

int64_t layer_activation_bytes(const TransformerJob *job, const TransformerLayout *layout)
{
    const TransformerShape *shape = &job->shape;
    const double h = (double)shape->hidden, tokens = (double)rank_tokens(job, layout);
    const double t = layout->tensor, whole = layout->is_sequence_parallel ? t : 1;
    if (layout->recompute == RECOMPUTE_FULL)
        return bytes_of(2 * h * tokens / whole);
    const double kv = (double)(shape->hidden / shape->heads * shape->kv_heads);
    const double values = 2 * h + 2 * kv + (shape->is_gated ? 3 : 2) * (double)shape->mlp;
    const bool keeps_scores = !layout->has_flash_attention && layout->recompute == RECOMPUTE_NONE;
    const double scores = keeps_scores ? 5 * (double)shape->heads * (double)shape->sequence : 0;
    return bytes_of(tokens * ((2 * values + scores) / t + 8 * h / whole));
}

/* Recomputation holds the one layer that it performs again, next to the kept activations. */
static int64_t working_bytes(const TransformerJob *job, const TransformerLayout *layout)
{
    TransformerLayout again = *layout;
    again.recompute = RECOMPUTE_NONE;
    return layer_activation_bytes(job, &again) - layer_activation_bytes(job, layout);
}

static int64_t activation_bytes(const TransformerJob *job, const TransformerLayout *layout,
                                int32_t rank)
{
    const double in_flight = schedule_in_flight(layout->pipeline, layout->chunks,
                                                layout_micro_batches(job, layout), rank);
    const double layers = (double)rank_layers(job, layout, rank);
    return bytes_of(in_flight * layers * (double)layer_activation_bytes(job, layout)) +
           working_bytes(job, layout);
}

TransformerMemory rank_memory(const TransformerJob *job, const TransformerLayout *layout,
                              const TransformerSoftware *software, int32_t rank)
{
    const int64_t parameters = rank_parameters(job, layout, rank);
    const int64_t shards = layout_shards(layout);
    const Sharding sharding = layout->sharding;
    const bool is_fsdp = sharding >= SHARDING_FSDP;
    TransformerMemory memory = {
        .weights_bytes = divide_up(WEIGHT_BYTES * parameters, is_fsdp ? shards : 1),
        .gradients_bytes = divide_up(software->gradient_bytes * parameters,
                                     sharding >= SHARDING_ZERO2 ? shards : 1),
        .optimizer_bytes =
            divide_up(OPTIMIZER_BYTES * parameters, sharding >= SHARDING_ZERO1 ? shards : 1),
        .activations_bytes = activation_bytes(job, layout, rank),
    };
    if (sharding == SHARDING_FSDP)
        memory.gathered_bytes =
            GATHERED_LAYERS * WEIGHT_BYTES *
            divide_up(transformer_layer_parameters(&job->shape), layout->tensor);
    if (sharding == SHARDING_FSDP_KEPT)
        memory.gathered_bytes = WEIGHT_BYTES * parameters;
    if (rank == layout->pipeline - 1)
        memory.logits_bytes = LOGIT_BYTES * rank_tokens(job, layout) *
                              divide_up(job->shape.vocabulary, layout->tensor);
    const int64_t used = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes +
                         memory.gathered_bytes + memory.activations_bytes + memory.logits_bytes;
    memory.total_bytes =
        bounded_part(used, software->memory_ppm, PPM) + software->memory_base_bytes;
    memory.software_bytes = memory.total_bytes - used;
    return memory;
}

TransformerState layout_state(const TransformerJob *job, const TransformerLayout *layout)
{
    int64_t parameters = 0;
    for (int32_t rank = 0; rank < layout->pipeline; rank++)
        parameters += rank_parameters(job, layout, rank) * layout->tensor;
    const int32_t copies = layout->sharding >= SHARDING_ZERO1 ? layout_shards(layout) : 1;
    return (TransformerState){.bytes = (WEIGHT_BYTES + OPTIMIZER_BYTES) * parameters,
                              .writers = layout->tensor * layout->pipeline * copies};
}

/* Activations fall from rank to rank, and only the first and the last rank have more parameters
 * than the others. So one of them has the most. */
TransformerMemory layout_memory(const TransformerJob *job, const TransformerLayout *layout,
                                const TransformerSoftware *software, int32_t *rank)
{
    const int32_t last = layout->pipeline - 1;
    const TransformerMemory at_first = rank_memory(job, layout, software, 0);
    const TransformerMemory at_last = rank_memory(job, layout, software, last);
    const bool is_first = at_first.total_bytes >= at_last.total_bytes;
    if (rank != NULL)
        *rank = is_first ? 0 : last;
    return is_first ? at_first : at_last;
}
