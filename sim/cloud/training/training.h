/* Data-parallel training: what one step of all ranks costs, and how far a job has come.
 *
 * A step of a rank is: wait for input (what the input pipeline could not hide), compute (forward
 * and backward), wait for the slowest rank, exchange (what the backward pass could not hide of it),
 * update. Every rank draws one factor f per step, on its compute and on its input. Input is
 * prepared while a step runs, so only what exceeds the rank's own step shows:
 *
 *     input shown = max(0, f input - (f compute + exchange + update))
 *     step        = max over ranks of (input shown + f compute) + exchange + update
 *     wait        = what is missing to that
 *
 * An input-bound step thus lasts as long as the slowest rank's input, a compute-bound one as long
 * as its arithmetic and the exchange. The plan is computed once per attempt by the formulas of
 * sim/model; a step is then a pure function of (plan, seed, attempt, step, speeds of the nodes), so
 * that an emulated log can compute any step again on its own.
 *
 * A rank on a slow node takes 1 / speed longer for its compute and its input, and the slowest rank
 * sets the pace of all. */
#ifndef SIM_CORE_TRAINING_H
#define SIM_CORE_TRAINING_H

#include "sim/base/status.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/cloud/spec/spec.h"

/* Mean durations, before jitter. */
typedef struct {
    int32_t ranks;
    int64_t epochs;
    int64_t steps_per_epoch;
    int64_t input_ns;         /* to prepare one batch */
    int64_t compute_ns;       /* forward, backward, framework overhead */
    int64_t exchange_ns;      /* left to do after the backward pass; 0 with one rank */
    int64_t wire_ns;          /* the part of it in which bytes cross the wires between nodes ... */
    int64_t wire_bytes;       /* ... so many on each; 0: on one node */
    int64_t wire_bytes_per_s; /* ... at most so fast */
    int64_t update_ns;
    int64_t evaluate_ns; /* after an epoch; 0: none */
    int64_t final_evaluate_ns;
    Quantiles jitter_ppm;
} StepPlan;

/* The parts add up to the step, which is equally long for all ranks. Sums stop at INT64_MAX. */
int64_t step_parts_sum(StepParts parts);
StepParts step_parts_add(StepParts a, StepParts b);
StepParts step_parts_times(StepParts parts, int64_t count);

/* What was learned in one epoch. */
typedef struct {
    int64_t train_accuracy_ppm;
    int64_t train_loss_micro;
    int64_t accuracy_ppm; /* validation */
    int64_t loss_micro;
} EpochResult;

/* Node time, all nodes of a job together. */
typedef struct {
    int64_t kept_ns; /* compute, update, evaluation, files; or a command that is no training */
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

/* What is kept of an attempt below job fidelity. */
typedef struct {
    EpochTimes *epochs;    /* [plan.epochs] */
    int64_t **step_end_ns; /* [plan.epochs], of epochs whose steps are not as step_duration_ns says,
                              when each ended; NULL until there is one */
    StepParts *rank_parts; /* [rank] of the step under way */
    int64_t *rank_speed_ppm; /* [rank]; NULL until a node is slow */
    bool is_drawn_alone;     /* the step under way is as step_duration_ns says */
    int64_t exchange_since_ns;
    StepParts parts; /* of rank 0, so far, all epochs of the attempt */
    NodeTime done;   /* since training began */
    NodeTime kept;   /* the part of it that the last checkpoint keeps */
} TrainingProgress;

typedef struct {
    StepPlan plan;
    uint64_t seed;
    uint64_t address;      /* the job's: what is learned */
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

/* Where ranks run. The fullest node sets the pace: ranks there share its GPUs and processors. */
typedef struct {
    int32_t nodes;
    int32_t ranks;
    int32_t ranks_on_fullest;
} RankPlaces;

/* As the service spreads the processes of a job over its nodes >= 1, evenly. */
RankPlaces rank_places_spread(int32_t nodes, int32_t ranks);
/* One rank for each of `gpus` >= 1 GPUs, which fill one node of `vm_size` after the other. */
RankPlaces rank_places_filled(const VmSize *vm_size, int32_t gpus);

/* The plan of a step of `program` by ranks on nodes of `vm_size`, which has a GPU; a part too long
 * for int64 is INT64_MAX, which training_check refuses. */
StepPlan step_plan(const Program *program, const VmSize *vm_size, RankPlaces places);

/* Whether the training of a job on nodes of `vm_size` is one that can be counted: on GPUs, up to
 * 2^16 ranks, 2^24 epochs, 2^32 steps, 2^42 samples per epoch and rank, and 2^62 ns (146 years) in
 * all. A program of fixed duration always is. STATUS_BAD_INPUT, at `at`, with what is too much. */
MUST_CHECK bool training_check(const JobSpec *spec, const VmSize *vm_size, Place at,
                               Status *status);
/* The same of a program that trains, wherever its ranks are. */
MUST_CHECK bool training_check_places(const Program *program, const VmSize *vm_size,
                                      RankPlaces places, Place at, Status *status);

/* Whether the program's checkpoints outlive the nodes and are gone on from. */
bool program_can_resume(const Program *program);
/* The least time that the job's program takes on nodes of `vm_size` that do nothing else, in one
 * attempt from the start; 0 where nobody knows. Of trainings, one that training_check has passed.
 */
int64_t program_least_ns(const JobSpec *spec, const VmSize *vm_size);

/* How long step `step` (0-based, over all epochs) of all ranks takes on nodes as modelled. Pure, as
 * is the next; both draw one random word per rank. */
int64_t step_duration_ns(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step);
/* The same with the parts of every rank, on nodes of any speed (`speed_ppm` [rank] > 0; NULL: all
 * as modelled): fills plan->ranks parts and returns how long the step takes. */
int64_t step_parts_of_ranks(const StepPlan *plan, uint64_t seed, uint64_t address, int64_t step,
                            const int64_t *speed_ppm, StepParts *parts);
/* The mean over steps for rank 0, for coarse fidelities: what the mean of the above tends to. */
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
/* What a progress bar shows for `rank` after `steps_done` >= 1 steps of epoch `epoch` (0-based):
 * running mean of training loss and accuracy. Pure, and as quick for late steps as for early ones.
 *
 * The accuracy is a whole number of hits among the samples seen in this epoch. Hits differ from
 * their mean as those of independent samples do, drawn anew whenever the number of steps doubles
 * and on a line in between: noisy at first, smooth later. */
void training_progress(const Program *program, const StepPlan *plan, uint64_t seed,
                       uint64_t address, int64_t epoch, int64_t steps_done, int32_t rank,
                       int64_t *accuracy_ppm, int64_t *loss_micro);

#endif
