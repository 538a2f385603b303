/* Jobs: each cluster has a queue; a job starts on all its nodes at once, and runs through stages on
 * every node and then through its program.
 *
 *     queued <-> running -> succeeded | failed
 *       |           |                      |
 *       |           +---> terminating ---->+
 *       +--------------------------------->+
 *
 * `running` begins when the nodes are taken; mounts, image pull, container start and job
 * preparation belong to it. A job whose node is lost goes back to the queue and starts again: from
 * the last checkpoint on a share, where its program can, or from scratch. A job that the scheduler
 * stops in favour of another returns to the queue in the same way, but a program that only takes
 * time (PROGRAM_FIXED, and jobs of lists) keeps its work. Only the files of this folder change a
 * job. */
#ifndef SIM_CLOUD_JOB_JOB_H
#define SIM_CLOUD_JOB_JOB_H

#include "sim/base/status.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/shell/shell.h"
#include "sim/cloud/training/training.h"

typedef struct Jobs Jobs;
typedef struct Job Job;

typedef enum {
    JOB_QUEUED,
    JOB_RUNNING,
    JOB_TERMINATING,
    JOB_SUCCEEDED,
    JOB_FAILED,
    JOB_STATE_COUNT
} JobState;

const char *job_state_name(JobState state); /* "queued" */

/* The stages of each node, in this order. A stage that a job does not have takes no time and emits
 * no record. */
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

/* The reported result of a command of real execution. */
typedef struct {
    bool is_reported;
    int32_t exit_code;  /* -1: none */
    const char *reason; /* why it failed, in addition to its exit code; NULL */
    RealTraining training;
} JobRan;

/* If a job loses its nodes in this many attempts in a row and keeps no further work, a run without
 * a set end stops: the job would never end. */
enum { LOST_ATTEMPTS_MAX = 1000 };

/* The scheduler is going to stop the job (notice.h). All zero: it is not. */
typedef struct {
    int64_t until_ns;     /* the end of the grace period */
    int32_t queue_after;  /* 1 + the index of the queue for which it is stopped */
    TraceCause cause : 8; /* of the stop */
    bool is_needed;       /* for the search that is under way */
} JobNotice;

/* One attempt, from taking nodes to giving them back. The next attempt reuses the struct; the last
 * one is kept for the logs. */
typedef struct JobAttempt {
    NodeId *nodes;         /* the target of Job.nodes */
    int32_t nodes_max;     /* room for so many */
    JobStage *stage;       /* [node]; STAGE_COUNT: all done */
    int64_t *stage_end_ns; /* [node * STAGE_COUNT + stage]; INT64_MAX: not reached */
    int32_t nodes_at_work; /* nodes that have not reached the next barrier */
    int64_t stalled_ns;    /* a node fell silent and the job stalls; INT64_MAX before */
    int64_t program_ns;    /* the program begins on every node; INT64_MAX before */
    int64_t training_ns;   /* the first step begins; INT64_MAX before */
    int64_t trained_ns;    /* the last epoch, evaluation and checkpoint end; INT64_MAX before */
    int64_t saved_ns;      /* the model is saved; INT64_MAX before */
    int64_t command_ns;    /* the duration of PROGRAM_FIXED, with checkpoints and owed_ns */
    const WorkCheckpoints *checkpoints; /* PROGRAM_FIXED: those that the job writes; NULL: none */
    struct WorkSave *save;              /* its last one on notice; NULL before the first (work.c) */
    JobNotice notice;
    TraceCause warned_by : 8;  /* the cause of its last notice, of the scheduler or of a node */
    bool lacks_script;         /* the program ended at once because its script did not exist */
    uint8_t stages;            /* a bit for each JobStage that the job has */
    ShellRun *shell;           /* PROGRAM_SHELL; NULL before it begins */
    ShellRun **preparations;   /* [node] if the preparation is a script; NULL before it begins */
    int64_t kept_ns;           /* PROGRAM_REAL: time of the last checkpoint; INT64_MAX: none */
    int64_t kept_epochs;       /* PROGRAM_REAL: epochs of this attempt in a checkpoint */
    int64_t kept_point_epochs; /* PROGRAM_REAL: epochs of the last reported checkpoint */
    int64_t kept_steps; /* PROGRAM_REAL: Training.kept_steps of other programs; outlives attempts */
    JobRan *ran;        /* PROGRAM_REAL: [0] the program, [1 + node] preparations; or NULL */
    struct JobAttempt *next_spare; /* see Jobs.spare_attempts */
    Training *training; /* NULL: the program is not a training; plan.ranks is 0 until it begins */
} JobAttempt;

/* Ordered to be small: many jobs of a list may wait at once. */
struct Job {
    JobId id;
    ClusterId cluster;
    ResourcePath path; /* name NULL: of a workload, and no caller has asked for it (job_path) */
    const JobSpec *spec;
    uint64_t address;   /* of its random draws */
    JobRequest request; /* of the spec, or of its row of a list; while it has nodes, as divided for
                           their kind */
    int32_t row;        /* its number in the workload, from 0: the row of a list */
    int64_t provisioning_since_ns;
    int64_t state_since_ns;
    int64_t created_ns;
    int64_t recorded_ns;    /* the end of its creation; INT64_MAX before */
    int64_t started_ns;     /* INT64_MAX before */
    int64_t ended_ns;       /* INT64_MAX before */
    const char *error_code; /* "JobFailed", "JobPreparationFailed", "JobTerminated"; NULL */
    const char *error_message;
    int64_t carried_ns;  /* PROGRAM_FIXED: work of preempted attempts and in checkpoints; a new
                            attempt need not repeat it */
    int64_t owed_ns;     /* PROGRAM_FIXED: cost of preemption, or of continuing from a checkpoint,
                            that the next attempt pays first */
    NodeId *nodes;       /* [request.nodes], in the order of ranks; NULL before its start, and while
                            it waits to start again */
    JobAttempt *attempt; /* the present or last attempt; NULL before the first */
    TransferList transfers; /* to and from shares */
    int64_t epochs_kept;    /* in a checkpoint on a share: a new attempt need not repeat them */
    union {
        int64_t kept_before; /* steps (of real execution: epochs) kept at the last loss */
        Job *next_spare;     /* of a job that the world has forgotten: see Jobs.spare_jobs */
    };
    int32_t exit_code;   /* -1: none */
    int32_t starts;      /* attempts so far */
    int32_t preemptions; /* of them, those that the scheduler stopped in favour of another job */
    uint32_t generation; /* as Node.generation */
    uint32_t experiment; /* row of its container (resource_index), known after it has waited under a
                            policy that sees the queue; ID_NONE before */
    uint32_t owner;      /* index in PolicyView.used_node_us, known as `experiment` is */
    int32_t workload;    /* index in Scenario.workloads; -1: created by a command */
    int32_t queue;       /* index among those of its cluster's spec; 0 without any */
    ProvisioningState provisioning : 8;
    JobState state : 8;
    TraceCause stop_cause : 8; /* why it is being stopped; CAUSE_NONE: it is not */
    int16_t lost_in_a_row;     /* attempts lost since the last one that kept more */
    bool is_held;              /* it waits, and the limit of its queue keeps it from starting: it
                                  does not count as demand on its cluster (autoscale.h) */
    bool is_within;            /* for scheduler_pass: the limit does not hold it back any more */
    bool is_waiting;           /* in its cluster's queue: the scheduler may start it */
    bool is_joining;           /* it has joined the queue, and its first pass is due */
    bool is_deferred;          /* it waits for the end of maintenance (TRACE_JOB_DEFERRED) */
    bool fails_next_container;
};

/* The row of a list that a job is of. */
typedef struct {
    int32_t workload; /* index in Scenario.workloads */
    int32_t row;
} ListedRow;

/* Lives as long as `run`. */
Jobs *job_tables_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                        const Scenario *scenario, Names *names, Resources *resources,
                        Subjects *subjects, Storage *storage, Clusters *clusters);
/* The functions that clusters and storage call (ClusterJobs, TransferClient). */
ClusterJobs jobs_of_clusters(Jobs *jobs);
TransferClient jobs_of_transfers(Jobs *jobs);

/* Forgets jobs of lists when they end, from now on: their memory is used again. */
void jobs_forget_ended(Jobs *jobs);
uint32_t job_count(const Jobs *jobs); /* forgotten ones included */
/* The index of the first job from `job` on that is not forgotten; job_count: there is none. */
uint32_t job_next(const Jobs *jobs, uint32_t job);
/* Forgets a deleted job, to which no event belongs. */
void job_forget(Jobs *jobs, JobId job);
/* NULL: the job is forgotten. */
const Job *job_by_id(const Jobs *jobs, JobId job);
/* The row that a forgotten job was of. */
ListedRow job_forgotten(const Jobs *jobs, JobId job);
/* For arguments of the functions below: only this folder changes a job. NULL as above. */
Job *job_row(Jobs *jobs, JobId job);
/* The existing job with that path; NULL: there is none. */
Job *job_find(Jobs *jobs, ResourcePath path);
/* Begins a record of `kind` about the job (recorder_begin). */
TraceRecord *job_trace(const Jobs *jobs, TraceKind kind, const Job *job);

bool job_is_active(const Job *job); /* has nodes: running or terminating */
bool job_is_completed(const Job *job);
bool job_is_stalled(const Job *job);
bool job_trains(const Job *job); /* its program is a simulated training */

/* --- Commands; each checks first and changes nothing when it fails. --- */

MUST_CHECK bool job_create(Jobs *jobs, const Command *command, Status *status);
MUST_CHECK bool job_terminate(Jobs *jobs, Job *job, Status *status);
MUST_CHECK bool job_delete(Jobs *jobs, Job *job, Status *status);
/* Begins to delete all jobs inside a container that is deleted. */
MUST_CHECK bool jobs_delete_inside(Jobs *jobs, ResourcePath scope, Status *status);

/* --- Events --- */

void job_recorded(Jobs *jobs, Job *job);
void job_eligible(Jobs *jobs, Job *job);
void job_terminated(Jobs *jobs, Job *job);
void job_deleted(Jobs *jobs, Job *job);

/* --- For the other files of this folder --- */

/* The reason for a change of a job. */
typedef struct {
    TraceCause cause;
    const Node *node; /* the node that was lost or failed; NULL: none in particular */
} JobReason;

/* The contents of executionInfo.errors. */
typedef struct {
    const char *code;
    const char *message;
} JobError;

/* How an attempt ended. X(ENUM, name in the record) */
#define ATTEMPT_ENDS(X)                                                                            \
    X(COMPLETED, "completed")                                                                      \
    X(FAILED, "failed")       /* its program, or a stage, failed */                                \
    X(STOPPED, "stopped")     /* by the user, or by a limit that the user set */                   \
    X(LOST, "lost")           /* it lost its nodes */                                              \
    X(PREEMPTED, "preempted") /* the scheduler stopped it in favour of another job */              \
    X(UNFINISHED, "unfinished")

typedef enum {
#define X(name, text) ATTEMPT_##name,
    ATTEMPT_ENDS(X)
#undef X
} AttemptEnd;

/* The service's error for a job that the user terminates. */
extern const JobError job_error_terminated;

/* Where a job is created. */
typedef struct {
    Cluster *cluster;
    const char *key;     /* of its path; valid as names_key */
    uint32_t experiment; /* row of its container (resource_index); ID_NONE: to be looked up */
    int64_t row;         /* as Job.row */
} JobPlace;

/* job_create for a caller that knows the job's place. */
MUST_CHECK bool job_create_at(Jobs *jobs, const Command *command, JobPlace place, Status *status);
/* Checks whether the scenario refuses a job with that request in a queue of the cluster. */
MUST_CHECK bool job_can_be_submitted(const Jobs *jobs, const Cluster *cluster, int32_t queue,
                                     JobRequest request, Place at, Status *status);
/* The request of the job before it was divided for the kind of its nodes. */
JobRequest job_asked(const Jobs *jobs, const Job *job);
/* The kind of the nodes of a job that has nodes; before it the first that it allows. */
const ClusterKind *job_kind(const Jobs *jobs, const Job *job);
/* Checks whether the cluster has the queue, or no queues. */
MUST_CHECK bool job_has_queue(const Cluster *cluster, const char *queue, Place at, Status *status);
/* The job of a list, which has just been submitted, joins the queue after the service's times. */
void job_joins_queue(Jobs *jobs, Job *job);
/* Fails a waiting job, because the queue is full. */
void job_reject(Jobs *jobs, Job *job);
void job_set_state(Jobs *jobs, Job *job, JobState state, JobReason reason);
/* Ends the attempt and fails the job. A job that is being terminated always ends with
 * job_error_terminated. `exit_code` -1: none. */
void job_fail_attempt(Jobs *jobs, Job *job, AttemptEnd end, JobError error, int32_t exit_code,
                      JobReason reason);
/* Ends the attempt; the job has succeeded. */
void job_succeed(Jobs *jobs, Job *job);

#endif
