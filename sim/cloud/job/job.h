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
 * the last checkpoint on a share, where its program can, or from scratch. Only the files
 * of this folder change a job. */
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

/* The stages of each node, in this order; a stage that a job does not have takes no time and leaves
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

/* How a command of real execution went. */
typedef struct {
    bool is_reported;
    int32_t exit_code;  /* -1: none */
    const char *reason; /* why it failed, in addition to its exit code; NULL */
    RealTraining training;
} JobRan;

/* So many attempts in a row may lose their nodes without a job having kept anything of them; then
 * nothing comes of it any more, and a run without a set end stops. */
enum { LOST_ATTEMPTS_MAX = 1000 };

/* One run on nodes, from taking them to giving them back. Begins anew in the same room at each
 * start; the last one is kept, for the logs. */
typedef struct {
    NodeId *nodes;           /* the target of Job.nodes */
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

struct Job {
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
    int32_t lost_in_a_row;  /* attempts that were lost, since one kept an epoch more */
    int64_t kept_before;    /* epochs_kept at the last loss */
    uint32_t generation;    /* as Node.generation */
    uint32_t experiment;    /* row of its container (resource_index), known once it has waited under
                               a policy that asks for it; ID_NONE before */
    int32_t workload;       /* index in Scenario.workloads; -1: asked for by a command */
    TransferList transfers; /* under way to and from shares */
    TraceCause stop_cause;  /* why it is, or will be, stopped; CAUSE_NONE: it is not */
    bool is_waiting;        /* in its cluster's queue: the scheduler may start it */
    bool fails_next_container;
};

/* Lives as long as `run`. */
Jobs *job_tables_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                        const Scenario *scenario, Names *names, Resources *resources,
                        Subjects *subjects, Storage *storage, Clusters *clusters);
/* The functions that clusters and storage call (ClusterJobs, TransferClient). */
ClusterJobs jobs_of_clusters(Jobs *jobs);
TransferClient jobs_of_transfers(Jobs *jobs);

uint32_t job_count(const Jobs *jobs);
const Job *job_by_id(const Jobs *jobs, JobId job);
/* For the calls below: only this folder changes a job. */
Job *job_row(Jobs *jobs, JobId job);
/* The existing job with that path; NULL: there is none. */
Job *job_find(Jobs *jobs, ResourcePath path);
TraceRecord job_trace(const Jobs *jobs, TraceKind kind, const Job *job);

bool job_is_active(const Job *job); /* has nodes: running or terminating */
bool job_is_completed(const Job *job);
bool job_is_stalled(const Job *job);
bool job_trains(const Job *job); /* its program is a training that is simulated */
/* "{sub}/{rg}/workspaces/{w}/experiments/{e}/jobs/{j}/{guid}": where its outputs go, below the
 * directory that the job names. The GUID is drawn at the job's address. In `arena`. */
const char *job_output_segment(const Scenario *scenario, const Job *job, Arena *arena);
/* A path or command line of the spec as this job has it: "{segment}" becomes its output segment,
 * which the service makes only when the job is created, and "{epoch}" becomes `epoch`. In `arena`,
 * or `pattern` itself. */
const char *job_fill_in(const Scenario *scenario, const Job *job, const char *pattern,
                        int64_t epoch, Arena *arena);

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

/* Why something happens to a job. */
typedef struct {
    TraceCause cause;
    const Node *node; /* the one that was lost; NULL: none in particular */
} JobReason;

/* The contents of executionInfo.errors. */
typedef struct {
    const char *code;
    const char *message;
} JobError;

/* How an attempt ended. X(ENUM, name in the record) */
#define ATTEMPT_ENDS(X)                                                                            \
    X(COMPLETED, "completed")                                                                      \
    X(FAILED, "failed")   /* by its program */                                                     \
    X(STOPPED, "stopped") /* by the user, or a limit that the user set */                          \
    X(LOST, "lost")       /* its nodes were */                                                     \
    X(UNFINISHED, "unfinished")

typedef enum {
#define X(name, text) ATTEMPT_##name,
    ATTEMPT_ENDS(X)
#undef X
} AttemptEnd;

/* The service's error of a job that the user terminates. */
extern const JobError job_error_terminated;

void job_set_state(Jobs *jobs, Job *job, JobState state, JobReason reason);
/* The attempt is over, and with it the job. A job that is being terminated ends as terminated,
 * whatever happens to it meanwhile. `exit_code` is -1 where there is none. */
void job_fail_attempt(Jobs *jobs, Job *job, AttemptEnd end, JobError error, int32_t exit_code,
                      JobReason reason);
void job_succeed(Jobs *jobs, Job *job);

#endif
