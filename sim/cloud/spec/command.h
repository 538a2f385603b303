/* Requests to the world: one tagged union for scenario files, HTTP requests, the journal and the
 * tests.
 *
 * A command contains names, not ids, so it has the same meaning when it is replayed in another
 * world. Strings and specs are borrowed. */
#ifndef SIM_CLOUD_SPEC_COMMAND_H
#define SIM_CLOUD_SPEC_COMMAND_H

#include "sim/base/status.h"
#include "sim/cloud/record/moment.h"
#include "sim/cloud/spec/spec.h"

/* The largest seed of a file or option: numbers of JSON are exact up to it. */
#define SEED_MOST (INT64_C(1) << 53)

/* Faults on request: commands of the simulator that the service does not have. Columns: as in
 * SERVICE_COMMANDS. */
#define FAULT_KINDS(X)                                                                             \
    X(NODE_CRASH, "node.crash", "a node goes silent; the service notices after a while")           \
    X(NODE_PREEMPT, "node.preempt", "a low-priority node is taken away, after the notice time")    \
    X(NODE_REBOOT, "node.reboot", "a node restarts and is prepared again")                         \
    X(NODE_SLOW, "node.slow", "a node computes at another speed from now on (\"lemon\")")          \
    X(NODE_DRAIN, "node.drain",                                                                    \
      "a node takes no new job; once its jobs have ended it is worked on, and then prepared "      \
      "again")                                                                                     \
    X(NODE_RESUME, "node.resume", "a drained node returns to service")                             \
    X(GROUP_CRASH, "group.crash", "all nodes of a group go silent together")                       \
    X(GROUP_PREEMPT, "group.preempt", "all nodes of a group are preempted together")               \
    X(REGION_OUTAGE, "region.outage", "all nodes go silent, none can be allocated for a while")    \
    X(ALLOCATION_FAIL, "allocation.fail", "the cluster's next allocation brings fewer nodes")      \
    X(PREPARATION_FAIL, "preparation.fail", "the next preparation of a node fails")                \
    X(SHARE_SLOW, "share.slow",                                                                    \
      "a share or file server is slower for a while; speed 0: an outage")                          \
    X(CONTAINER_FAIL, "container.fail", "a job's next container does not start")                   \
    X(JOB_EXIT, "job.exit", "a job's program ends now, with an exit code")                         \
    X(QUOTA_CHANGE, "quota.change", "a quota has other cores from now on; no cluster loses nodes") \
    X(QUEUE_CHANGE, "queue.change",                                                                \
      "a queue of a cluster has another guarantee or limit from now on; no job is stopped for it") \
    X(SEED_CHANGE, "seed.change",                                                                  \
      "random draws come from another seed from now on; failures, preemptions and arrivals that "  \
      "have not happened are drawn again, and durations that have begun keep their draws")         \
    X(POLICY_CHANGE, "policy.change", "another policy chooses the next jobs from now on")

/* X(ENUM, name in scenario files, effect)
 *
 * A kind's name is part of the addresses of random draws (names_key): renaming a kind changes all
 * results. */
#define SERVICE_COMMANDS(X)                                                                        \
    X(GROUP_CREATE, "group.create", "create a resource group")                                     \
    X(GROUP_DELETE, "group.delete", "delete a resource group and everything in it")                \
    X(WORKSPACE_CREATE, "workspace.create", "create a workspace")                                  \
    X(WORKSPACE_DELETE, "workspace.delete", "delete a workspace and everything in it")             \
    X(EXPERIMENT_CREATE, "experiment.create", "create an experiment")                              \
    X(EXPERIMENT_DELETE, "experiment.delete", "delete an experiment and its jobs")                 \
    X(STORAGE_CREATE, "storage.create", "create a storage account")                                \
    X(SHARE_CREATE, "share.create", "create a file share or blob container")                       \
    X(FILE_UPLOAD, "file.upload", "put a file on a share")                                         \
    X(STORAGE_DELETE, "storage.delete", "delete a storage account and its shares")                 \
    X(SHARE_DELETE, "share.delete", "delete a file share or blob container")                       \
    X(FILE_DELETE, "file.delete", "delete a file on a share")                                      \
    X(CLUSTER_CREATE, "cluster.create", "create a cluster")                                        \
    X(CLUSTER_RESIZE, "cluster.resize", "set a cluster's target number of nodes")                  \
    X(CLUSTER_DELETE, "cluster.delete", "delete a cluster")                                        \
    X(CLUSTER_SHOW, "cluster.show", "print the cluster as `az batchai cluster show -o table`")     \
    X(JOB_CREATE, "job.create", "submit a job")                                                    \
    X(JOB_TERMINATE, "job.terminate", "stop a job and keep its record")                            \
    X(JOB_DELETE, "job.delete", "delete a job")                                                    \
    X(JOB_RAN, "job.ran", "report how the command of a job of real execution ended")               \
    X(JOB_REACHED, "job.reached", "report which step a job of real execution has reached")         \
    X(JOB_SHOW, "job.show", "print the job as `az batchai job show -o table`")                     \
    X(JOB_FILES, "job.files", "print the job's files as `az batchai job file list -o table`")      \
    X(CLUSTER_AUTOSCALE, "cluster.autoscale",                                                      \
      "let a cluster scale automatically between two limits")                                      \
    X(FILE_SERVER_CREATE, "fileserver.create", "create an NFS file server")                        \
    X(FILE_SERVER_DELETE, "fileserver.delete", "delete an NFS file server")                        \
    X(USAGES_SHOW, "usages.show", "print quotas and their use")                                    \
    X(PROGRAM_SET, "program.set",                                                                  \
      "state what a command line does, for the later jobs of a session; the world is unchanged")
/* The commands that a scenario lists under "commands" and "faults". */
#define COMMAND_KINDS(X) SERVICE_COMMANDS(X) FAULT_KINDS(X)

typedef enum {
#define X(name, text, what) COMMAND_##name,
    COMMAND_KINDS(X)
#undef X
        COMMAND_KIND_COUNT
} CommandKind;

const char *command_name(CommandKind kind); /* "cluster.create" */
/* The kind of command that creates the resource that commands of `kind` create, change, show or
 * delete: of "cluster.resize" it is "cluster.create". COMMAND_KIND_COUNT for faults, and for
 * commands about something else. */
CommandKind command_made_by(CommandKind kind);
/* The noun in messages for the resources that commands of the kind `made_by` create: "file server".
 */
const char *resource_noun(CommandKind made_by);

/* The output of a show: the table, or one member as `--query` picks it. X(ENUM, name) */
#define SHOW_QUERIES(X)                                                                            \
    X(TABLE, "table")                                                                              \
    X(NODE_STATE_COUNTS, "nodeStateCounts") /* of a cluster */                                     \
    X(EXECUTION_STATE, "executionState")    /* of a job */

typedef enum {
#define X(name, text) QUERY_##name,
    SHOW_QUERIES(X)
#undef X
        QUERY_COUNT
} ShowQuery;

const char *show_query_name(ShowQuery query); /* "nodeStateCounts" */

/* Quantities of a cluster, job or share that conditions use. X(ENUM, noun of the subject, name) */
#define QUANTITIES(X)                                                                              \
    X(CLUSTER_NODES, "cluster", "nodes") /* held, and so billed */                                 \
    X(CLUSTER_IDLE, "cluster", "idle")                                                             \
    X(CLUSTER_RUNNING, "cluster", "running")                                                       \
    X(CLUSTER_PREPARING, "cluster", "preparing")                                                   \
    X(CLUSTER_LEAVING, "cluster", "leaving")                                                       \
    X(CLUSTER_UNUSABLE, "cluster", "unusable")                                                     \
    X(CLUSTER_TARGET, "cluster", "target")                                                         \
    X(CLUSTER_QUEUED, "cluster", "queued_jobs")                                                    \
    X(JOB_IS_QUEUED, "job", "queued") /* this and the next three: 0 or 1 */                        \
    X(JOB_IS_RUNNING, "job", "running")                                                            \
    X(JOB_IS_SUCCEEDED, "job", "succeeded")                                                        \
    X(JOB_IS_FAILED, "job", "failed")                                                              \
    X(JOB_EPOCHS, "job", "epochs") /* done and not lost */                                         \
    X(JOB_ATTEMPTS, "job", "attempts")                                                             \
    X(SHARE_TRANSFERS, "share", "transfers")

typedef enum {
#define X(name, noun, text) QUANTITY_##name,
    QUANTITIES(X)
#undef X
        QUANTITY_COUNT
} Quantity;

const char *quantity_noun(Quantity quantity); /* "cluster": the kind of its subject */
const char *quantity_name(Quantity quantity); /* "idle" */
/* The kind of command that creates the subject of a quantity, or of a moment. */
CommandKind quantity_made_by(Quantity quantity);
CommandKind moment_made_by(Moment moment);

/* X(ENUM, sign) */
#define COMPARATORS(X)                                                                             \
    X(LESS, "<") X(AT_MOST, "<=") X(EQUAL, "==") X(NOT_EQUAL, "!=") X(AT_LEAST, ">=") X(MORE, ">")

typedef enum {
#define X(name, sign) COMPARE_##name,
    COMPARATORS(X)
#undef X
        COMPARATOR_COUNT
} Comparator;

const char *comparator_sign(Comparator comparator); /* ">=" */

/* "cluster gpu idle >= 4 for 10m" */
typedef struct {
    Quantity quantity;
    const char *subject; /* name of the cluster or job, or "account/share" */
    Comparator comparator;
    int64_t value;
    int64_t for_ns; /* 0: at once */
} Condition;

/* When a command is applied: at a time, after a condition has held, or `delay_ns` after a moment of
 * a cluster or job. A moment counts only after the last earlier command in the list that creates
 * the job, or creates, resizes or deletes the cluster. So, after a resize, "ready" means ready
 * again. */
typedef struct {
    Moment moment;       /* MOMENT_AT: `delay_ns` after the start */
    const char *subject; /* the cluster's or job's name; NULL for MOMENT_AT and MOMENT_CONDITION */
    int64_t ordinal;     /* from 1, for moments that have one; else 0 */
    int64_t delay_ns;
    const Condition *condition; /* of MOMENT_CONDITION */
    int64_t every_ns;           /* of MOMENT_AT: again after each such time; 0: once */
} Trigger;

/* Part of a group of nodes, such as a rack or a zone. Places count from 1 in each cluster; the
 * replacement of a node takes its place. */
typedef struct {
    const char *cluster; /* its name */
    int32_t first, last; /* places, both included */
} GroupMember;

typedef struct {
    const char *name;
    int32_t member_count;
    const GroupMember *members;
} NodeGroup;

typedef struct {
    const char *group;      /* NULL for groups, and for storage outside of any group */
    const char *workspace;  /* NULL above workspaces, and for storage */
    const char *experiment; /* NULL except for experiments and jobs */
    const char *name;       /* of the resource itself; for a share: "account/share" */
} ResourcePath;

/* The results of a training of real execution, including the checkpoint from which it resumed. */
typedef struct {
    int64_t epochs;       /* done; -1: unknown */
    int64_t steps;        /* done, of one rank; -1: unknown */
    int64_t accuracy_ppm; /* on the test set after the last epoch; -1: unknown */
    int64_t loss_micro;   /* likewise */
} RealTraining;

static inline RealTraining real_training_unknown(void)
{
    return (RealTraining){.epochs = -1, .steps = -1, .accuracy_ppm = -1, .loss_micro = -1};
}

typedef struct {
    CommandKind kind;
    Trigger trigger;
    ResourcePath path;
    const char *source; /* "scenario.json:12:5", for messages; or NULL */
    union {             /* by kind; all other kinds have no further members */
        struct {
            const ShareTier *tier;
        } share_create;
        struct {
            const char *file; /* path inside the share path.name */
            int64_t bytes;
            const char *local_path; /* a file of this machine with the contents; or NULL */
            const char *text;       /* the contents; or NULL. Without both only the size is known */
        } file_upload;
        struct {
            const char *file; /* path inside the share path.name */
        } file_delete;
        const ClusterSpec *cluster_create;
        struct {
            const char *kind; /* of its nodes; NULL: the only one */
            int32_t target_nodes;
            DeallocationOption deallocation;
        } cluster_resize;
        struct {
            int32_t minimum_nodes;
            int32_t maximum_nodes;
        } cluster_autoscale;
        struct {
            const VmSize *vm_size;
            const ShareTier *tier; /* the performance of its disks and network */
            const char *share;     /* the name of its share: file_server_share_name */
        } file_server_create;
        struct {
            ShowQuery query; /* cluster.show, job.show */
        } show;
        struct {
            int32_t node;          /* the preparation on this node, from 1; 0: the program */
            int64_t took_ns;       /* from its beginning to its end */
            int32_t exit_code;     /* -1: none */
            const char *reason;    /* why it failed, in addition to its exit code; or NULL */
            RealTraining training; /* results of the program, where known */
            const char *ran_as;    /* a description of how it ran; NULL: unknown */
        } job_ran;
        struct {
            int64_t step;       /* counted over all epochs from 1; all steps up to it have ended */
            int64_t took_ns;    /* from the program's beginning */
            int64_t kept;       /* epochs in a checkpoint that is on a share by then, and */
            int64_t kept_steps; /* steps of the next epoch in it; both 0: no new one */
        } job_reached;
        struct {                    /* FAULT_KINDS; `path`: cluster, job, share, quota's family,
                                       the seed or policy as a name */
            bool is_of_job;         /* node.*: `path` is a job's, `node` counts its nodes */
            int32_t node;           /* place, from 1; 0: drawn from the nodes it can strike */
            const NodeGroup *group; /* group.* */
            NodeRecovery recovery;  /* *.crash */
            int64_t duration_ns;    /* of the repair or the outage; INT64_MAX: for ever */
            int64_t speed_ppm;      /* *.slow: 1,000,000 = as modelled */
            int32_t count;          /* allocation.fail: nodes that the allocation lacks */
            int32_t exit_code;      /* job.exit */
            uint64_t seed;          /* seed.change */
            int32_t policy;         /* policy.change: a PolicyKind */
            int32_t vcpus;          /* quota.change */
            bool is_low_priority; /* quota.change: the low-priority quota, not the dedicated one */
            const char *queue;    /* queue.change */
            int64_t gpus, gpus_max; /* queue.change: as in QueueSpec; -1: as before */
            const char *reason;     /* in plain words, or NULL */
        } fault;
        struct {
            ResourcePath cluster;
            const JobSpec *spec;
            int32_t workload_number; /* 1 + index in Scenario.workloads; 0: no workload's job */
        } job_create;
    } as;
} Command;

/* The place of a command in its file, for messages. */
Place command_place(const Command *command);
/* Fails in the service's words: "The specified cluster nc6 is not found". */
bool command_not_found(const Command *command, const char *what, const char *name, Status *status);

#endif
