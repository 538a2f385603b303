#include "sim/model/transformer/layout.h"

#include <stddef.h>

int32_t layout_ranks(const TransformerLayout *layout)
{
    const int32_t dimensions[] = {layout->tensor, layout->context, layout->data, layout->pipeline};
    int64_t ranks = 1;
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++)
        if (ranks <= TRANSFORMER_GPUS_MOST)
            ranks *= dimensions[i];
    return ranks > TRANSFORMER_GPUS_MOST ? TRANSFORMER_GPUS_MOST + 1 : (int32_t)ranks;
}

int32_t layout_shards(const TransformerLayout *layout)
{
    return layout->data * layout->context;
}

int32_t layout_expert_parts(const TransformerLayout *layout)
{
    return layout->divides_experts ? layout->tensor : 1;
}

int32_t layout_expert_shards(const TransformerLayout *layout)
{
    return layout->tensor * layout_shards(layout) / (layout->expert * layout_expert_parts(layout));
}

int64_t layout_micro_batches(const TransformerJob *job, const TransformerLayout *layout)
{
    return job->global_batch / (layout->data * layout->micro_batch);
}

int64_t layout_chunk_layers(const TransformerJob *job, const TransformerLayout *layout,
                            BlockKind kind, int32_t chunk)
{
    const TransformerShape *shape = &job->shape;
    const int64_t chunks = (int64_t)layout->pipeline * layout->chunks;
    const int64_t each = shape->layers / chunks, rest = shape->layers % chunks;
    const int64_t first = chunk * each + (chunk < rest ? chunk : rest);
    return transformer_layers(shape, kind, first, first + each + (chunk < rest));
}

static bool is_interleaving_odd(const TransformerJob *job, const TransformerLayout *layout)
{
    return layout->chunks > 1 &&
           (layout->pipeline == 1 ||
            job->shape.layers % ((int64_t)layout->pipeline * layout->chunks) != 0);
}

static bool splits_batch(const TransformerJob *job, const TransformerLayout *layout)
{
    return job->global_batch % (layout->data * layout->micro_batch) == 0;
}

/* --- Rules of experts --- */

static bool divides(int64_t part, int64_t whole)
{
    return whole % part == 0;
}

/* Whether tensor ranks divide a matrix of layers of this kind that they cannot. */
static bool splits_badly(const TransformerJob *job, const TransformerLayout *layout, BlockKind kind,
                         int64_t width)
{
    return !divides(layout->tensor, width) &&
           transformer_layers(&job->shape, kind, 0, job->shape.layers) > 0;
}

/* Each tensor rank then has a part of the tokens, and sends them to the experts. */
static bool sends_whole_tokens(const TransformerJob *job, const TransformerLayout *layout)
{
    return transformer_has_experts(&job->shape) && layout->tensor > 1 &&
           !layout->is_sequence_parallel && (layout->expert > 1 || !layout->divides_experts);
}

const char *layout_problem(const TransformerJob *job, const TransformerLayout *layout)
{
    const TransformerShape *shape = &job->shape;
    const TransformerExperts *experts = &shape->experts;
    const int64_t shards = (int64_t)layout->data * layout->context;
    const int64_t hosts = layout->divides_experts ? shards : shards * layout->tensor;
    const struct {
        bool is_broken;
        const char *rule;
    } rules[] = {
        {layout_ranks(layout) != job->gpus, "tp x cp x dp x pp is not the number of GPUs"},
        {shape->heads % layout->tensor != 0, "tp does not divide the heads"},
        {splits_badly(job, layout, BLOCK_DENSE, shape->mlp),
         "tp does not divide the width of the MLP"},
        {layout->expert > 1 && !transformer_has_experts(shape),
         "ep divides experts, and this model has none: leave ep out"},
        {!divides(layout->expert, experts->count),
         "ep does not divide the number of experts of a layer"},
        {!divides(layout->expert, hosts),
         layout->divides_experts
             ? "ep does not divide dp x cp (with no-etp it must divide tp x cp x dp)"
             : "ep does not divide tp x cp x dp"},
        {layout->divides_experts && splits_badly(job, layout, BLOCK_EXPERTS, experts->mlp),
         "tp does not divide the width of an expert: no-etp leaves experts whole"},
        {experts->shared > 0 && splits_badly(job, layout, BLOCK_EXPERTS, experts->shared_mlp),
         "tp does not divide the width of a shared expert"},
        {sends_whole_tokens(job, layout),
         "with tp, experts that are divided among ranks (ep, no-etp) need sequence parallel (sp)"},
        {shape->sequence % (2 * layout->context) != 0 && layout->context > 1,
         "cp does not divide half of the sequence"},
        {layout->pipeline * (int64_t)layout->chunks > shape->layers,
         "the pipeline has more chunks than the model has layers"},
        {layout->pipeline * (int64_t)layout->chunks > TRANSFORMER_STAGES_MOST,
         "the pipeline has more than 512 chunks"},
        {layout->micro_batch * shape->sequence / layout->context > TRANSFORMER_TOKENS_MOST,
         "a micro batch has more than 67,108,864 tokens"},
        {is_interleaving_odd(job, layout),
         "interleaving (vpp) needs pp > 1, and pp x vpp must divide the layers"},
        {!splits_batch(job, layout), "dp x mb does not divide the global batch"},
        {layout->chunks > 1 && layout_micro_batches(job, layout) % layout->pipeline != 0,
         "interleaving needs a multiple of pp micro batches"},
        {layout->is_sequence_parallel && (shape->sequence / layout->context) % layout->tensor != 0,
         "tp does not divide the sequence (sp)"},
        {layout->sharding >= SHARDING_ZERO2 && layout->sharding < SHARDING_FSDP &&
             layout->pipeline > 1,
         "zero2 divides gradients that a pipeline accumulates: use zero1 or fsdp with pp"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].is_broken)
            return rules[i].rule;
    return NULL;
}

const char *sharding_name(Sharding sharding)
{
    static const char *const names[] = {
#define X(name, text) text,
        SHARDINGS(X)
#undef X
    };
    return names[sharding];
}

const char *recompute_name(Recompute recompute)
{
    static const char *const names[] = {
#define X(name, text) text,
        RECOMPUTES(X)
#undef X
    };
    return names[recompute];
}

const char *precision_name(Precision precision)
{
    static const char *const names[] = {
#define X(name, text) text,
        PRECISIONS(X)
#undef X
    };
    return names[precision];
}
