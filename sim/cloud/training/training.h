/* Data-parallel training: the time of one step of all ranks, and the progress of a job.
 *
 * A step of a rank is: wait for input (the part that the input pipeline does not hide), compute
 * (forward and backward), wait for the slowest rank, exchange (the part that the backward pass does
 * not hide), update. Each rank draws one factor f per step for its compute and its input. Input is
 * prepared while a step runs, so only the excess over the rank's own step shows:
 *
 *     input shown = max(0, f input - (f compute + bubble + exchange + update))
 *     step        = max over ranks of (input shown + f compute) + bubble + exchange + update
 *     wait        = the rest; the bubble is idle time of a pipeline of ranks, 0 without one
 *
 * An input-bound step thus takes the time of the slowest rank's input, a compute-bound step that of
 * its arithmetic and the exchange. The plan is computed once per attempt by the formulas of
 * sim/model. A step is then a pure function of (plan, seed, attempt, step, speeds of the nodes), so
 * an emulated log can compute any step again independently.
 *
 * On a slow node the compute and input of a rank take 1 / speed times as long, and the slowest rank
 * sets the pace of all. */
#ifndef SIM_CLOUD_TRAINING_TRAINING_H
#define SIM_CLOUD_TRAINING_TRAINING_H

#include "sim/base/status.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/cloud/training/step_plan.h"
#include "sim/model/bounded.h"

/* The sum of the parts is the step's duration, the same for all ranks. Sums stop at INT64_MAX. */
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

/* Sums and products stop at INT64_MAX. */
int64_t node_time_sum(NodeTime time);
NodeTime node_time_add(NodeTime a, NodeTime b);
NodeTime node_time_times(NodeTime time, int64_t count);
/* time * numerator / denominator, rounded down; denominator > 0. */
NodeTime node_time_part(NodeTime time, int64_t numerator, int64_t denominator);

/* The steps from one checkpoint to the next, over all epochs. */
static inline int64_t program_checkpoint_steps(const Program *program)
{
    return program->checkpoint_steps > 0
               ? program->checkpoint_steps
               : bounded_times(program->checkpoint_every, program->steps_per_epoch);
}

/* The steps from the begin of the training to that point, if all epochs are equally long. */
static inline int64_t program_steps_at(const Program *program, TrainingPoint point)
{
    return bounded_add(bounded_times(point.epochs, program->steps_per_epoch), point.steps);
}

/* Whether `a` is later in the training than `b`. */
static inline bool training_point_is_later(TrainingPoint a, TrainingPoint b)
{
    return a.epochs > b.epochs || (a.epochs == b.epochs && a.steps > b.steps);
}

/* When the parts of an epoch ended; INT64_MAX before. */
typedef struct {
    int64_t begin_ns;
    int64_t end_ns;          /* last step */
    int64_t evaluated_ns;    /* end_ns when there is no evaluation */
    int64_t checkpointed_ns; /* likewise */
} EpochTimes;

/* The progress of an attempt below job fidelity. */
typedef struct {
    EpochTimes *epochs;      /* [plan.epochs] */
    int64_t **step_end_ns;   /* [plan.epochs][step] the ends of steps in epochs in which a step did
                                not take step_duration_ns; NULL until there is such an epoch */
    StepParts *rank_parts;   /* [rank] of the step under way */
    int64_t *rank_speed_ppm; /* [rank]; NULL until a node is slow */
    bool is_as_drawn;        /* the step under way takes step_duration_ns */
    int64_t exchange_since_ns;
    StepParts parts; /* of rank 0, so far, all epochs of the attempt */
    NodeTime done;   /* since training began */
    NodeTime kept;   /* the part of it that the last checkpoint keeps */
    /* A checkpoint that is written during steps. */
    bool is_writing;
    bool awaits_writing;    /* the next checkpoint is due before its end */
    int64_t writing_epoch;  /* from 1 */
    int64_t writing_ns;     /* since when */
    NodeTime writing_keeps; /* `done` at its begin */
    /* Notice of preemption. */
    bool is_warned;      /* a checkpoint is due after the step or evaluation under way */
    bool is_interrupted; /* the epoch does not have all its steps in this attempt in one piece */
} TrainingProgress;

/* A checkpoint within an epoch, or on notice after an epoch that is not followed by another. */
typedef struct {
    bool is_under_way;
    bool is_on_notice;
    int64_t since_ns;
    TrainingPoint at; /* the point that it keeps */
} TrainingSave;

typedef struct {
    StepPlan plan;
    uint64_t seed;         /* of the world when the attempt began to train */
    uint64_t address;      /* of the job: for the draws of accuracy and loss */
    uint64_t step_address; /* of the attempt: for the draws of step times */
    int64_t kept_steps;  /* of the epoch after Job.epochs_kept, in a checkpoint on a share; outlives
                            the attempt */
    int64_t first_epoch; /* epochs done in earlier attempts and not lost */
    int64_t first_step;  /* steps of the next epoch, likewise */
    int64_t
        epoch; /* finished epochs, including first_epoch; at job fidelity only known at the end */
    int64_t step;          /* finished steps of the present epoch */
    StepParts epoch_parts; /* of rank 0: of the present epoch, at step fidelity so far, at epoch
                              fidelity up to the end of the present piece */
    /* Epoch fidelity: the steps that one event ends, a whole epoch unless a checkpoint is written
     * within it. */
    int64_t piece_begin_ns, piece_end_ns, piece_steps;
    StepParts parts_before_piece;
    int64_t
        awaited_ns; /* the end of the next awaited step; INT64_MAX: none. Not at step fidelity */
    TrainingSave save;
    StepParts step_parts; /* of rank 0 in a mean step; this and the next: not at step fidelity */
    NodeTime step_nodes;  /* of all nodes in a mean step */
    int64_t evaluate_ns;  /* at the present speed of the nodes */
    int64_t final_evaluate_ns;
    int64_t checkpoint_ns; /* job fidelity: of one checkpoint */
    int64_t evaluate_total_ns;
    int64_t checkpoint_total_ns;
    TrainingProgress *progress; /* NULL at job fidelity */
} Training;

/* The steps of an epoch that earlier attempts have done and kept. */
static inline int64_t training_steps_before(const Training *training, int64_t epoch)
{
    return epoch == training->first_epoch ? training->first_step : 0;
}
/* The steps that this attempt has from its begin to the end of `epochs_done` epochs. */
int64_t training_steps_until(const Training *training, int64_t epochs_done);

/* The duration of step `step` (0-based, over all epochs) of all ranks on nodes of modelled speed.
 * Pure, like step_parts_of_ranks; both draw one random word per rank. */
int64_t step_duration_ns(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step);
/* The same on nodes of any speed (`speed_ppm` [rank] > 0; NULL: all as modelled). Also fills the
 * parts of all ranks. */
int64_t step_parts_of_ranks(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step,
                            const int64_t *speed_ppm, StepParts *parts);
/* The mean parts of a rank over many steps, for coarse fidelities. */
StepParts step_parts_mean(const StepPlan *plan);
/* The same for all ranks at these speeds, from a table of the slowest rank's factor. */
void step_parts_mean_of_ranks(const StepPlan *plan, const int64_t *speed_ppm, StepParts *parts);

/* The address of the step draws of an attempt, different for each, so that repeated epochs take
 * other times. `attempt` counts from 1; the first has the job's `address`. */
uint64_t training_step_address(uint64_t address, int32_t attempt);

/* The index of the node on which a rank runs: ranks fill the nodes in turn, rank 0 on node 0. */
int32_t training_node_of_rank(int32_t rank, int32_t ranks, int32_t nodes);
/* The node time of `nodes` nodes in a span with the parts `parts` [rank], or `all` for every rank
 * if `parts` is NULL. The time of a node is divided as that of its first rank; a node without ranks
 * waits. */
NodeTime training_node_time(const StepParts *parts, StepParts all, int32_t ranks, int32_t nodes);

/* Accuracy and loss after `epochs_done` >= 1 epochs; 0 for a transformer, whose learning is not
 * modelled. Validation, and training (the running mean
 * over the last epoch that rank 0 prints). Pure.
 *
 * Progress is counted in updates: an epoch of updates is the number of steps in which a single rank
 * sees the data set once. Averaging over more ranks improves updates but does not add any, which
 * costs accuracy per doubling of ranks (LearningCurve). */
EpochResult training_results(const Program *program, const StepPlan *plan, uint64_t seed,
                             uint64_t address, int64_t epochs_done);
/* The values in the progress bar of `rank` after `steps_done` >= 1 steps of epoch `epoch`
 * (0-based): running means of training loss and accuracy. Pure; O(log steps_done).
 *
 * The accuracy is a whole number of hits among the samples seen in this epoch. Hits deviate from
 * their mean like those of independent samples. A deviation is drawn for each doubling of the
 * number of steps, linear in between: noisy at first, smooth later. */
void training_progress(const Program *program, const StepPlan *plan, uint64_t seed,
                       uint64_t address, int64_t epoch, int64_t steps_done, int32_t rank,
                       int64_t *accuracy_ppm, int64_t *loss_micro);

#endif
