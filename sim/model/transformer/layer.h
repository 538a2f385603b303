/* A pass of one layer of a transformer on a rank: step.h has the formulas. Private to this folder.
 */
#ifndef SIM_MODEL_TRANSFORMER_LAYER_H
#define SIM_MODEL_TRANSFORMER_LAYER_H

#include "sim/model/transformer/step.h"

/* The values that the parts of the step are computed from. */
typedef struct {
    const TransformerJob *job;
    const TransformerLayout *layout;
    const TransformerMachine *machine;
    double tokens;       /* of a micro batch on a rank */
    double matmul_flops; /* of layers, reached by large ones */
    double head_flops;   /* of the head, which stays in BF16 */
    RankGroup tensor, context, shards;
    RankGroup expert, expert_shards;
    bool sends_between_nodes;
} Step;

Step step_begin(const TransformerJob *job, const TransformerLayout *layout,
                const TransformerMachine *machine);
/* Whether layers gather their weights (FSDP) from other ranks. */
bool step_is_fsdp(const Step *step);

/* A pass of one layer, by part. */
typedef struct {
    double parts_s[STEP_PART_COUNT];
} Passes;

double passes_sum(const Passes *passes);
Passes layer_forward(const Step *step, BlockKind kind);
Passes layer_backward(const Step *step, BlockKind kind, const Passes *forward);
/* The head and the loss, forward. */
double layer_head_s(const Step *step);

/* The exposed part of communication that may hide in `behind_s` of computation. */
double step_exposed_s(const Step *step, double communication_s, double behind_s);
/* The copies of tokens that the experts of the busiest rank take in a layer; 0 if each rank has all
 * experts. */
double layer_received_bytes(const Step *step);

#endif
