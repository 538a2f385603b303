/* The inside of jobs, for job*.c and train_job*.c. */
#ifndef SIM_CORE_JOB_PARTS_H
#define SIM_CORE_JOB_PARTS_H

#include "sim/cloud/world_parts.h"

/* Why something happens to a job. */
typedef struct {
    TraceCause cause;
    const Node *node; /* the one that was lost; NULL: none in particular */
} JobReason;

/* What executionInfo.errors shows. */
typedef struct {
    const char *code;
    const char *message;
} JobError;

/* How an attempt ended. X(ENUM, name in the record) */
#define ATTEMPT_ENDS(X)                                                                            \
    X(COMPLETED, "completed")                                                                      \
    X(FAILED, "failed")   /* by itself */                                                          \
    X(STOPPED, "stopped") /* by the user, or a limit that the user set */                          \
    X(LOST, "lost")       /* its nodes were */                                                     \
    X(UNFINISHED, "unfinished")

typedef enum {
#define X(name, text) ATTEMPT_##name,
    ATTEMPT_ENDS(X)
#undef X
} AttemptEnd;

Cluster *job_cluster(World *world, const Job *job);
bool job_trains(const Job *job);
bool job_is_completed(const Job *job);

/* --- Ends (job.c) --- */

void job_set_state(World *world, Job *job, JobState state, JobReason reason);
/* The attempt is over, and with it the job. A job that is being terminated ends as terminated,
 * whatever happens to it meanwhile. `exit_code` is -1 where there is none. */
void job_fail_attempt(World *world, Job *job, AttemptEnd end, JobError error, int32_t exit_code,
                      JobReason reason);
void job_succeed(World *world, Job *job);

/* --- Attempts (job_attempt.c) --- */

/* As before the first stage of any attempt. */
void attempt_forget(Job *job);
/* Whatever runs for the job stops here: events become stale, transfers are taken back, the attempt
 * is told of, its nodes come free. */
void attempt_end(World *world, Job *job, AttemptEnd end, JobReason reason);

/* --- Scripts (job_shell.c) --- */

/* The program's script begins after `delay_ns`, or the preparation's on a node, as for
 * job_shell_goes_on. The end is job_program_done or job_stage_done. */
void job_shell_begins(World *world, Job *job, uint32_t whose, int64_t delay_ns);

/* --- Real execution (job_real.c) --- */

bool job_is_real(const Job *job);
/* Its preparation is run where its program is. */
bool job_prepares_outside(const Job *job);
/* What was told of a command; NULL: nothing, or it is none of real execution. */
const JobRan *job_ran_so(const Job *job, uint32_t whose);

/* --- Node time (job_account.c) --- */

/* Tells where all node time of the attempt that ends now has gone. */
void attempt_account(World *world, const Job *job, AttemptEnd end, JobReason reason);

/* --- Training (train_job.c; what it looks like from outside: train_job_look.c) --- */

/* Says that an attempt goes on from the checkpoint of `program`, which has Job.epochs_kept. */
void train_job_tell_resumed(World *world, const Job *job, const Program *program);
/* A step has ended that somebody waits for: the next of those is foreseen. */
void train_job_step_reached(World *world, Job *job, int64_t step);
/* Every node has its data: training begins, from the last checkpoint if there is one. */
void train_job_ready(World *world, Job *job);
/* Brings what a job of job fidelity has done up to date, when it is interrupted. */
void train_job_settle(const World *world, Job *job);
/* Where the node time went since training began, and the part of it that the last checkpoint of
 * this attempt keeps; startup_ns is 0. Settled before. */
void train_job_node_time(const Job *job, NodeTime *done, NodeTime *kept);

/* --- Pace (train_job_pace.c): how long things take as they are now --- */

/* Speeds of the job's ranks [rank], in `*room`, which is made in `arena` when it is NULL; NULL when
 * all are as modelled. */
const int64_t *pace_of_ranks(const World *world, const Job *job, int64_t **room, Arena *arena);
/* What takes `modelled_ns` on every node, and all wait for the slowest. */
int64_t pace_of_slowest_ns(const World *world, const Job *job, int64_t modelled_ns);
/* Whether the job's exchange competes with others for a wire. */
bool pace_shares_wires(const World *world, const Job *job);
/* Foresees an epoch: epoch_parts, epoch_nodes and evaluate_ns of the job's Training. */
void pace_foresee_epoch(const World *world, Job *job);
/* Job fidelity: from the beginning of training until so many epochs (counted as Training.epoch) are
 * over, checkpoints included. */
int64_t pace_until_ns(const Job *job, int64_t epochs_done);
/* Job fidelity: how many epochs are over at `at_ns`; 0 before training. */
int64_t pace_epochs_done(const Job *job, int64_t at_ns);

#endif
