/* The memory of a rank in training.
 *
 *     weights 2, gradients 2 or 4, optimizer 12 bytes a parameter (fp32 weights and Adam's two
 *     moments), each divided among the ranks that the sharding names
 *     activations of a layer, for each token and divided by the tensor ranks:
 *         2 h (q) + 4 kv d (k, v) + 2 h (context) + 2 f (gated: 3, else 2 values) bytes
 *         + 4 h (norms) + 4 h (inputs of attention and MLP), divided only if sequence parallel
 *         + 5 heads s (scores of attention, without flash attention and recomputation)
 *     logits 6 bytes a token and word
 *
 * With experts, in place of the MLP's:
 *     2 (3 or 2) f (shared experts) and 8 bytes for each routed expert (the router, in fp32)
 *     for each copy of a token that a routed expert of the rank takes:
 *         2 (3 or 2) f (its MLP) + 2 h (input) + 2 h (output) bytes
 *     2 h for each copy that the rank sends, and 2 h for each that it receives, of one layer
 * If several ranks divide the experts, the busiest takes `imbalance` times as many as the mean.
 *
 * For h, f = 4 h, ungated: 32 h, and 34 h in the source, which has the masks of two dropouts.
 * Source: Korthikanti et al., arXiv:2205.05198, section 4. Rank i of a pipeline holds the
 * activations of the micro batches in flight (schedule.h). */
#ifndef SIM_MODEL_TRANSFORMER_MEMORY_H
#define SIM_MODEL_TRANSFORMER_MEMORY_H

#include "sim/model/transformer/layout.h"
#include "sim/model/transformer/machine.h"

typedef struct {
    int64_t weights_bytes;
    int64_t gradients_bytes;
    int64_t optimizer_bytes;
    int64_t gathered_bytes; /* FSDP: weights of the layers in use */
    int64_t activations_bytes;
    int64_t logits_bytes;
    int64_t experts_bytes;  /* weights, gradients, optimizer of routed experts; not in the above */
    int64_t routed_bytes;   /* activations of the tokens that they take; not in the above */
    int64_t exchange_bytes; /* buffers of the all-to-all */
    int64_t software_bytes; /* what the software and its allocator add to the sum of the above */
    int64_t total_bytes;
} TransformerMemory;

/* Parameters of a rank before they are divided among shards, divided by the tensor ranks. */
typedef struct {
    int64_t common;  /* layers, embeddings on the first and the head on the last pipeline rank */
    int64_t experts; /* the rank's part of the routed experts */
} RankParameters;

RankParameters rank_parameters(const TransformerJob *job, const TransformerLayout *layout,
                               int32_t rank);
/* Copies of tokens that the routed experts of the busiest rank take of a micro batch. */
double rank_routed_tokens(const TransformerJob *job, const TransformerLayout *layout);
/* Bytes of one layer's activations for one micro batch, without those of routed experts. */
int64_t layer_activation_bytes(const TransformerJob *job, const TransformerLayout *layout,
                               BlockKind kind);
/* Those of its routed experts. */
int64_t layer_routed_bytes(const TransformerJob *job, const TransformerLayout *layout);
/* The memory of pipeline rank `rank`. The layout must be free of problems. */
TransformerMemory rank_memory(const TransformerJob *job, const TransformerLayout *layout,
                              const TransformerSoftware *software, int32_t rank);
/* That of the rank with the most; `*rank` receives its number, unless it is NULL. */
TransformerMemory layout_memory(const TransformerJob *job, const TransformerLayout *layout,
                                const TransformerSoftware *software, int32_t *rank);

/* The state that a checkpoint has: weights and optimizer, of each parameter once. */
typedef struct {
    int64_t bytes;   /* of all writers together */
    int32_t writers; /* ranks that write equal parts at the same time: all ranks if they divide the
                        optimizer's state, otherwise those of one copy of the model */
} TransformerState;

TransformerState layout_state(const TransformerJob *job, const TransformerLayout *layout);

#endif
