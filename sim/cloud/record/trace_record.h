/* What happened: the only way in which the world speaks.
 *
 * The trace file, the metrics, the timeline, the report and the triggers of commands are all folds
 * over these records; a real training run is turned into the same records. A record is a fact with
 * the ids it concerns, the span of time it closes, and integers whose names stand in the table
 * below. */
#ifndef SIM_CLOUD_RECORD_TRACE_RECORD_H
#define SIM_CLOUD_RECORD_TRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cloud/record/ids.h"

/* How much is told: each level has everything of the level before it. */
typedef enum { TRACE_LEVEL_JOBS, TRACE_LEVEL_EPOCHS, TRACE_LEVEL_STEPS } TraceLevel;

/* X(ENUM, name in trace.tsv, level, names of the values in order)
 *
 * `name` of a record, where it has one, is said in the comment. Spans [since_ns, at_ns] are marked
 * "span". */
#define TRACE_KINDS(X)                                                                             \
    /* name: "workspace.create batchaidev"; ordinal = index in the scenario's list */              \
    X(COMMAND_APPLIED, "command_applied", JOBS, "ordinal")                                         \
    /* its moment never came; name as above */                                                     \
    X(COMMAND_SKIPPED, "command_skipped", JOBS, "ordinal")                                         \
    /* name: why the service would have refused; ordinal -1: a workload's, of no command */        \
    X(COMMAND_REFUSED, "command_refused", JOBS, "ordinal")                                         \
    /* name: "group batchai.horovod", "share mystorageaccount/myshare", ...; of a share that is    \
     * deleted also its id */                                                                      \
    X(RESOURCE_CREATED, "resource_created", JOBS, "")                                              \
    X(RESOURCE_DELETED, "resource_deleted", JOBS, "")                                              \
    /* name: creating succeeded deleting deleted */                                                \
    X(CLUSTER_PROVISIONING, "cluster_provisioning", JOBS, "")                                      \
    /* name: manual automatic */                                                                   \
    X(CLUSTER_SCALING, "cluster_scaling", JOBS, "minimum maximum target")                          \
    /* name: "AccountCoreQuotaReached: ..." with the reason in plain words */                      \
    X(CLUSTER_ERROR, "cluster_error", JOBS, "")                                                    \
    /* name: resizing steady; cause: what began it */                                              \
    X(CLUSTER_ALLOCATION, "cluster_allocation", JOBS, "target current")                            \
    /* every node prepared, allocation steady */                                                   \
    X(CLUSTER_READY, "cluster_ready", JOBS, "nodes")                                               \
    /* name: nodeStateCounts where only that was asked for */                                      \
    X(CLUSTER_SHOWN, "cluster_shown", JOBS, "")                                                    \
    /* span: the state that ends here; name: the state that begins (preparing idle running         \
     * leaving unusable released); was = NodeState that ends, NODE_STATE_COUNT for a new node */   \
    X(NODE_STATE, "node_state", JOBS, "was")                                                       \
    /* name: "AZFMountError: ..." with the reason in plain words; before the state it leads to */  \
    X(NODE_ERROR, "node_error", JOBS, "")                                                          \
    /* a low-priority node is going to be preempted */                                             \
    X(NODE_NOTICE, "node_notice", JOBS, "notice_ns")                                               \
    /* its speed from now on; 1,000,000 = as modelled */                                           \
    X(NODE_SPEED, "node_speed", JOBS, "speed_ppm")                                                 \
    /* name: the group, or the region; many nodes are struck at once: their records follow */      \
    X(GROUP_STRUCK, "group_struck", JOBS, "nodes")                                                 \
    /* span: from allocation to release; name: released, or held when the run ended */             \
    X(NODE_BILLED, "node_billed", JOBS, "billed_ns micro_usd_per_hour")                            \
    /* name: creating succeeded deleting deleted */                                                \
    X(JOB_PROVISIONING, "job_provisioning", JOBS, "")                                              \
    /* span: the state that ends; name: the state that begins (queued running terminating          \
     * succeeded failed); exit_code is -1 where there is none */                                   \
    X(JOB_STATE, "job_state", JOBS, "exit_code")                                                   \
    /* span: one attempt, from taking the nodes to giving them back; name: completed failed        \
     * stopped lost unfinished. Node time of all its nodes, which adds up to nodes times the span: \
     * kept (compute, update, evaluation, files; or the command itself), exchange, input (waiting  \
     * for data), gang (waiting for other ranks and nodes), startup (mounts, image, container,     \
     * preparation, program start), checkpoint, lost (done and thrown away) */                     \
    X(JOB_ATTEMPT, "job_attempt", JOBS,                                                            \
      "nodes kept_ns exchange_ns input_ns gang_ns startup_ns checkpoint_ns lost_ns epochs_kept")   \
    /* node: the one that fell silent; nothing progresses until the service notices */             \
    X(JOB_STALLED, "job_stalled", JOBS, "")                                                        \
    /* name: the checkpoint's file; epochs that need not be done again */                          \
    X(JOB_RESUMED, "job_resumed", JOBS, "epochs")                                                  \
    /* name: "JobFailed: Job failed with non-zero exit code"; just before the state failed */      \
    X(JOB_ERROR, "job_error", JOBS, "")                                                            \
    /* span, per node; name: mount pull container preparation start download data */               \
    X(JOB_STAGE, "job_stage", JOBS, "")                                                            \
    /* the first step begins; ranks, steps per epoch and rank, epochs */                           \
    X(JOB_TRAINING, "job_training", JOBS, "ranks steps epochs")                                    \
    /* span: all epochs; sums over them of the slowest rank's parts */                             \
    X(JOB_TRAINED, "job_trained", JOBS,                                                            \
      "steps input_ns compute_ns wait_ns exchange_ns update_ns evaluate_ns checkpoint_ns "         \
      "accuracy_ppm loss_micro")                                                                   \
    /* span of one epoch with its steps; the parts are those of rank 0 and add up to the span */   \
    X(EPOCH, "epoch", EPOCHS,                                                                      \
      "epoch steps input_ns compute_ns wait_ns exchange_ns update_ns train_accuracy_ppm "          \
      "train_loss_micro")                                                                          \
    /* span, all ranks at once; after epoch */                                                     \
    X(EVALUATION, "evaluation", EPOCHS, "epoch accuracy_ppm loss_micro")                           \
    /* span, rank 0; name: the file */                                                             \
    X(CHECKPOINT, "checkpoint", EPOCHS, "epoch")                                                   \
    /* span of one rank's step; wait: for the slowest rank */                                      \
    X(STEP, "step", STEPS, "epoch step rank input_ns compute_ns wait_ns exchange_ns update_ns")    \
    /* span, bytes; name: read write */                                                            \
    X(TRANSFER, "transfer", EPOCHS, "work_ns")                                                     \
    /* name: path on the share; bytes */                                                           \
    X(FILE_WRITTEN, "file_written", JOBS, "")                                                      \
    /* name: path on the share */                                                                  \
    X(FILE_DELETED, "file_deleted", JOBS, "")                                                      \
    /* name: up slow out */                                                                        \
    X(SHARE_STATE, "share_state", JOBS, "speed_ppm")                                               \
    /* name: "creating NAME", "succeeded NAME", "failed NAME: CODE: message", ... */               \
    X(FILE_SERVER_PROVISIONING, "file_server_provisioning", JOBS, "")                              \
    /* span: from creation to deletion, or to the end of the run; name: the file server */         \
    X(FILE_SERVER_BILLED, "file_server_billed", JOBS, "billed_ns micro_usd_per_hour")              \
    X(USAGES_SHOWN, "usages_shown", JOBS, "")                                                      \
    /* name: executionState where only that was asked for */                                       \
    X(JOB_SHOWN, "job_shown", JOBS, "")                                                            \
    X(JOB_FILES_SHOWN, "job_files_shown", JOBS, "")                                                \
    /* span: the whole run; random numbers drawn (world_word), and the sum of their words, 63      \
     * bits; name: why it was given up before all was over, mostly none */                         \
    X(RUN_ENDED, "run_ended", JOBS, "events draws drawn")

typedef enum {
#define X(name, text, level, values) TRACE_##name,
    TRACE_KINDS(X)
#undef X
        TRACE_KIND_COUNT
} TraceKind;

/* Why something happened, where there is a reason to tell. X(ENUM, name in trace.tsv) */
#define TRACE_CAUSES(X)                                                                            \
    X(NONE, "")                                                                                    \
    X(CREATION, "creation")                                                                        \
    X(RESIZE, "resize")                                                                            \
    X(AUTOSCALE, "autoscale")                                                                      \
    X(REPLACEMENT, "replacement") /* of nodes that were lost */                                    \
    X(RETRY, "retry")             /* of an allocation that failed */                               \
    X(QUOTA, "quota")                                                                              \
    X(ALLOCATION_FAILURE, "allocation_failure")                                                    \
    X(PREPARATION_FAILURE, "preparation_failure")                                                  \
    X(SETUP_FAILURE, "setup_failure")                                                              \
    X(MOUNT_FAILURE, "mount_failure")                                                              \
    X(CRASH, "crash")                                                                              \
    X(GROUP, "group") /* a rack, zone or region failed */                                          \
    X(PREEMPTION, "preemption")                                                                    \
    X(RUN_LENGTH, "run_length") /* preempted because its job ran too long for low priority */      \
    X(REBOOT, "reboot")                                                                            \
    X(REPAIR, "repair")                                                                            \
    X(SCALE_DOWN, "scale_down") /* its node was taken by a resize */                               \
    X(TERMINATION, "termination")                                                                  \
    X(DELETION, "deletion")                                                                        \
    X(TIME_LIMIT, "time_limit")                                                                    \
    X(EXIT, "exit") /* the program, or its preparation, ended by itself */                         \
    X(CONTAINER_FAILURE, "container_failure")

typedef enum {
#define X(name, text) CAUSE_##name,
    TRACE_CAUSES(X)
#undef X
        CAUSE_COUNT
} TraceCause;

const char *trace_cause_name(TraceCause cause); /* "autoscale"; "" for CAUSE_NONE */

enum { TRACE_VALUES = 10 };

typedef struct {
    TraceKind kind;
    int64_t at_ns;
    int64_t since_ns;  /* begin of the span; at_ns where the record is an instant */
    ClusterId cluster; /* ids are ID_NONE where they do not apply */
    NodeId node;
    JobId job;
    ShareId share;
    int64_t bytes;
    int64_t value[TRACE_VALUES]; /* named by trace_value_names(kind), the rest 0 */
    TraceCause cause;
    const char *name; /* NULL where the kind has none; lives as long as the world */
    uint32_t file;    /* FILE_WRITTEN: world_file tells what it holds; else 0. Not in trace.tsv */
} TraceRecord;

const char *trace_kind_name(TraceKind kind);
TraceLevel trace_kind_level(TraceKind kind);
/* "target current": names of value[0], value[1], ..., separated by one space. */
const char *trace_value_names(TraceKind kind);

/* The core speaks; whoever listens lives elsewhere. Records come in order of time. */
typedef struct {
    void *listener;
    TraceLevel level; /* records above it are not made */
    void (*record)(void *listener,
                   const TraceRecord *record); /* borrowed for the call; may be NULL */
    /* All that happens at `at_ns` has happened: between instants everything adds up. May be NULL.
     */
    void (*instant)(void *listener, int64_t at_ns);
} TraceSink;

#endif
