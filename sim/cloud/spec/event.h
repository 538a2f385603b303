/* Everything that can happen next, one line for each kind of event. From this table
 * sim/cloud/event_types.c makes the functions that the engine needs for each kind.
 *
 * An event is stale, and ignored, when its subject has moved on since it was pushed. */
#ifndef SIM_CLOUD_SPEC_EVENT_H
#define SIM_CLOUD_SPEC_EVENT_H

/* X(ENUM, phase, awaited, subject, generation, handler)
 *
 * - phase: when it runs within an instant (EventPhase)
 * - awaited: how it counts for a run without a set end (EventAwaited)
 * - subject: the kind of index in Event.subject. The arguments of the handler are the part of the
 *   world that the subject belongs to, the subject, and Event.detail if the subject's name ends in
 *   _DETAIL
 * - generation: the counter that is compared with Event.generation. NONE: the event is never stale.
 *   JOB_WORK: as JOB, and a stalled job does nothing more, though its limits still count.
 *   NODE_LIFE: grows with failure, repair and release, whatever the node does meanwhile.
 *   NODE_HELD: the event counts until the node is released, broken or not
 * - handler: the function that runs it */
#define EVENT_KINDS(X)                                                                             \
    X(COMMAND, COMMAND, AWAITED, INDEX, NONE, trigger_command_due)                                 \
    X(CONDITION, TIMER, AWAITED, INDEX, CONDITION, condition_held)                                 \
    /* A container that is being deleted is gone once it is empty. */                              \
    X(RESOURCE_DUE, PROVISION, AWAITED, RESOURCE, NONE, resource_due)                              \
    X(CLUSTER_RECORDED, PROVISION, AWAITED, CLUSTER, NONE, cluster_recorded)                       \
    X(CLUSTER_ALLOCATED, PROVISION, AWAITED, CLUSTER, CLUSTER, cluster_nodes_allocated)            \
    X(CLUSTER_LEAVING, PROVISION, AWAITED, CLUSTER, CLUSTER, cluster_nodes_leave)                  \
    X(CLUSTER_RELEASED, PROVISION, AWAITED, CLUSTER, CLUSTER, cluster_nodes_released)              \
    X(CLUSTER_DELETED, PROVISION, AWAITED, CLUSTER, NONE, cluster_deleted)                         \
    /* Only pushed when it may change something. */                                                \
    X(CLUSTER_AUTOSCALE, TIMER, AWAITED, CLUSTER, CLUSTER_TICK, cluster_autoscale_tick)            \
    /* The nodes that are missing are asked for again. */                                          \
    X(CLUSTER_RETRY, TIMER, AWAITED, CLUSTER, CLUSTER, cluster_retries)                            \
    X(SCHEDULE, SCHEDULE, AWAITED, QUEUE, NONE, scheduler_pass)                                    \
    X(NODE_PREPARED, PROVISION, AWAITED, NODE, NODE, cluster_node_prepared)                        \
    X(NODE_FAILS, FAILURE, BACKGROUND, NODE_WEATHER, NODE_LIFE, mishap_node_fails)                 \
    /* The service notices that a node does not answer. */                                         \
    X(NODE_SILENT, FAILURE, AWAITED, NODE, NODE_LIFE, cluster_node_missed)                         \
    X(NODE_REPAIRED, PROVISION, AWAITED, NODE, NODE_LIFE, cluster_node_repaired)                   \
    /* A low-priority node is wanted back. */                                                      \
    X(NODE_LIFETIME, FAILURE, BACKGROUND, NODE_WEATHER, NODE_HELD, mishap_node_lifetime)           \
    /* The notice is over. */                                                                      \
    X(NODE_PREEMPTED, FAILURE, AWAITED, NODE, NODE_HELD, cluster_node_preempted)                   \
    X(GROUP_FAILS, FAILURE, BACKGROUND, GROUP, NONE, mishap_group_fails)                           \
    X(REGION_UP, PROVISION, AWAITED, REGION, NONE, region_up)                                      \
    X(JOB_RECORDED, PROVISION, AWAITED, JOB, NONE, job_recorded)                                   \
    X(JOB_ELIGIBLE, ARRIVAL, AWAITED, JOB, NONE, job_eligible)                                     \
    /* detail: which of its nodes */                                                               \
    X(JOB_STAGE_DONE, COMPLETION, AWAITED, JOB_DETAIL, JOB_WORK, job_stage_done)                   \
    X(JOB_PROGRAM_DONE, COMPLETION, AWAITED, JOB, JOB_WORK, job_program_done)                      \
    /* detail: whose script, see job_script_continues */                                           \
    X(JOB_SCRIPT, COMPLETION, AWAITED, JOB_DETAIL, JOB_WORK, job_script_continues)                 \
    X(JOB_TERMINATED, COMPLETION, AWAITED, JOB, JOB, job_terminated)                               \
    X(JOB_DELETED, PROVISION, AWAITED, JOB, NONE, job_deleted)                                     \
    X(JOB_TIMED_OUT, TIMER, LIMIT, JOB, JOB, job_timed_out)                                        \
    /* It has run for as long as a job may on low-priority nodes. */                               \
    X(JOB_RUN_LENGTH, TIMER, AWAITED, JOB, JOB, job_ran_too_long)                                  \
    /* Job fidelity: an awaited epoch begins, or its checkpoint is written. detail: which */       \
    X(JOB_MOMENT, TIMER, AWAITED, JOB_DETAIL, JOB_WORK, epochs_moment)                             \
    /* detail: an awaited step, which has ended */                                                 \
    X(JOB_STEP, TIMER, AWAITED, JOB_DETAIL, JOB_WORK, job_step_reached)                            \
    /* Real execution. detail: epochs whose checkpoint is written */                               \
    X(JOB_KEPT, COMPLETION, AWAITED, JOB_DETAIL, JOB_WORK, job_kept_outside)                       \
    X(TRAINING_STEP, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_step_done)                         \
    /* A step's own work is done: its bytes enter a shared wire. */                                \
    X(TRAINING_EXCHANGE, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_exchange_begins)               \
    /* Epoch fidelity: all steps of an epoch. */                                                   \
    X(TRAINING_EPOCH, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_epoch_done)                       \
    /* Job fidelity: all epochs. */                                                                \
    X(TRAINING_WHOLE, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_all_done)                         \
    X(TRAINING_EVALUATED, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_evaluated)                    \
    X(TRAINING_CHECKPOINTED, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_checkpointed)              \
    X(TRAINING_SAVED, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_model_saved)                      \
    /* Evaluated at the end. */                                                                    \
    X(TRAINING_SCORED, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_scored)                          \
    X(TRANSFER_JOINS, ARRIVAL, AWAITED, TRANSFER, TRANSFER, transfer_joins)                        \
    X(SHARE_NEXT_END, COMPLETION, AWAITED, SHARE, SHARE, share_next_end)                           \
    /* detail: which of the share's faults is over */                                              \
    X(SHARE_RESTORED, PROVISION, AWAITED, SHARE_DETAIL, NONE, share_restored)                      \
    X(FILE_SERVER, PROVISION, AWAITED, FILE_SERVER, FILE_SERVER, file_server_event)                \
    X(NETWORK_NEXT_END, COMPLETION, AWAITED, NETWORK, NETWORK, exchange_next_end)                  \
    X(WORKLOAD, ARRIVAL, AWAITED, WORKLOAD, NONE, workload_arrives)

typedef enum {
#define X(kind, phase, awaited, subject, generation, handler) EVENT_##kind,
    EVENT_KINDS(X)
#undef X
        EVENT_KIND_COUNT
} EventKind;

#endif
