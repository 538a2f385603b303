/* The table of trace records: one row for each kind of record, with the names of its values.
 *
 * The struct of a record (trace_record.h), its columns in trace.tsv, its reader and its printers
 * are generated from this table. To add a record, add a row here and emit it. */
#ifndef SIM_CLOUD_RECORD_TRACE_KINDS_H
#define SIM_CLOUD_RECORD_TRACE_KINDS_H

/* X(ENUM, name in trace.tsv and in TraceRecord, level, columns, values)
 *
 * `columns`: the columns among CLUSTER, NODE, JOB, SHARE and NAME that every record of the kind
 * has; 0: none. `values`, in the order of trace.tsv: VALUE(name) is an integer that is never
 * negative; VALUE_OR_NONE(name) may also be -1 (no value); STEP_PARTS stands for the values of
 * StepParts; NO_VALUES: there are none.
 *
 * The comments give the record's name, and note records that are a span [since_ns, at_ns]. */
#define TRACE_KINDS(X)                                                                             \
    /* name: "workspace.create batchaidev"; ordinal: index in the scenario's list */               \
    X(COMMAND_APPLIED, command_applied, JOBS, NAME, VALUE(ordinal))                                \
    /* its moment never happened; name as above */                                                 \
    X(COMMAND_SKIPPED, command_skipped, JOBS, NAME, VALUE(ordinal))                                \
    /* name: the command and why it is refused; ordinal -1: the job of a workload */               \
    X(COMMAND_REFUSED, command_refused, JOBS, NAME, VALUE_OR_NONE(ordinal))                        \
    /* name: "group batchai.horovod", "share mystorageaccount/myshare", ...; for a share that is   \
     * deleted also the share */                                                                   \
    X(RESOURCE_CREATED, resource_created, JOBS, NAME, NO_VALUES)                                   \
    X(RESOURCE_DELETED, resource_deleted, JOBS, NAME, NO_VALUES)                                   \
    /* name: creating succeeded deleting deleted */                                                \
    X(CLUSTER_PROVISIONING, cluster_provisioning, JOBS, CLUSTER | NAME, NO_VALUES)                 \
    /* name: manual automatic */                                                                   \
    X(CLUSTER_SCALING, cluster_scaling, JOBS, CLUSTER | NAME,                                      \
      VALUE(minimum) VALUE(maximum) VALUE(target))                                                 \
    /* name: "AccountCoreQuotaReached: ..." with the reason in plain words */                      \
    X(CLUSTER_ERROR, cluster_error, JOBS, CLUSTER | NAME, NO_VALUES)                               \
    /* name: resizing steady; cause: of the allocation */                                          \
    X(CLUSTER_ALLOCATION, cluster_allocation, JOBS, CLUSTER | NAME, VALUE(target) VALUE(current))  \
    /* steady, no node preparing, at least one can run jobs */                                     \
    X(CLUSTER_READY, cluster_ready, JOBS, CLUSTER, VALUE(nodes))                                   \
    /* name: nodeStateCounts if only those were asked for */                                       \
    X(CLUSTER_SHOWN, cluster_shown, JOBS, CLUSTER, NO_VALUES)                                      \
    /* span: the state that ends; name: the state that begins (preparing idle running leaving      \
     * unusable released); was: the NodeState that ends, NODE_STATE_COUNT for a new node */        \
    X(NODE_STATE, node_state, JOBS, CLUSTER | NODE | NAME, VALUE(was))                             \
    /* name: "AZFMountError: ..." with the reason in plain words; before the node's new state */   \
    X(NODE_ERROR, node_error, JOBS, CLUSTER | NODE | NAME, NO_VALUES)                              \
    /* a low-priority node is going to be preempted */                                             \
    X(NODE_NOTICE, node_notice, JOBS, CLUSTER | NODE, VALUE(notice_ns))                            \
    /* the node's speed from now on; 1,000,000: as modelled */                                     \
    X(NODE_SPEED, node_speed, JOBS, CLUSTER | NODE, VALUE(speed_ppm))                              \
    /* name: the group, or the region; the records of its nodes follow */                          \
    X(GROUP_STRUCK, group_struck, JOBS, NAME, VALUE(nodes))                                        \
    /* span: from allocation to release; name: released, or held when the run ended */             \
    X(NODE_BILLED, node_billed, JOBS, CLUSTER | NODE | NAME,                                       \
      VALUE(billed_ns) VALUE_OR_NONE(micro_usd_per_hour))                                          \
    /* name: creating succeeded deleting deleted */                                                \
    X(JOB_PROVISIONING, job_provisioning, JOBS, CLUSTER | JOB | NAME, NO_VALUES)                   \
    /* span: the state that ends; name: the state that begins (queued running terminating          \
     * succeeded failed) */                                                                        \
    X(JOB_STATE, job_state, JOBS, CLUSTER | JOB | NAME, VALUE_OR_NONE(exit_code))                  \
    /* span: one attempt, from taking the nodes to giving them back; name: completed failed        \
     * stopped lost preempted unfinished. The node time of all its nodes adds up to nodes times    \
     * the span; for a job that has GPUs (job_placed) GPU time adds up to GPUs times the span:     \
     * kept (compute, update, evaluation, files; or the command itself), exchange, input (waiting  \
     * for data), gang (waiting for other ranks and nodes), startup (mounts, image, container,     \
     * preparation, program start), checkpoint, lost (done and thrown away) */                     \
    X(JOB_ATTEMPT, job_attempt, JOBS, CLUSTER | JOB | NAME,                                        \
      VALUE(nodes) VALUE(kept_ns) VALUE(exchange_ns) VALUE(input_ns) VALUE(gang_ns)                \
          VALUE(startup_ns) VALUE(checkpoint_ns) VALUE(lost_ns) VALUE(epochs_kept))                \
    /* node: the one that fell silent; the job makes no progress until the service notices */      \
    X(JOB_STALLED, job_stalled, JOBS, CLUSTER | JOB | NODE, NO_VALUES)                             \
    /* name: the checkpoint's file; epochs that need not be done again */                          \
    X(JOB_RESUMED, job_resumed, JOBS, CLUSTER | JOB | NAME, VALUE(epochs))                         \
    /* name: "JobFailed: Job failed with non-zero exit code"; just before the state failed */      \
    X(JOB_ERROR, job_error, JOBS, CLUSTER | JOB | NAME, NO_VALUES)                                 \
    /* span, per node; name: mount pull container preparation start download data */               \
    X(JOB_STAGE, job_stage, JOBS, CLUSTER | JOB | NODE | NAME, NO_VALUES)                          \
    /* the first step begins; steps per epoch and rank */                                          \
    X(JOB_TRAINING, job_training, JOBS, CLUSTER | JOB, VALUE(ranks) VALUE(steps) VALUE(epochs))    \
    /* span: all epochs; parts: sums over the epochs of the slowest rank's parts */                \
    X(JOB_TRAINED, job_trained, JOBS, CLUSTER | JOB,                                               \
      VALUE(steps) STEP_PARTS VALUE(evaluate_ns) VALUE(checkpoint_ns) VALUE(accuracy_ppm)          \
          VALUE(loss_micro))                                                                       \
    /* span of one epoch with its steps in this attempt; the parts are those of rank 0 and add up  \
     * to the span, without checkpoints within the epoch */                                        \
    X(EPOCH, epoch, EPOCHS, CLUSTER | JOB,                                                         \
      VALUE(epoch) VALUE(steps) STEP_PARTS VALUE(train_accuracy_ppm) VALUE(train_loss_micro))      \
    /* span, all ranks at once; after the epoch */                                                 \
    X(EVALUATION, evaluation, EPOCHS, CLUSTER | JOB,                                               \
      VALUE(epoch) VALUE(accuracy_ppm) VALUE(loss_micro))                                          \
    /* span, rank 0; name: the file */                                                             \
    X(CHECKPOINT, checkpoint, EPOCHS, CLUSTER | JOB | NODE | NAME, VALUE(epoch))                   \
    /* span of one rank's step */                                                                  \
    X(STEP, step, STEPS, CLUSTER | JOB | NODE, VALUE(epoch) VALUE(step) VALUE(rank) STEP_PARTS)    \
    /* span, bytes; name: read write */                                                            \
    X(TRANSFER, transfer, EPOCHS, CLUSTER | JOB | NODE | SHARE | NAME, VALUE(work_ns))             \
    /* name: path on the share; bytes */                                                           \
    X(FILE_WRITTEN, file_written, JOBS, SHARE | NAME, NO_VALUES)                                   \
    /* name: path on the share */                                                                  \
    X(FILE_DELETED, file_deleted, JOBS, SHARE | NAME, NO_VALUES)                                   \
    /* name: up slow out */                                                                        \
    X(SHARE_STATE, share_state, JOBS, SHARE | NAME, VALUE(speed_ppm))                              \
    /* name: "creating NAME", "succeeded NAME", "failed NAME: CODE: message", ... */               \
    X(FILE_SERVER_PROVISIONING, file_server_provisioning, JOBS, NAME, NO_VALUES)                   \
    /* span: from creation to deletion, or to the end of the run; name: the file server */         \
    X(FILE_SERVER_BILLED, file_server_billed, JOBS, NAME,                                          \
      VALUE(billed_ns) VALUE_OR_NONE(micro_usd_per_hour))                                          \
    X(USAGES_SHOWN, usages_shown, JOBS, 0, NO_VALUES)                                              \
    /* name: executionState if only that was asked for */                                          \
    X(JOB_SHOWN, job_shown, JOBS, CLUSTER | JOB, NO_VALUES)                                        \
    X(JOB_FILES_SHOWN, job_files_shown, JOBS, CLUSTER | JOB, NO_VALUES)                            \
    /* span: the whole run; draws: random words drawn (engine_word), drawn: their sum, 63 bits;    \
     * name: why a run without a set end stopped early, usually none */                            \
    X(RUN_ENDED, run_ended, JOBS, 0, VALUE(events) VALUE(draws) VALUE(drawn))                      \
    /* The job takes GPUs of the node until its attempt ends; the node has `gpus_per_node`. Jobs   \
     * with whole nodes have no such record. */                                                    \
    X(JOB_PLACED, job_placed, JOBS, CLUSTER | JOB | NODE, VALUE(gpus) VALUE(gpus_per_node))        \
    /* name: waiting, a failed node waits for one of the `crews`; or begun, a crew begins at a     \
     * node that has waited, and the span is its wait. A node that need not wait has no such       \
     * record. */                                                                                  \
    X(NODE_REPAIR, node_repair, JOBS, CLUSTER | NODE | NAME, VALUE(crews) VALUE(waiting))          \
    /* The job is the first of a queue, and this keeps it there from now on: name: gpus limit      \
     * guarantee cores memory; queue: its index in the cluster. Recorded when the job or the       \
     * reason changes, on clusters with queues or with jobs that ask for cores or memory. */       \
    X(JOB_WAITS, job_waits, JOBS, CLUSTER | JOB | NAME, VALUE(queue))                              \
    /* The node, which is new, is of a kind of its cluster; kind: its index; gpus: those of a      \
     * node; name: its name. Not recorded for clusters whose nodes are all of one kind. */         \
    X(NODE_KIND, node_kind, JOBS, CLUSTER | NODE | NAME, VALUE(kind) VALUE(gpus))                  \
    /* span, rank 0; name: the file: a checkpoint that is written on notice of preemption, of      \
     * `epochs` whole epochs and `steps` of the next one */                                        \
    X(JOB_SAVED, job_saved, JOBS, CLUSTER | JOB | NODE | NAME, VALUE(epochs) VALUE(steps))         \
    /* As job_resumed, from a checkpoint within an epoch: so many steps of the next epoch need not \
     * be done again either. */                                                                    \
    X(JOB_RESUMED_WITHIN, job_resumed_within, JOBS, CLUSTER | JOB | NAME,                          \
      VALUE(epochs) VALUE(steps))                                                                  \
    /* span, rank 0; name: the file: a checkpoint that is due within an epoch, of `epochs` whole   \
     * epochs and `steps` of the next one */                                                       \
    X(CHECKPOINT_WITHIN, checkpoint_within, EPOCHS, CLUSTER | JOB | NODE | NAME,                   \
      VALUE(epochs) VALUE(steps))                                                                  \
    /* span: a checkpoint on notice of preemption of a program that only takes time; work_ns: the  \
     * work in it, of all attempts, as the job states times */                                     \
    X(JOB_WORK_SAVED, job_work_saved, JOBS, CLUSTER | JOB | NODE, VALUE(work_ns))                  \
    /* Such a program continues from its last checkpoint: this work need not be done again. */     \
    X(JOB_WORK_RESUMED, job_work_resumed, JOBS, CLUSTER | JOB, VALUE(work_ns))                     \
    /* span: since when the queue has waited for its guarantee; name: the queue; queue: its index  \
     * in the cluster. So many jobs of other queues are stopped, which had `slots`, and the job    \
     * starts. Their records follow, with the cause reclaim. */                                    \
    X(QUEUE_RECLAIMS, queue_reclaims, JOBS, CLUSTER | JOB | NAME,                                  \
      VALUE(queue) VALUE(jobs) VALUE(slots))                                                       \
    /* The job, which has `slots`, is about to be stopped for the guarantee of another queue;      \
     * name: its own queue; queue: its index in the cluster. */                                    \
    X(JOB_RECLAIMED, job_reclaimed, JOBS, CLUSTER | JOB | NAME, VALUE(queue) VALUE(slots))

/* The shortage that keeps the first job of a queue from starting. X(ENUM, name in trace.tsv) */
#define SHORTAGES(X)                                                                               \
    X(GPUS, "gpus")           /* free GPUs or nodes, or all on few enough nodes */                 \
    X(CORES, "cores")         /* free cores on the nodes with free GPUs */                         \
    X(MEMORY, "memory")       /* free main memory on the nodes with free GPUs and cores */         \
    X(LIMIT, "limit")         /* its queue has as much as it may have */                           \
    X(GUARANTEE, "guarantee") /* free GPUs are kept for a queue that waits for its guarantee */

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
    X(RECLAIM, "reclaim")       /* the scheduler stopped it for the guarantee of another queue */

#endif
