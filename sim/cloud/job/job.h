/* Jobs: one queue per cluster, gang-started, running through stages on every node and then through
 * their program.
 *
 *     queued <-> running -> succeeded | failed
 *       |           |                      |
 *       |           +---> terminating ---->+
 *       +--------------------------------->+
 *
 * `running` begins when the nodes are taken; mounts, image pull, container start and job
 * preparation belong to it. A job whose node is lost goes back to the queue and starts again: from
 * the last checkpoint on a share, where its program can, or from scratch. Only job*.c and
 * train_job.c change a job. */
#ifndef SIM_CORE_JOB_H
#define SIM_CORE_JOB_H

#include "sim/base/status.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/record/ids.h"
#include "sim/cloud/shell/shell.h"
#include "sim/cloud/spec/command.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/cloud/training/training.h"

typedef enum {
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_TERMINATING,
    JOB_SUCCEEDED,
    JOB_FAILED,
    JOB_STATE_COUNT
} JobState;

const char *job_state_name(JobState state); /* "queued" */

/* What each node goes through, in this order; a stage that a job does not have takes no time and
 * leaves no record. */
typedef enum {
    STAGE_MOUNT,
    STAGE_PULL,
    STAGE_CONTAINER,
    STAGE_PREPARATION,
    STAGE_START,    /* interpreter, imports, session */
    STAGE_DOWNLOAD, /* the data set from the internet */
    STAGE_DATA,     /* the data set from a share */
    STAGE_COUNT
} JobStage;

const char *job_stage_name(JobStage stage); /* "mount" */

/* How a command of real execution went. */
typedef struct {
    bool is_told;
    int32_t exit_code;  /* -1: none */
    const char *reason; /* why it failed, beside its exit code; NULL */
    RealTraining training;
} JobRan;

/* So many attempts in a row may lose their nodes without a job having kept anything of them; then
 * nothing comes of it any more, and a run without a set end stops. */
enum { FRUITLESS_ATTEMPTS_MAX = 1000 };

/* One run on nodes, from taking them to giving them back. Begins anew in the same room at each
 * start; the last one is kept, for the logs. */
typedef struct {
    NodeId *nodes;           /* what Job.nodes points to */
    JobStage *stage;         /* [node]; STAGE_COUNT: all done */
    int64_t *stage_end_ns;   /* [node * STAGE_COUNT + stage]; INT64_MAX: not reached */
    int32_t nodes_at_work;   /* nodes that have not reached the next barrier */
    int64_t stalled_ns;      /* a node fell silent: nothing progresses any more; INT64_MAX before */
    int64_t program_ns;      /* the program begins on every node; INT64_MAX before */
    int64_t training_ns;     /* first step begins; INT64_MAX before */
    int64_t trained_ns;      /* last epoch, evaluation and checkpoint ended; INT64_MAX before */
    int64_t saved_ns;        /* model in its place; INT64_MAX before */
    int64_t command_ns;      /* how long PROGRAM_FIXED takes */
    bool lacks_script;       /* the program ended at once: its script was not there */
    ShellRun *shell;         /* PROGRAM_SHELL, from its begin on; NULL */
    ShellRun **preparations; /* [node] when the preparation is a script; NULL before it begins */
    int64_t kept_ns;         /* PROGRAM_REAL: work up to here is in a checkpoint; INT64_MAX: none */
    int64_t kept_epochs;     /* likewise: of this attempt */
    JobRan *ran;             /* PROGRAM_REAL: [0] the program, [1 + node] preparations; or NULL */
    Training *training; /* NULL when the program trains nothing; plan.ranks == 0 until it does */
} JobAttempt;

typedef struct {
    JobId id;
    ClusterId cluster;
    ResourcePath path;
    const JobSpec *spec;
    uint64_t address; /* of its random draws */
    ProvisioningState provisioning;
    JobState state;
    int64_t provisioning_since_ns;
    int64_t state_since_ns;
    int64_t created_ns;
    int64_t recorded_ns;    /* its creation was over; INT64_MAX before */
    int64_t started_ns;     /* INT64_MAX before */
    int64_t ended_ns;       /* INT64_MAX before */
    const char *error_code; /* "JobFailed", "JobPreparationFailed", "JobTerminated"; NULL */
    const char *error_message;
    int32_t exit_code;   /* -1 where there is none */
    int32_t starts;      /* attempts so far: 2 after one requeue */
    NodeId *nodes;       /* spec->nodes of them from its start on, in the order of ranks; NULL
                            before, and while it waits to start again */
    JobAttempt *attempt; /* the present or last one; NULL before the first */
    int64_t epochs_kept; /* that a new attempt need not do again: their checkpoint is on a share */
    int32_t fruitless;   /* attempts that were lost, since one kept an epoch more */
    int64_t kept_before; /* epochs_kept at the last loss */
    uint32_t generation; /* as Node.generation */
    uint32_t experiment; /* row in World.resources, known once it has waited under a policy that
                            asks; ID_NONE before */
    int32_t workload;    /* index in Scenario.workloads; -1: asked for by a command */
    uint32_t transfer_row; /* the newest of its transfers, + 1; 0: none */
    int32_t transfers;     /* under way to and from shares */
    TraceCause stop_cause; /* why it is, or will be, stopped; CAUSE_NONE: nobody asked */
    bool is_waiting;       /* in its cluster's queue: the scheduler may start it */
    bool is_container_spoilt;
} Job;

/* "{sub}/{rg}/workspaces/{w}/experiments/{e}/jobs/{j}/{guid}": where its outputs go, below what the
 * job asks for. The GUID is drawn at the job's address. In `arena`. */
const char *job_output_segment(const Scenario *scenario, const Job *job, Arena *arena);
bool job_is_active(const Job *job); /* has nodes: running or terminating */
bool job_is_stalled(const Job *job);
/* Between its first step and the end of its last epoch. */
bool job_is_training(const Job *job);
/* When a stage of the present attempt begins and ends on the `node`-th of the job's nodes;
 * INT64_MAX before. A stage that the job does not have ends when it begins. */
int64_t job_stage_begin_ns(const Job *job, int32_t node, JobStage stage);
int64_t job_stage_end_ns(const Job *job, int32_t node, JobStage stage);
/* How the preparation ended, or is going to, on the `node`-th of its nodes. */
int32_t job_preparation_exit_code(const Job *job, int32_t node);
/* Whether a command of real execution is at work, of which nobody has told yet how it goes: the
 * program (0), or the preparation on a node (1 + its index). Never while the job is stalled or
 * being terminated. */
bool job_runs_outside(const Job *job, uint32_t whose);
/* What its last attempt came to, as somebody told; NULL: nobody did. */
const JobRan *job_program_ran(const Job *job);
/* When that began. */
int64_t job_outside_since_ns(const Job *job, uint32_t whose);
/* Which of its nodes a rank runs on: ranks fill the nodes in turn, rank 0 on node 0. */
int32_t job_node_of_rank(const Job *job, int32_t rank);

/* Epochs of a training job that are done now and not lost: whatever attempt did them. */
int64_t job_epochs_done(const Job *job, int64_t now_ns);
/* An epoch that the last attempt has begun: not one of an earlier attempt. */
EpochTimes job_epoch_times(const Job *job, int64_t epoch);
/* What was learned in an epoch that has ended. */
EpochResult job_epoch_result(const Job *job, int64_t epoch);
/* [step] when the steps of an epoch that the last attempt has begun ended, INT64_MAX where they
 * have not; NULL when they are as step_duration_ns says. */
const int64_t *job_step_ends(const Job *job, int64_t epoch);

/* Stands in paths for the job's own output segment until job_fill_in. */
#define JOB_SEGMENT_MARK "{segment}"

/* A path or command line of the spec as this job has it: "{segment}" becomes its output segment,
 * which the service makes only when the job is created, and "{epoch}" becomes `epoch`. In `arena`,
 * or `pattern` itself. */
const char *job_fill_in(const Scenario *scenario, const Job *job, const char *pattern,
                        int64_t epoch, Arena *arena);

struct World;

/* --- Commands; each checks first and changes nothing when it fails. --- */

MUST_CHECK bool job_create(struct World *world, const Command *command, Status *status);
MUST_CHECK bool job_terminate(struct World *world, Job *job, Status *status);
MUST_CHECK bool job_delete(struct World *world, Job *job, Status *status);
/* COMMAND_JOB_RAN: the command ends when it has taken that long, at once where that is over. */
MUST_CHECK bool job_ran_outside(struct World *world, Job *job, const Command *command,
                                Status *status);
/* COMMAND_JOB_REACHED: what waits for the program's steps up to that one happens when it has taken
 * that long, at once where that is over. The epochs kept by then are not lost with the attempt:
 * STATUS_CONFLICT where the program does not go on from a checkpoint on a share. */
MUST_CHECK bool job_reached_outside(struct World *world, Job *job, const Command *command,
                                    Status *status);

/* --- Events --- */

void job_recorded(struct World *world, Job *job);
void job_eligible(struct World *world, Job *job);
/* Takes nodes and begins the first stage on each; the scheduler has seen that they are idle. */
void job_start(struct World *world, Job *job);
void job_stage_done(struct World *world, Job *job, int32_t node);
void job_program_done(struct World *world, Job *job);
/* A script's sleep is over: of the program (0), or of the preparation on a node (1 + its index). */
void job_shell_goes_on(struct World *world, Job *job, uint32_t whose);
/* At the end of a step that somebody waits for, where steps are no events of their own. */
void job_step_reached(struct World *world, Job *job, int64_t step);
/* A checkpoint of so many epochs was written outside. */
void job_kept_outside(struct World *world, Job *job, int64_t epochs);
void job_timed_out(struct World *world, Job *job);
void job_terminated(struct World *world, Job *job);
void job_deleted(struct World *world, Job *job);

/* --- For training and clusters --- */

/* The program ended by itself, with `exit_code`. */
void job_exit(struct World *world, Job *job, int32_t exit_code);
/* One of its nodes fell silent: nothing progresses any more, until the service notices and
 * job_loses_nodes ends the attempt, or somebody terminates the job. */
void job_stalls(struct World *world, Job *job, const Node *node);
/* A node is taken away, for this cause: back to the queue, or failed, as `deallocation` and the
 * service's habits say. The job's nodes are free after it; `node` (NULL: none in particular) is no
 * longer its own. */
void job_loses_nodes(struct World *world, Job *job, const Node *node,
                     DeallocationOption deallocation, TraceCause cause);
/* A fault: the program ends now, with this code. False when it is not running. */
bool job_exits_now(struct World *world, Job *job, int32_t exit_code);
/* The run ends while the job runs: tells where the node time of its attempt went so far. */
void job_account_unfinished(struct World *world, Job *job);
/* It has run as long as a job may on low-priority nodes: its nodes are preempted. */
void job_ran_too_long(struct World *world, Job *job);
/* Its next container does not start. */
void job_spoil_container(Job *job);

#endif
