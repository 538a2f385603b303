/* What can happen next, by kind and subject. One switch in world.c names every kind and calls the
 * one function of the module that owns the consequence.
 *
 * An event is stale, and ignored, when its subject's generation has moved on since it was pushed.
 *
 * Events of one instant run by phase, then in the order in which they were pushed: so what is lost
 * is lost before anything ends, capacity comes back before it is asked for, and one scheduling pass
 * sees everything that happened. */
#ifndef SIM_CORE_EVENT_H
#define SIM_CORE_EVENT_H

#include <stdbool.h>

typedef enum {
    PHASE_FAILURE,    /* nodes and shares are lost */
    PHASE_COMPLETION, /* work ends */
    PHASE_PROVISION,  /* nodes, records and files come and go */
    PHASE_COMMAND,    /* the user asks; never permuted: the order is the file's */
    PHASE_ARRIVAL,    /* jobs of workloads, transfers that join */
    PHASE_TIMER,      /* evaluations, limits */
    PHASE_SCHEDULE,
    PHASE_COUNT
} EventPhase;

/* X(ENUM, phase, whether a run without a set end waits for it). Subject: cluster, node, job, share
 * as the name says; of COMMAND the index in Scenario.commands, of WORKLOAD in Scenario.workloads,
 * of GROUP_FAILS in Failures.groups, of FILE_SERVER and RESOURCE_DUE a row. */
#define EVENT_KINDS(X)                                                                             \
    X(COMMAND, COMMAND, true)                                                                      \
    X(RESOURCE_DUE, PROVISION, true) /* being deleted, it goes once it is empty */                 \
    X(CLUSTER_RECORDED, PROVISION, true)                                                           \
    X(CLUSTER_ALLOCATED, PROVISION, true)                                                          \
    X(CLUSTER_LEAVING, PROVISION, true)                                                            \
    X(CLUSTER_RELEASED, PROVISION, true)                                                           \
    X(CLUSTER_DELETED, PROVISION, true)                                                            \
    X(CLUSTER_AUTOSCALE, TIMER, true) /* only pushed when it may change something */               \
    X(CLUSTER_RETRY, TIMER, true)     /* allocation of the nodes that are missing */               \
    X(SCHEDULE, SCHEDULE, true)                                                                    \
    X(NODE_PREPARED, PROVISION, true)                                                              \
    X(NODE_FAILS, FAILURE, false) /* by itself */                                                  \
    X(NODE_SILENT, FAILURE, true) /* the service notices that it does not answer */                \
    X(NODE_REPAIRED, PROVISION, true)                                                              \
    X(NODE_LIFETIME, FAILURE, false) /* a low-priority node is wanted back by itself */            \
    X(NODE_PREEMPTED, FAILURE, true) /* the notice is over */                                      \
    X(GROUP_FAILS, FAILURE, false)                                                                 \
    X(REGION_UP, PROVISION, true)                                                                  \
    X(JOB_RECORDED, PROVISION, true)                                                               \
    X(JOB_ELIGIBLE, ARRIVAL, true)                                                                 \
    X(JOB_STAGE_DONE, COMPLETION, true) /* detail: which of its nodes */                           \
    X(JOB_PROGRAM_DONE, COMPLETION, true)                                                          \
    X(JOB_SHELL, COMPLETION, true) /* detail: job_shell_goes_on */                                 \
    X(JOB_TERMINATED, COMPLETION, true)                                                            \
    X(JOB_DELETED, PROVISION, true)                                                                \
    X(JOB_TIMED_OUT, TIMER, true)                                                                  \
    X(JOB_RUN_LENGTH, TIMER, true) /* too long on low-priority nodes */                            \
    X(JOB_MOMENT, TIMER, true)     /* an epoch begins that somebody waits for: job fidelity */     \
    X(JOB_STEP, TIMER, true)       /* detail: a step that somebody waits for has ended */          \
    X(JOB_KEPT, COMPLETION, true) /* real execution; detail: epochs whose checkpoint is written */ \
    X(TRAINING_STEP, COMPLETION, true)                                                             \
    X(TRAINING_EXCHANGE, COMPLETION, true) /* a step's own work is done, its bytes go on a wire */ \
    X(TRAINING_EPOCH, COMPLETION, true)    /* all steps of an epoch at once: epoch fidelity */     \
    X(TRAINING_WHOLE, COMPLETION, true)    /* all epochs at once: job fidelity */                  \
    X(TRAINING_EVALUATED, COMPLETION, true)                                                        \
    X(TRAINING_CHECKPOINTED, COMPLETION, true)                                                     \
    X(TRAINING_SAVED, COMPLETION, true)                                                            \
    X(TRAINING_SCORED, COMPLETION, true) /* evaluated at the end */                                \
    X(TRANSFER_JOINS, ARRIVAL, true)     /* subject: transfer */                                   \
    X(SHARE_NEXT_END, COMPLETION, true)                                                            \
    X(SHARE_RESTORED, PROVISION, true) /* detail: which of its faults is over */                   \
    X(NETWORK_NEXT_END, COMPLETION, true)                                                          \
    X(FILE_SERVER, PROVISION, true)                                                                \
    X(WORKLOAD, ARRIVAL, true)                                                                     \
    X(CONDITION, TIMER, true) /* subject: command; its condition may have held long enough */

typedef enum {
#define X(name, phase, is_awaited) EVENT_##name,
    EVENT_KINDS(X)
#undef X
        EVENT_KIND_COUNT
} EventKind;

EventPhase event_phase(EventKind kind);
/* False for the weather: a run that has no set end stops when nothing else is left. */
bool event_is_awaited(EventKind kind);

#endif
