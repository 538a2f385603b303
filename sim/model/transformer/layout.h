/* How a training is spread over GPUs: which rank holds which part of the model and of the batch.
 *
 * A rank has a coordinate in each dimension, and tensor changes fastest, then context, data,
 * pipeline, as in Megatron-LM: the ranks of a tensor group are neighbours on one node.
 *
 *     gpus = tensor * context * data * pipeline
 *     micro batches of a rank and step = global batch / (data * micro batch)
 *
 * Expert ranks add no GPUs. The routed experts of a layer are divided among `expert` neighbours of
 * the ranks that have the same layers: of all of them if each expert is whole, or of those with the
 * same tensor coordinate if tensor ranks divide each expert. Everything else is held as without
 * experts. The copies of an expert share its gradients and its optimizer's state:
 *
 *     copies = tensor * context * data / (expert * (tensor if they divide each expert, else 1)) */
#ifndef SIM_MODEL_TRANSFORMER_LAYOUT_H
#define SIM_MODEL_TRANSFORMER_LAYOUT_H

#include "sim/model/transformer/shape.h"

#define SHARDINGS(X)                                                                               \
    X(DDP, "ddp")             /* every data rank holds everything */                               \
    X(ZERO1, "zero1")         /* the optimizer's state is divided among data ranks */              \
    X(ZERO2, "zero2")         /* and gradients */                                                  \
    X(FSDP, "fsdp")           /* and weights (ZeRO-3), gathered for each pass of each layer */     \
    X(FSDP_KEPT, "fsdp-kept") /* weights stay gathered from the forward to the backward pass */

typedef enum {
#define X(name, text) SHARDING_##name,
    SHARDINGS(X)
#undef X
        SHARDING_COUNT
} Sharding;

#define RECOMPUTES(X)                                                                              \
    X(NONE, "none")                                                                                \
    X(SELECTIVE, "selective") /* the scores of attention, and what the software adds to it */      \
    X(FULL, "full")           /* each layer keeps only its input */

typedef enum {
#define X(name, text) RECOMPUTE_##name,
    RECOMPUTES(X)
#undef X
        RECOMPUTE_COUNT
} Recompute;

#define PRECISIONS(X)                                                                              \
    X(BF16, "bf16") /* fp16 is as fast */                                                          \
    X(FP8, "fp8")   /* matmuls of layers in FP8, everything else as BF16 */

typedef enum {
#define X(name, text) PRECISION_##name,
    PRECISIONS(X)
#undef X
        PRECISION_COUNT
} Precision;

typedef struct {
    int32_t tensor;
    int32_t context; /* ranks that divide a sequence */
    int32_t data;
    int32_t pipeline;
    int32_t expert;       /* ranks that divide the routed experts of a layer; 1: none do */
    bool divides_experts; /* tensor ranks divide each expert, as they do all other matrices */
    int32_t chunks;       /* of layers on each pipeline rank; 1: plain 1F1B, more: interleaved */
    Sharding sharding;
    bool is_sequence_parallel; /* norms and residuals are divided among tensor ranks */
    Recompute recompute;
    Precision precision;
    bool has_flash_attention; /* scores of attention never reach memory */
    int64_t micro_batch;      /* sequences */
} TransformerLayout;

/* One training: what is trained, on how many GPUs. */
typedef struct {
    TransformerShape shape;
    int32_t gpus;
    int32_t gpus_per_node;
    int64_t global_batch; /* sequences of a step */
} TransformerJob;

enum { TRANSFORMER_GPUS_MOST = 65536, TRANSFORMER_STAGES_MOST = 512 };
/* Tokens of a micro batch on a rank. */
#define TRANSFORMER_TOKENS_MOST (INT64_C(1) << 26)

/* The product of all dimensions; more than TRANSFORMER_GPUS_MOST for any larger one. */
int32_t layout_ranks(const TransformerLayout *layout);
/* The ranks that share one copy of the optimizer's state: data and context. */
int32_t layout_shards(const TransformerLayout *layout);
/* Ranks that hold parts of one routed expert: the tensor ranks, or 1. */
int32_t layout_expert_parts(const TransformerLayout *layout);
/* The ranks that share one copy of the optimizer's state of the routed experts. */
int32_t layout_expert_shards(const TransformerLayout *layout);
/* The micro batches of a rank in a step. */
int64_t layout_micro_batches(const TransformerJob *job, const TransformerLayout *layout);
/* Layers of a kind of one chunk of a pipeline rank. When chunks do not divide the layers, the first
 * chunks have one more. `chunk` counts from 0 in the order of the forward pass. */
int64_t layout_chunk_layers(const TransformerJob *job, const TransformerLayout *layout,
                            BlockKind kind, int32_t chunk);

/* NULL when the layout can run the job; otherwise the rule that it breaks, as a clause: "tensor
 * ranks do not divide the heads". Memory is not considered. All members must be >= 1. */
const char *layout_problem(const TransformerJob *job, const TransformerLayout *layout);

const char *sharding_name(Sharding sharding);
const char *recompute_name(Recompute recompute);
const char *precision_name(Precision precision);

#endif
