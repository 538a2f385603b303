/* The table of trace records: one row for each kind of record, with the names of its values.
 *
 * The struct of a record (trace_record.h), its columns in trace.tsv, its reader and its printers
 * are generated from this table. To add a record, add a row here and emit it. */
#ifndef SIM_CLOUD_RECORD_TRACE_KINDS_H
#define SIM_CLOUD_RECORD_TRACE_KINDS_H

/* X(ENUM, name in trace.tsv and in TraceRecord, level, columns, values, meaning)
 *
 * `columns`: the columns among CLUSTER, NODE, JOB, SHARE and NAME that every record of the kind
 * has; 0: none. `values`, in the order of trace.tsv: VALUE(name) is an integer that is never
 * negative; VALUE_OR_NONE(name) may also be -1 (no value); STEP_PARTS and TRAINING_POINT
 * stand for the values of StepParts and TrainingPoint; NO_VALUES: a record has no values.
 *
 * `meaning` is documentation of trace.tsv: what happened, and where that is not plain what the span
 * [since_ns, at_ns] is, the name and the values. */
#define TRACE_KINDS(X)                                                                             \
    X(COMMAND_APPLIED, command_applied, JOBS, NAME, VALUE(ordinal),                                \
      "a command of the scenario was applied; name: the command, such as workspace.create "        \
      "batchaidev; ordinal: its index in the scenario")                                            \
    X(COMMAND_SKIPPED, command_skipped, JOBS, NAME, VALUE(ordinal),                                \
      "the moment of a command never happened; name and ordinal as of command_applied")            \
    X(COMMAND_REFUSED, command_refused, JOBS, NAME, VALUE_OR_NONE(ordinal),                        \
      "a command was refused; name: the command and why; ordinal -1: the command is the job "      \
      "of a workload")                                                                             \
    X(RESOURCE_CREATED, resource_created, JOBS, NAME, NO_VALUES,                                   \
      "name: the resource, such as group batchai.horovod or share mystorageaccount/myshare")       \
    X(RESOURCE_DELETED, resource_deleted, JOBS, NAME, NO_VALUES,                                   \
      "name as of resource_created; a share that is deleted is also in the column share")          \
    X(CLUSTER_PROVISIONING, cluster_provisioning, JOBS, CLUSTER | NAME, NO_VALUES,                 \
      "name: creating, succeeded, deleting or deleted")                                            \
    X(CLUSTER_SCALING, cluster_scaling, JOBS, CLUSTER | NAME,                                      \
      VALUE(minimum) VALUE(maximum) VALUE(target), "name: manual or automatic")                    \
    X(CLUSTER_ERROR, cluster_error, JOBS, CLUSTER | NAME, NO_VALUES,                               \
      "name: the code of the error, such as AccountCoreQuotaReached, and its reason")              \
    X(CLUSTER_ALLOCATION, cluster_allocation, JOBS, CLUSTER | NAME, VALUE(target) VALUE(current),  \
      "name: resizing or steady; cause: of the allocation")                                        \
    X(CLUSTER_READY, cluster_ready, JOBS, CLUSTER, VALUE(nodes),                                   \
      "the cluster is steady, none of its nodes prepares, and at least one can run jobs")          \
    X(CLUSTER_SHOWN, cluster_shown, JOBS, CLUSTER, NO_VALUES,                                      \
      "a command asked for the cluster; name: nodeStateCounts if it asked for those alone")        \
    X(NODE_STATE, node_state, JOBS, CLUSTER | NODE | NAME, VALUE(was),                             \
      "span: the state that ends; name: the state that begins: preparing, idle, running, "         \
      "leaving, unusable or released; was: the number of the state that ends in this list, "       \
      "from 0, and 5 for a new node")                                                              \
    X(NODE_ERROR, node_error, JOBS, CLUSTER | NODE | NAME, NO_VALUES,                              \
      "name: the code of the error, such as AZFMountError, and its reason; the new state of "      \
      "the node follows")                                                                          \
    X(NODE_NOTICE, node_notice, JOBS, CLUSTER | NODE, VALUE(notice_ns),                            \
      "the low-priority node is going to be preempted")                                            \
    X(NODE_SPEED, node_speed, JOBS, CLUSTER | NODE, VALUE(speed_ppm),                              \
      "the speed of the node from now on; 1,000,000: as modelled")                                 \
    X(GROUP_STRUCK, group_struck, JOBS, NAME, VALUE(nodes),                                        \
      "a group of nodes or the region failed; name: the group or the region; the records of "      \
      "its nodes follow")                                                                          \
    X(NODE_BILLED, node_billed, JOBS, CLUSTER | NODE | NAME,                                       \
      VALUE(billed_ns) VALUE_OR_NONE(micro_usd_per_hour),                                          \
      "span: from allocation to release; name: released, or held when the run ended")              \
    X(JOB_PROVISIONING, job_provisioning, JOBS, CLUSTER | JOB | NAME, NO_VALUES,                   \
      "name: creating, succeeded, deleting or deleted")                                            \
    X(JOB_STATE, job_state, JOBS, CLUSTER | JOB | NAME, VALUE_OR_NONE(exit_code),                  \
      "span: the state that ends; name: the state that begins: queued, running, "                  \
      "terminating, succeeded or failed")                                                          \
    X(JOB_ATTEMPT, job_attempt, JOBS, CLUSTER | JOB | NAME,                                        \
      VALUE(nodes) VALUE(kept_ns) VALUE(exchange_ns) VALUE(input_ns) VALUE(gang_ns)                \
          VALUE(startup_ns) VALUE(checkpoint_ns) VALUE(lost_ns) VALUE(epochs_kept),                \
      "span: one attempt, from taking the nodes to giving them back; name: completed, "            \
      "failed, stopped, lost, preempted or unfinished. The node time of all nodes adds up "        \
      "to nodes times the span, and for a job with GPUs (job_placed) GPU time to GPUs times "      \
      "the span: kept (compute, update, evaluation, files, or the command itself), "               \
      "exchange, input (waits for data), gang (waits for other ranks and nodes), startup "         \
      "(mounts, image, container, preparation, program start), checkpoint, lost (done and "        \
      "thrown away)")                                                                              \
    X(JOB_STALLED, job_stalled, JOBS, CLUSTER | JOB | NODE, NO_VALUES,                             \
      "the node fell silent: the job makes no progress until the service notices it")              \
    X(JOB_RESUMED, job_resumed, JOBS, CLUSTER | JOB | NAME, VALUE(epochs),                         \
      "an attempt continues from a checkpoint: so many epochs need not be done again; name: "      \
      "the file of the checkpoint")                                                                \
    X(JOB_ERROR, job_error, JOBS, CLUSTER | JOB | NAME, NO_VALUES,                                 \
      "name: the code of the error and its reason; the state failed follows")                      \
    X(JOB_STAGE, job_stage, JOBS, CLUSTER | JOB | NODE | NAME, NO_VALUES,                          \
      "span: a stage of the job on one node; name: mount, pull, container, preparation, "          \
      "start, download or data")                                                                   \
    X(JOB_TRAINING, job_training, JOBS, CLUSTER | JOB, VALUE(ranks) VALUE(steps) VALUE(epochs),    \
      "the first step begins; steps: of an epoch on one rank")                                     \
    X(JOB_TRAINED, job_trained, JOBS, CLUSTER | JOB,                                               \
      VALUE(steps) STEP_PARTS VALUE(evaluate_ns) VALUE(checkpoint_ns) VALUE(accuracy_ppm)          \
          VALUE(loss_micro),                                                                       \
      "span: all epochs; the parts are sums over the epochs of those of the slowest rank")         \
    X(EPOCH, epoch, EPOCHS, CLUSTER | JOB,                                                         \
      VALUE(epoch) VALUE(steps) STEP_PARTS VALUE(train_accuracy_ppm) VALUE(train_loss_micro),      \
      "span: one epoch, with its steps in this attempt; the parts are those of rank 0 and "        \
      "add up to the span without the checkpoints within the epoch")                               \
    X(EVALUATION, evaluation, EPOCHS, CLUSTER | JOB,                                               \
      VALUE(epoch) VALUE(accuracy_ppm) VALUE(loss_micro),                                          \
      "span: the evaluation after an epoch, on all ranks at once")                                 \
    X(CHECKPOINT, checkpoint, EPOCHS, CLUSTER | JOB | NODE | NAME, VALUE(epoch),                   \
      "span: rank 0 writes a checkpoint after an epoch; name: its file")                           \
    X(STEP, step, STEPS, CLUSTER | JOB | NODE, VALUE(epoch) VALUE(step) VALUE(rank) STEP_PARTS,    \
      "span: one step of one rank")                                                                \
    X(TRANSFER, transfer, EPOCHS, CLUSTER | JOB | NODE | SHARE | NAME, VALUE(work_ns),             \
      "span: a node reads or writes bytes of a share; name: read or write; work_ns: its time "     \
      "at the full rate of the share, without the latency")                                        \
    X(LINK_FULL, link_full, JOBS, CLUSTER | JOB | NODE | SHARE | NAME, VALUE(limited_ns),          \
      "span: a transfer that the links of its nodes slowed down; name: read or write; "            \
      "limited_ns: how long the share would have given it more")                                   \
    X(FILE_WRITTEN, file_written, JOBS, SHARE | NAME, NO_VALUES,                                   \
      "name: the path on the share; bytes: the size")                                              \
    X(FILE_DELETED, file_deleted, JOBS, SHARE | NAME, NO_VALUES, "name: the path on the share")    \
    X(SHARE_STATE, share_state, JOBS, SHARE | NAME, VALUE(speed_ppm), "name: up, slow or out")     \
    X(FILE_SERVER_PROVISIONING, file_server_provisioning, JOBS, NAME, NO_VALUES,                   \
      "name: creating, succeeded, failed, deleting or deleted, then the file server, and "         \
      "for failed the code of the error and its reason")                                           \
    X(FILE_SERVER_BILLED, file_server_billed, JOBS, NAME,                                          \
      VALUE(billed_ns) VALUE_OR_NONE(micro_usd_per_hour),                                          \
      "span: from creation to deletion, or to the end of the run; name: the file server")          \
    X(USAGES_SHOWN, usages_shown, JOBS, 0, NO_VALUES,                                              \
      "a command asked for the usages of the subscription")                                        \
    X(JOB_SHOWN, job_shown, JOBS, CLUSTER | JOB, NO_VALUES,                                        \
      "a command asked for the job; name: executionState if it asked for that alone")              \
    X(JOB_FILES_SHOWN, job_files_shown, JOBS, CLUSTER | JOB, NO_VALUES,                            \
      "a command asked for the files of the job")                                                  \
    X(RUN_ENDED, run_ended, JOBS, 0, VALUE(events) VALUE(draws) VALUE(drawn),                      \
      "span: the whole run; draws: the number of random words, drawn: their sum (63 bits); "       \
      "name: why a run without a set end stopped early, usually none")                             \
    X(JOB_PLACED, job_placed, JOBS, CLUSTER | JOB | NODE, VALUE(gpus) VALUE(gpus_per_node),        \
      "the job takes GPUs of the node until its attempt ends; jobs with whole nodes have no "      \
      "such record")                                                                               \
    X(NODE_REPAIR, node_repair, JOBS, CLUSTER | NODE | NAME, VALUE(crews) VALUE(waiting),          \
      "name: waiting, when a failed node begins to wait for a repair crew; begun, when a "         \
      "crew begins at a node that has waited, and the span is its wait. A node that need "         \
      "not wait has no such record")                                                               \
    X(JOB_WAITS, job_waits, JOBS, CLUSTER | JOB | NAME, VALUE(queue),                              \
      "the job is the first of a queue, and name keeps it there from now on: gpus, notice, "       \
      "limit, guarantee, cores or memory; queue: its index in the cluster. Recorded when the "     \
      "job or the reason changes, on clusters with queues or with jobs that ask for cores or "     \
      "memory")                                                                                    \
    X(NODE_KIND, node_kind, JOBS, CLUSTER | NODE | NAME, VALUE(kind) VALUE(gpus),                  \
      "the kind of a new node; kind: its index in the cluster; name: its name; gpus: those "       \
      "of a node. Clusters whose nodes are all of one kind have no such record")                   \
    X(JOB_SAVED, job_saved, JOBS, CLUSTER | JOB | NODE | NAME, TRAINING_POINT,                     \
      "span: rank 0 writes a checkpoint on notice, of so many whole epochs and so many steps "     \
      "of the next one; name: its file; cause: of the notice")                                     \
    X(JOB_RESUMED_WITHIN, job_resumed_within, JOBS, CLUSTER | JOB | NAME, TRAINING_POINT,          \
      "as job_resumed, from a checkpoint within an epoch: so many steps of the next epoch "        \
      "need not be done again either")                                                             \
    X(CHECKPOINT_WITHIN, checkpoint_within, EPOCHS, CLUSTER | JOB | NODE | NAME, TRAINING_POINT,   \
      "span: rank 0 writes a checkpoint that is due within an epoch; values and name as of "       \
      "job_saved")                                                                                 \
    X(JOB_WORK_SAVED, job_work_saved, JOBS, CLUSTER | JOB | NODE, VALUE(work_ns),                  \
      "span: a checkpoint on notice of a program that only takes time; work_ns: the work in "      \
      "it, of all attempts, as the job states times; cause: of the notice")                        \
    X(JOB_WORK_RESUMED, job_work_resumed, JOBS, CLUSTER | JOB, VALUE(work_ns),                     \
      "such a program continues from its last checkpoint: so much work need not be done "          \
      "again")                                                                                     \
    X(QUEUE_RECLAIMS, queue_reclaims, JOBS, CLUSTER | JOB | NAME,                                  \
      VALUE(queue) VALUE(jobs) VALUE(slots),                                                       \
      "a queue takes its guarantee back: so many jobs of other queues, which have so many "        \
      "slots, are stopped, and the job starts; their records follow, with the cause "              \
      "reclaim; span: the wait for the guarantee; name: the queue; queue: its index in the "       \
      "cluster")                                                                                   \
    X(JOB_RECLAIMED, job_reclaimed, JOBS, CLUSTER | JOB | NAME, VALUE(queue) VALUE(slots),         \
      "the job, which has so many slots, is about to be stopped for the guarantee of "             \
      "another queue; name: its own queue; queue: its index in the cluster")                       \
    X(JOB_NOTICE, job_notice, JOBS, CLUSTER | JOB | NAME, VALUE(queue) VALUE_OR_NONE(grace_ns),    \
      "the job is going to be stopped for a queue after grace_ns, if that is still needed then, "  \
      "and may write a checkpoint; -1: it need not be stopped any more; name: the queue; queue: "  \
      "its index in the cluster; cause: of the stop")                                              \
    X(QUEUE_CHANGED, queue_changed, JOBS, CLUSTER | NAME,                                          \
      VALUE(queue) VALUE(gpus) VALUE_OR_NONE(gpus_max),                                            \
      "the guarantee and the limit of a queue from now on; -1: no limit; name: the queue; "        \
      "queue: its index in the cluster")                                                           \
    X(CLUSTER_MAINTENANCE, cluster_maintenance, JOBS, CLUSTER | NAME,                              \
      VALUE(maintenance) VALUE(nodes) VALUE(running),                                              \
      "name: begins or ends, and the span of the end is the maintenance; maintenance: its index "  \
      "in the cluster; nodes: that it is of; running: of them, those that run jobs")               \
    X(JOB_DEFERRED, job_deferred, JOBS, CLUSTER | JOB, VALUE_OR_NONE(begins_ns),                   \
      "the waiting job is expected to run into maintenance of its nodes, which begins, or has "    \
      "begun, at begins_ns; it does not start before the end; -1: it need not wait for that "      \
      "any more")                                                                                  \
    X(NODE_DRAINED, node_drained, JOBS, CLUSTER | NODE | NAME, VALUE_OR_NONE(work_ns),             \
      "the node takes no new job from now on; once its jobs have ended it is unusable, with the "  \
      "same cause, for work_ns; -1: until it is resumed; name: why")                               \
    X(NODE_RESUMED, node_resumed, JOBS, CLUSTER | NODE, NO_VALUES,                                 \
      "span: the node was drained; it takes jobs again, is prepared or is gone, as its next "      \
      "state "                                                                                     \
      "says")

/* The shortage that keeps the first job of a queue from starting. X(ENUM, name in trace.tsv) */
#define SHORTAGES(X)                                                                               \
    X(GPUS, "gpus")           /* free GPUs or nodes, or all on few enough nodes */                 \
    X(CORES, "cores")         /* free cores on the nodes with free GPUs */                         \
    X(MEMORY, "memory")       /* free main memory on the nodes with free GPUs and cores */         \
    X(LIMIT, "limit")         /* its queue has as much as it may have */                           \
    X(NOTICE, "notice")       /* jobs that are going to be stopped for it still run */             \
    X(GUARANTEE, "guarantee") /* free GPUs are kept for a queue that waits for its guarantee */    \
    X(MAINTENANCE,                                                                                 \
      "maintenance") /* not of the first job: all waiting jobs are TRACE_JOB_DEFERRED */

/* The cause of a record; NONE for most. X(ENUM, name in trace.tsv) */
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
    X(EXIT, "exit") /* the program, or its preparation, ended */                                   \
    X(CONTAINER_FAILURE, "container_failure")                                                      \
    X(PRECEDENCE, "precedence") /* the scheduler stopped it in favour of another job */            \
    X(FULL_QUEUE, "full_queue") /* Scenario.queue_limit */                                         \
    X(RECLAIM, "reclaim")       /* the scheduler stopped it for the guarantee of another queue */  \
    X(DRAIN, "drain")           /* of a node, on request */                                        \
    X(MAINTENANCE, "maintenance")   /* of a node, in its turn */                                   \
    X(HEALTH_CHECK, "health_check") /* a node is going to fail */

#endif
