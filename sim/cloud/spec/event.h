/* The table of event kinds, from which sim/cloud/event_types.c generates the functions that the
 * engine calls.
 *
 * An event is stale, and ignored, if its subject has changed state since the event was pushed. */
#ifndef SIM_CLOUD_SPEC_EVENT_H
#define SIM_CLOUD_SPEC_EVENT_H

/* X(ENUM, phase, awaited, subject, generation, handler)
 *
 * - phase: when the event runs within an instant (EventPhase).
 * - awaited: whether it keeps a run without a set end going (EventAwaited).
 * - subject: the kind of index in Event.subject. The handler's arguments are the part of the world
 *   that owns the subject, the subject, and Event.detail if the kind's name ends in _DETAIL.
 * - generation: the number that is compared with Event.generation. NONE: the event always counts.
 *   JOB_WORK: as JOB, and stale while the job is stalled. CLUSTER_LIFE: not compared; stale once
 *   the cluster is being deleted. NODE_LIFE: Node.life, which grows with failure, repair and
 *   release only. NODE_HELD: not compared; stale once the node is released.
 * - handler: the function that runs the event. */
#define EVENT_KINDS(X)                                                                             \
    X(COMMAND, COMMAND, AWAITED, INDEX, NONE, trigger_command_due)                                 \
    X(CONDITION, TIMER, AWAITED, INDEX, CONDITION, condition_held)                                 \
    /* The deletion time of a container has passed; it is deleted once it is empty. */             \
    X(RESOURCE_DUE, PROVISION, AWAITED, RESOURCE, NONE, resource_due)                              \
    X(CLUSTER_RECORDED, PROVISION, AWAITED, CLUSTER, NONE, cluster_recorded)                       \
    X(CLUSTER_ALLOCATED, PROVISION, AWAITED, CLUSTER, CLUSTER, cluster_nodes_allocated)            \
    X(CLUSTER_LEAVING, PROVISION, AWAITED, CLUSTER, CLUSTER, cluster_nodes_leave)                  \
    X(CLUSTER_RELEASED, PROVISION, AWAITED, CLUSTER, CLUSTER, cluster_nodes_released)              \
    X(CLUSTER_DELETED, PROVISION, AWAITED, CLUSTER, NONE, cluster_deleted)                         \
    /* Pushed only if the evaluation could change something. */                                    \
    X(CLUSTER_AUTOSCALE, TIMER, AWAITED, CLUSTER, CLUSTER_TICK, cluster_autoscale_tick)            \
    /* Planned maintenance begins or ends. */                                                      \
    X(CLUSTER_MAINTENANCE, PROVISION, AWAITED, CLUSTER, CLUSTER_LIFE, maintenance_turns)           \
    /* A rolling maintenance begins, or a node has had its turn in it: after all that happens to   \
     * nodes at this instant. */                                                                   \
    X(CLUSTER_ROLLS, TIMER, AWAITED, CLUSTER, CLUSTER_LIFE, maintenance_rolls)                     \
    /* Asks again for nodes that could not be allocated. */                                        \
    X(CLUSTER_RETRY, TIMER, AWAITED, CLUSTER, CLUSTER, cluster_retries)                            \
    X(SCHEDULE, SCHEDULE, AWAITED, QUEUE, NONE, scheduler_pass)                                    \
    /* A queue has waited for its guarantee for so long that it reclaims it. detail: the queue */  \
    X(QUEUE_CLAIM, TIMER, AWAITED, QUEUE, QUEUE_CLAIM, scheduler_wake)                             \
    /* From now on a waiting job would run into maintenance: another one may start. */             \
    X(QUEUE_DEFERS, TIMER, AWAITED, QUEUE, NONE, scheduler_wake)                                   \
    X(NODE_PREPARED, PROVISION, AWAITED, NODE, NODE, cluster_node_prepared)                        \
    X(NODE_FAILS, FAILURE, BACKGROUND, NODE_CHANCE, NODE_LIFE, mishap_node_fails)                  \
    /* A health check finds signs of the node's next failure. */                                   \
    X(NODE_SHOWS_SIGNS, FAILURE, BACKGROUND, NODE_CHANCE, NODE_LIFE, mishap_node_shows_signs)      \
    /* The service notices that a node does not answer. */                                         \
    X(NODE_SILENT, FAILURE, AWAITED, NODE, NODE_LIFE, cluster_node_missed)                         \
    X(NODE_REPAIRED, PROVISION, AWAITED, NODE, NODE_LIFE, cluster_node_repaired)                   \
    /* The service reclaims a low-priority node, after a notice. */                                \
    X(NODE_LIFETIME, FAILURE, BACKGROUND, NODE_CHANCE, NODE_HELD, mishap_node_lifetime)            \
    /* The notice time has passed. */                                                              \
    X(NODE_PREEMPTED, FAILURE, AWAITED, NODE, NODE_HELD, cluster_node_preempted)                   \
    X(GROUP_FAILS, FAILURE, BACKGROUND, GROUP, NONE, mishap_group_fails)                           \
    X(REGION_UP, PROVISION, AWAITED, REGION, NONE, region_up)                                      \
    X(JOB_RECORDED, PROVISION, AWAITED, JOB, NONE, job_recorded)                                   \
    X(JOB_ELIGIBLE, ARRIVAL, AWAITED, JOB, NONE, job_eligible)                                     \
    /* detail: index of the node among the job's nodes */                                          \
    X(JOB_STAGE_DONE, COMPLETION, AWAITED, JOB_DETAIL, JOB_WORK, job_stage_done)                   \
    X(JOB_PROGRAM_DONE, COMPLETION, AWAITED, JOB, JOB_WORK, job_program_done)                      \
    /* detail: the task, see job_script_continues */                                               \
    X(JOB_SCRIPT, COMPLETION, AWAITED, JOB_DETAIL, JOB_WORK, job_script_continues)                 \
    X(JOB_TERMINATED, COMPLETION, AWAITED, JOB, JOB, job_terminated)                               \
    X(JOB_DELETED, PROVISION, AWAITED, JOB, NONE, job_deleted)                                     \
    X(JOB_TIMED_OUT, TIMER, LIMIT, JOB, JOB, job_timed_out)                                        \
    /* It has run for as long as a job may on low-priority nodes. */                               \
    X(JOB_RUN_LENGTH, TIMER, AWAITED, JOB, JOB, job_ran_too_long)                                  \
    /* The time has passed from the notice that the scheduler stops the job. */                    \
    X(JOB_GRACE, TIMER, AWAITED, JOB, JOB, notice_grace_ends)                                      \
    /* Job fidelity: an awaited epoch begins, or its checkpoint is written. detail: see            \
     * epochs_moment */                                                                            \
    X(JOB_MOMENT, TIMER, AWAITED, JOB_DETAIL, JOB_WORK, epochs_moment)                             \
    /* detail: an awaited step, which has ended */                                                 \
    X(JOB_STEP, TIMER, AWAITED, JOB_DETAIL, JOB_WORK, job_step_reached)                            \
    /* Job fidelity. detail: steps in a checkpoint that was written and is awaited */              \
    X(JOB_SAVED, TIMER, AWAITED, JOB_DETAIL, JOB_WORK, epochs_saved)                               \
    /* Real execution. detail: epochs in the checkpoint that was written, and at the same time the \
     * steps of the next epoch in it */                                                            \
    X(JOB_KEPT, COMPLETION, AWAITED, JOB_DETAIL, JOB_WORK, job_kept_outside)                       \
    X(JOB_KEPT_STEPS, COMPLETION, AWAITED, JOB_DETAIL, JOB_WORK, job_steps_kept_outside)           \
    X(TRAINING_STEP, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_step_done)                         \
    /* All ranks have computed a step: its bytes enter shared wires. */                            \
    X(TRAINING_EXCHANGE, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_exchange_begins)               \
    /* Epoch fidelity: all steps of an epoch have ended. */                                        \
    X(TRAINING_EPOCH, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_epoch_done)                       \
    /* Job fidelity: all epochs have ended. */                                                     \
    X(TRAINING_WHOLE, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_all_done)                         \
    X(TRAINING_EVALUATED, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_evaluated)                    \
    X(TRAINING_CHECKPOINTED, COMPLETION, AWAITED, JOB, JOB_WORK, checkpoint_done)                  \
    X(TRAINING_SAVED, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_model_saved)                      \
    /* The final evaluation has ended. */                                                          \
    X(TRAINING_SCORED, COMPLETION, AWAITED, JOB, JOB_WORK, epochs_scored)                          \
    X(TRANSFER_JOINS, ARRIVAL, AWAITED, TRANSFER, TRANSFER, transfer_joins)                        \
    X(SHARE_NEXT_END, COMPLETION, AWAITED, SHARE, SHARE, share_next_end)                           \
    /* For transfers on shares that are not divided equally. */                                    \
    X(LIMITED_NEXT_END, COMPLETION, AWAITED, STORAGE, STORAGE, transfers_next_limited_end)         \
    /* detail: index of the share's fault that ends */                                             \
    X(SHARE_RESTORED, PROVISION, AWAITED, SHARE_DETAIL, NONE, share_restored)                      \
    X(FILE_SERVER, PROVISION, AWAITED, FILE_SERVER, FILE_SERVER, file_server_event)                \
    X(NETWORK_NEXT_END, COMPLETION, AWAITED, NETWORK, NETWORK, exchange_next_end)                  \
    X(WORKLOAD, ARRIVAL, AWAITED, WORKLOAD, NONE, workload_arrives)                                \
    /* detail: a row of the workload's list, which has waited for another job */                   \
    X(LISTED_FOLLOWS, ARRIVAL, AWAITED, WORKLOAD_DETAIL, NONE, listed_follows)

typedef enum {
#define X(kind, phase, awaited, subject, generation, handler) EVENT_##kind,
    EVENT_KINDS(X)
#undef X
        EVENT_KIND_COUNT
} EventKind;

#endif
