/* What can be asked of the world: one tagged union for scenario files, HTTP requests, the journal
 * and the tests.
 *
 * A command names things, it holds no ids: replayed in another world it means the same. Strings and
 * specs are borrowed. */
#ifndef SIM_CORE_COMMAND_H
#define SIM_CORE_COMMAND_H

#include "sim/core/spec.h"

/* X(ENUM, name in scenario files, what it does)
 *
 * A kind's name is part of the addresses of random draws (resource_key): to rename one changes all
 * results. */
#define COMMAND_KINDS(X)                                                                           \
    X(GROUP_CREATE, "group.create", "create a resource group")                                     \
    X(GROUP_DELETE, "group.delete", "delete a resource group and everything in it")                \
    X(WORKSPACE_CREATE, "workspace.create", "create a workspace")                                  \
    X(WORKSPACE_DELETE, "workspace.delete", "delete a workspace and everything in it")             \
    X(EXPERIMENT_CREATE, "experiment.create", "create an experiment")                              \
    X(EXPERIMENT_DELETE, "experiment.delete", "delete an experiment and its jobs")                 \
    X(STORAGE_CREATE, "storage.create", "create a storage account")                                \
    X(SHARE_CREATE, "share.create", "create a file share or blob container")                       \
    X(FILE_UPLOAD, "file.upload", "put a file on a share")                                         \
    X(CLUSTER_CREATE, "cluster.create", "create a cluster")                                        \
    X(CLUSTER_RESIZE, "cluster.resize", "set a cluster's target number of nodes")                  \
    X(CLUSTER_DELETE, "cluster.delete", "delete a cluster")                                        \
    X(CLUSTER_SHOW, "cluster.show", "print the cluster as `az batchai cluster show -o table`")     \
    X(JOB_CREATE, "job.create", "submit a job")                                                    \
    X(JOB_TERMINATE, "job.terminate", "stop a job and keep its record")                            \
    X(JOB_DELETE, "job.delete", "delete a job")                                                    \
    X(JOB_SHOW, "job.show", "print the job as `az batchai job show -o table`")                     \
    X(JOB_FILES, "job.files", "print the job's files as `az batchai job file list -o table`")

typedef enum {
#define X(name, text, what) COMMAND_##name,
    COMMAND_KINDS(X)
#undef X
        COMMAND_KIND_COUNT
} CommandKind;

const char *command_name(CommandKind kind); /* "cluster.create" */
const char *command_what(CommandKind kind);

/* What a show prints: the table, or one member as `--query` picks it. X(ENUM, name) */
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

/* When: at a time, or a while after something happened to a cluster or job: the first time after
 * the last command before it in the list that creates the job, or creates, resizes or deletes the
 * cluster. So, after a resize, "ready" means ready again. */
typedef enum {
    MOMENT_AT, /* Trigger.delay_ns after the start */
    MOMENT_CLUSTER_STEADY,
    MOMENT_CLUSTER_READY, /* steady, and every node prepared */
    MOMENT_CLUSTER_EMPTY, /* steady, with no nodes */
    MOMENT_CLUSTER_DELETED,
    MOMENT_JOB_STARTED,   /* executionState running */
    MOMENT_JOB_TRAINING,  /* first step begins */
    MOMENT_JOB_COMPLETED, /* succeeded or failed */
    MOMENT_COUNT
} Moment;

typedef struct {
    Moment moment;
    const char *subject; /* the cluster's or job's name; NULL for MOMENT_AT */
    int64_t delay_ns;
} Trigger;

typedef struct {
    const char *group;
    const char *workspace;  /* NULL above workspaces, and for storage */
    const char *experiment; /* NULL except for experiments and jobs */
    const char *name;       /* of the thing itself; for a share: "account/share" */
} ResourcePath;

typedef struct {
    CommandKind kind;
    Trigger trigger;
    ResourcePath path;
    const char *source; /* "scenario.json:12:5", for messages; or NULL */
    union {             /* by kind; the kinds not named here need nothing more */
        struct {
            const ShareTier *tier;
        } share_create;
        struct {
            const char *file; /* path inside the share, path.name being "account/share" */
            int64_t bytes;
            const char *local_path; /* where its contents lie on this machine; NULL when only the
                                       size counts */
        } file_upload;
        const ClusterSpec *cluster_create;
        struct {
            int32_t target_nodes;
            DeallocationOption deallocation;
        } cluster_resize;
        struct {
            ShowQuery query; /* cluster.show, job.show */
        } show;
        struct {
            ResourcePath cluster;
            const JobSpec *spec;
        } job_create;
    } as;
} Command;

#endif
