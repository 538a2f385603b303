/* Data-parallel training: the time of one step of all ranks, and the progress of a job.
 *
 * A step of a rank is: wait for input (the part that the input pipeline could not hide), compute
 * (forward and backward), wait for the slowest rank, exchange (the part that the backward pass
 * could not hide), update. Every rank draws one factor f per step, on its compute and on its input.
 * Input is prepared while a step runs, so only what exceeds the rank's own step shows:
 *
 *     input shown = max(0, f input - (f compute + exchange + update))
 *     step        = max over ranks of (input shown + f compute) + exchange + update
 *     wait        = the rest
 *
 * An input-bound step thus lasts as long as the slowest rank's input, a compute-bound one as long
 * as its arithmetic and the exchange. The plan is computed once per attempt by the formulas of
 * sim/model; a step is then a pure function of (plan, seed, attempt, step, speeds of the nodes), so
 * that an emulated log can compute any step again independently.
 *
 * A rank on a slow node takes 1 / speed longer for its compute and its input, and the slowest rank
 * sets the pace of all. */
#ifndef SIM_CLOUD_TRAINING_TRAINING_H
#define SIM_CLOUD_TRAINING_TRAINING_H

#include "sim/base/status.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/cloud/training/step_plan.h"

/* The parts add up to the step, which is equally long for all ranks. Sums stop at INT64_MAX. */
int64_t step_parts_sum(StepParts parts);
StepParts step_parts_add(StepParts a, StepParts b);
StepParts step_parts_times(StepParts parts, int64_t count);

/* The result of one epoch. */
typedef struct {
    int64_t train_accuracy_ppm;
    int64_t train_loss_micro;
    int64_t accuracy_ppm; /* validation */
    int64_t loss_micro;
} EpochResult;

/* Node time, all nodes of a job together. */
typedef struct {
    int64_t kept_ns; /* compute, update, evaluation, files; or a command without training */
    int64_t exchange_ns;
    int64_t input_ns;
    int64_t gang_ns; /* waiting for other ranks and nodes */
    int64_t startup_ns;
    int64_t checkpoint_ns;
} NodeTime;

/* These stop at INT64_MAX. */
int64_t node_time_sum(NodeTime time);
NodeTime node_time_add(NodeTime a, NodeTime b);
NodeTime node_time_times(NodeTime time, int64_t count);

/* When the parts of an epoch ended; INT64_MAX before. */
typedef struct {
    int64_t begin_ns;
    int64_t end_ns;          /* last step */
    int64_t evaluated_ns;    /* end_ns when there is no evaluation */
    int64_t checkpointed_ns; /* likewise */
} EpochTimes;

/* The progress of an attempt below job fidelity. */
typedef struct {
    EpochTimes *epochs;    /* [plan.epochs] */
    int64_t **step_end_ns; /* [plan.epochs], of epochs whose steps are not as step_duration_ns says,
                              when each ended; NULL until there is one */
    StepParts *rank_parts; /* [rank] of the step under way */
    int64_t *rank_speed_ppm; /* [rank]; NULL until a node is slow */
    bool is_as_drawn;        /* the step under way is as step_duration_ns says */
    int64_t exchange_since_ns;
    StepParts parts; /* of rank 0, so far, all epochs of the attempt */
    NodeTime done;   /* since training began */
    NodeTime kept;   /* the part of it that the last checkpoint keeps */
} TrainingProgress;

typedef struct {
    StepPlan plan;
    uint64_t seed;
    uint64_t address;      /* the job's: for its learning */
    uint64_t step_address; /* the attempt's: how long steps take */
    int64_t first_epoch;   /* epochs done in attempts before, and not lost */
    int64_t epoch; /* finished ones, those included; at job fidelity only known at the end */
    int64_t step;  /* finished ones in the present epoch */
    StepParts epoch_parts; /* of rank 0: step fidelity in the present epoch so far, else as foreseen
                              for a whole one */
    NodeTime epoch_nodes;  /* of all nodes, as foreseen for a whole epoch: not at step fidelity */
    int64_t evaluate_ns;   /* as foreseen, as are the next two */
    int64_t final_evaluate_ns;
    int64_t checkpoint_ns; /* job fidelity: of one */
    int64_t evaluate_total_ns;
    int64_t checkpoint_total_ns;
    TrainingProgress *progress; /* NULL at job fidelity */
} Training;

/* How long step `step` (0-based, over all epochs) of all ranks takes on nodes as modelled. Pure, as
 * is the next; both draw one random word per rank. */
int64_t step_duration_ns(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step);
/* The same with the parts of every rank, on nodes of any speed (`speed_ppm` [rank] > 0; NULL: all
 * as modelled): fills plan->ranks parts and returns how long the step takes. */
int64_t step_parts_of_ranks(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step,
                            const int64_t *speed_ppm, StepParts *parts);
/* The mean over steps for rank 0, for coarse fidelities: the limit of the mean of the above. */
StepParts step_parts_mean(const StepPlan *plan);
/* The same for all ranks at these speeds, from a table of the slowest rank's pace. */
void step_parts_mean_of_ranks(const StepPlan *plan, const int64_t *speed_ppm, StepParts *parts);

/* The address for the luck of an attempt's steps: the job's own for the first, so that epochs done
 * again take another time. */
uint64_t training_step_address(uint64_t address, int32_t attempt);

/* Which of `nodes` nodes a rank runs on: ranks fill the nodes in turn, rank 0 on node 0. */
int32_t training_node_of_rank(int32_t rank, int32_t ranks, int32_t nodes);
/* Node time of `nodes` nodes in a span whose parts are `parts` [rank], or `all` for every rank when
 * that is NULL. A node's time is spent as that of its first rank; one without ranks waits. */
NodeTime training_node_time(const StepParts *parts, StepParts all, int32_t ranks, int32_t nodes);

/* Accuracy and loss after `epochs_done` >= 1 epochs: validation, and training (running mean over
 * the last of them, as rank 0 shows it); pure.
 *
 * Progress is counted in updates: an epoch of updates is as many steps as one rank alone takes to
 * see the data set once. Averaging over more ranks makes updates better, not more, which costs
 * accuracy per doubling of ranks (LearningCurve). */
EpochResult training_results(const Program *program, const StepPlan *plan, uint64_t seed,
                             uint64_t address, int64_t epochs_done);
/* The progress bar of `rank` after `steps_done` >= 1 steps of epoch `epoch` (0-based): running mean
 * of training loss and accuracy. Pure, and as quick for late steps as for early ones.
 *
 * The accuracy is a whole number of hits among the samples seen in this epoch. Hits differ from
 * their mean as those of independent samples do, drawn anew whenever the number of steps doubles
 * and on a line in between: noisy at first, smooth later. */
void training_progress(const Program *program, const StepPlan *plan, uint64_t seed,
                       uint64_t address, int64_t epoch, int64_t steps_done, int32_t rank,
                       int64_t *accuracy_ppm, int64_t *loss_micro);

#endif
