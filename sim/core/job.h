/* Jobs: one queue per cluster, gang-started, running through stages on every node and then through
 * their program.
 *
 *     queued <-> running -> succeeded | failed
 *       |           |                      |
 *       |           +---> terminating ---->+
 *       +--------------------------------->+
 *
 * `running` begins when the nodes are taken; mounts, image pull, container start and job
 * preparation belong to it. Only job.c changes a job. */
#ifndef SIM_CORE_JOB_H
#define SIM_CORE_JOB_H

#include "sim/base/status.h"
#include "sim/core/cluster.h"
#include "sim/core/command.h"
#include "sim/core/ids.h"
#include "sim/core/training.h"

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

typedef struct {
    JobId id;
    ResourcePath path;
    ClusterId cluster;
    const JobSpec *spec;
    uint64_t address;           /* of its random draws */
    const char *guid;           /* last part of its output path segment */
    const char *output_segment; /* "{sub}/{rg}/workspaces/{w}/experiments/{e}/jobs/{j}/{guid}" */
    ProvisioningState provisioning;
    int64_t provisioning_since_ns;
    JobState state;
    int64_t state_since_ns;
    int64_t created_ns;
    int64_t started_ns;     /* INT64_MAX before */
    int64_t ended_ns;       /* INT64_MAX before */
    int32_t exit_code;      /* -1 where there is none */
    const char *error_code; /* "JobFailed", "JobPreparationFailed", "JobTerminated"; NULL */
    const char *error_message;
    NodeId *nodes;       /* spec->nodes of them from its start on, in the order of ranks; NULL
                            before, and while it waits to start again */
    int32_t starts;      /* attempts so far: 2 after one requeue */
    uint32_t generation; /* as Node.generation */
    bool is_waiting;     /* in its cluster's queue: the scheduler may start it */
    uint32_t experiment; /* row in World.resources, known once it has waited under a policy that
                            asks; ID_NONE before */
    int32_t workload;    /* index in Scenario.workloads; -1: asked for by a command */

    /* The present attempt. */
    int32_t nodes_at_work; /* nodes that have not reached the next barrier */
    int32_t transfers;     /* under way to and from shares */
    uint32_t transfer_row; /* the newest of them, + 1; 0: none */
    JobStage *stage;       /* [node]; STAGE_COUNT: all done */
    int64_t *stage_end_ns; /* [node * STAGE_COUNT + stage]; INT64_MAX: not reached */
    int64_t program_ns;    /* the program begins on every node; INT64_MAX before */
    int64_t training_ns;   /* first step begins; INT64_MAX before */
    int64_t trained_ns;    /* last epoch, evaluation and checkpoint ended; INT64_MAX before */
    int64_t saved_ns;      /* model in its place; INT64_MAX before */
    StepParts *rank_parts; /* [rank] of the step being told; NULL before the first */
    Training training;     /* plan.ranks == 0 until training begins */
} Job;

/* When a stage of the present attempt begins and ends on the `node`-th of the job's nodes;
 * INT64_MAX before. A stage that the job does not have ends when it begins. */
int64_t job_stage_begin_ns(const Job *job, int32_t node, JobStage stage);
int64_t job_stage_end_ns(const Job *job, int32_t node, JobStage stage);
/* Epochs of a training job that are done now and not lost: whatever attempt did them. */
int64_t job_epochs_done(const Job *job, int64_t now_ns);
/* Which of its nodes a rank runs on: ranks fill the nodes in turn, rank 0 on node 0. */
int32_t job_node_of_rank(const Job *job, int32_t rank);

/* Stands in paths for the job's own output segment until job_fill_in. */
#define JOB_SEGMENT_MARK "{segment}"

/* A path or command line of the spec as this job has it: "{segment}" becomes its output segment,
 * which the service makes only when the job is created, and "{epoch}" becomes `epoch`. In `arena`.
 */
const char *job_fill_in(const Job *job, const char *pattern, int64_t epoch, Arena *arena);

struct World;

/* --- Commands; each checks first and changes nothing when it fails. --- */

MUST_CHECK bool job_create(struct World *world, const Command *command, Status *status);
MUST_CHECK bool job_terminate(struct World *world, Job *job, Status *status);
MUST_CHECK bool job_delete(struct World *world, Job *job, Status *status);

/* --- Events --- */

void job_recorded(struct World *world, Job *job);
void job_eligible(struct World *world, Job *job);
/* Takes nodes and begins the first stage on each; the scheduler has seen that they are idle. */
void job_start(struct World *world, Job *job);
void job_stage_done(struct World *world, Job *job, int32_t node);
void job_program_done(struct World *world, Job *job);
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
/* It has run as long as a job may on low-priority nodes: its nodes are preempted. */
void job_ran_too_long(struct World *world, Job *job);
/* Its next container does not start. */
void job_spoil_container(Job *job);

#endif
