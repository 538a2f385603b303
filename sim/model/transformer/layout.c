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

int64_t layout_micro_batches(const TransformerJob *job, const TransformerLayout *layout)
{
    return job->global_batch / (layout->data * layout->micro_batch);
}

int64_t layout_chunk_layers(const TransformerJob *job, const TransformerLayout *layout,
                            int32_t chunk)
{
    const int64_t chunks = (int64_t)layout->pipeline * layout->chunks;
    return job->shape.layers / chunks + (chunk < job->shape.layers % chunks);
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

const char *layout_problem(const TransformerJob *job, const TransformerLayout *layout)
{
    const TransformerShape *shape = &job->shape;
    const struct {
        bool is_broken;
        const char *rule;
    } rules[] = {
        {layout_ranks(layout) != job->gpus, "tp x cp x dp x pp is not the number of GPUs"},
        {shape->heads % layout->tensor != 0, "tp does not divide the heads"},
        {shape->mlp % layout->tensor != 0, "tp does not divide the width of the MLP"},
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
