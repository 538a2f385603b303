/* The time of a training step of a transformer.
 *
 * A layer's forward pass on a rank takes the longer of its GPU time and the time in which the host
 * queues it. GPU time is the sum of
 *
 *     matmuls     the longer of operations at the reached rate and bytes at the memory's rate;
 *                 the rate falls with short sides: 1 / (1 + c/m + c/n + c/k)
 *     attention   s^2 scores, half of them for a decoder with flash attention; without, all, and
 *                 their way through memory
 *     elements    norms, residuals, activation functions: values at the memory's rate
 *
 * A layer with experts has the matmuls of its router and shared experts, and those of each routed
 * expert of the rank with the tokens that it takes: so their rate falls with the tokens of an
 * expert. If several ranks divide the experts, the busiest takes `imbalance` times as many as the
 * mean, and the others wait for it.
 * Elements are also the copies of tokens that are put in the order of experts, and back.
 *
 * The backward pass takes twice as long (attention 2.5 times), and repeats forward passes that are
 * recomputed. Communication:
 *
 *     tensor      2 all-reduces of a layer's output per pass, or gathers and scatters of the same
 *                 bytes (sequence parallel)
 *     experts     all-to-alls of the copies of tokens to their experts and back per pass. If tensor
 *                 ranks divide experts that are on several ranks, they gather and scatter these
 *                 copies; whole experts need no communication of tensor ranks
 *     context     keys and values of the other ranks, during attention
 *     gather      FSDP: each layer's weights per pass, and its gradients; during the layer's
 *                 computation
 *     pipeline    from stage to stage, in the schedule
 *     gradients   once a step, during the last backward pass if the software overlaps them; ZeRO-2
 *                 scatters them after each micro batch
 *
 * The schedule of the pipeline is executed (schedule.h), so idle time comes from it. The step ends
 * with the update of the parameters. Source of the terms: Narayanan et al., SC'21, and Korthikanti
 * et al., arXiv:2205.05198; of experts: Lepikhin et al., GShard, arXiv:2006.16668; of the
 * constants: the catalogue. */
#ifndef SIM_MODEL_TRANSFORMER_STEP_H
#define SIM_MODEL_TRANSFORMER_STEP_H

#include "sim/model/transformer/layout.h"
#include "sim/model/transformer/machine.h"

/* The parts of a step of the pipeline's busiest rank. */
#define TRANSFORMER_STEP_PARTS(X)                                                                  \
    X(COMPUTE, "compute", "matmuls and elements")                                                  \
    X(ATTENTION, "attention", "scores of attention")                                               \
    X(RECOMPUTE, "recompute", "forward passes performed again")                                    \
    X(HOST, "host", "the GPU waits for the host to queue work")                                    \
    X(TENSOR, "tensor", "exposed communication of tensor ranks")                                   \
    X(EXPERTS, "experts", "exposed all-to-all of tokens to experts and back")                      \
    X(CONTEXT, "context", "exposed communication of context ranks")                                \
    X(GATHER, "gather", "exposed gathers and scatters of FSDP")                                    \
    X(BUBBLE, "bubble", "idle in the pipeline's schedule, sending included")                       \
    X(GRADIENTS, "gradients", "exposed sums of gradients")                                         \
    X(OPTIMIZER, "optimizer", "update of parameters")                                              \
    X(OVERHEAD, "overhead", "once a step, whatever the model")

typedef enum {
#define X(name, text, doc) STEP_##name,
    TRANSFORMER_STEP_PARTS(X)
#undef X
        STEP_PART_COUNT
} StepPart;

typedef struct {
    double parts_s[STEP_PART_COUNT];
    double step_s;            /* their sum */
    int32_t rank;             /* the busiest of the pipeline */
    double between_nodes_s;   /* part of the step: exposed communication over the fabric */
    AllToAllBytes all_to_all; /* to the busiest rank, for its experts of one layer */
} TransformerStep;

/* How the makespan of a pipeline is found. */
typedef enum {
    SCHEDULE_EXECUTED,
    SCHEDULE_BOUND, /* schedule_least_s(): never more than the executed one, and much faster */
} ScheduleMode;

/* The layout must be free of problems; a layout over several nodes needs a fabric. */
TransformerStep transformer_step(const TransformerJob *job, const TransformerLayout *layout,
                                 const TransformerMachine *machine, ScheduleMode mode);

/* "compute" */
const char *step_part_name(StepPart part);
/* "matmuls and elements" */
const char *step_part_doc(StepPart part);

/* Tokens of all ranks in a second. */
double transformer_tokens_per_s(const TransformerJob *job, double step_s);
/* Operations of the model as a share of the GPUs' BF16 peak, or FP8 peak if the layout is FP8. */
double transformer_mfu(const TransformerJob *job, const TransformerLayout *layout,
                       const TransformerGpu *gpu, AttentionConvention convention, double step_s);

#endif
