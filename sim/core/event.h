/* What can happen next, by kind and subject. One switch in world.c names every kind and calls the
 * one function of the module that owns the consequence.
 *
 * An event is stale, and ignored, when its subject's generation has moved on since it was pushed.
 */
#ifndef SIM_CORE_EVENT_H
#define SIM_CORE_EVENT_H

typedef enum {
    EVENT_COMMAND,          /* subject: index in Scenario.commands */
    EVENT_CLUSTER_RECORDED, /* subject: cluster, for these */
    EVENT_CLUSTER_ALLOCATED,
    EVENT_CLUSTER_LEAVING,
    EVENT_CLUSTER_RELEASED,
    EVENT_CLUSTER_DELETED,
    EVENT_SCHEDULE,
    EVENT_NODE_PREPARED, /* subject: node */
    EVENT_JOB_RECORDED,  /* subject: job, from here on */
    EVENT_JOB_ELIGIBLE,
    EVENT_JOB_STAGE_DONE, /* detail: which of its nodes */
    EVENT_JOB_PROGRAM_DONE,
    EVENT_JOB_TERMINATED,
    EVENT_JOB_DELETED,
    EVENT_JOB_TIMED_OUT,
    EVENT_TRAINING_STEP,
    EVENT_TRAINING_EPOCH, /* all steps of an epoch at once: epoch fidelity */
    EVENT_TRAINING_WHOLE, /* all epochs at once: job fidelity */
    EVENT_TRAINING_EVALUATED,
    EVENT_TRAINING_CHECKPOINTED,
    EVENT_TRAINING_SAVED,
    EVENT_TRAINING_SCORED, /* evaluated at the end */
    EVENT_TRANSFER_JOINS,  /* subject: transfer */
    EVENT_SHARE_NEXT_END,  /* subject: share */
} EventKind;

#endif
