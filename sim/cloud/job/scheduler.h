/* The queues of clusters, and the scheduling pass, which starts the jobs that the policy chooses
 * (policy.h). */
#ifndef SIM_CLOUD_JOB_SCHEDULER_H
#define SIM_CLOUD_JOB_SCHEDULER_H

#include "sim/cloud/job/job.h"

/* How many jobs wait in the cluster's queue. */
int32_t scheduler_queue_length(const Jobs *jobs, ClusterId cluster);
/* The slots of one of its queues; not set if it has no queues. */
SlotLimit scheduler_queue_limit(const Jobs *jobs, ClusterId cluster, int32_t queue);

/* The slots of the jobs that have notice of being stopped for one of its queues. */
int64_t scheduler_noticed_slots(const Jobs *jobs, ClusterId cluster, int32_t queue);

/* The generation of the claim of one of its queues (EVENT_QUEUE_CLAIM). */
uint32_t scheduler_claim(const Jobs *jobs, ClusterId cluster, int32_t queue);

/* Lets another policy choose the next jobs of all queues. A policy that counts the use of owners
 * counts it from here on, unless the last one did too: only such policies need it. Withdraws the
 * notices of the last policy. */
void scheduler_change_policy(Jobs *jobs, PolicyKind policy);
PolicyKind scheduler_policy(const Jobs *jobs);
/* Gives a queue of a cluster the guarantee and the limit of a COMMAND_QUEUE_CHANGE. Running jobs
 * beyond a lower limit stay, and others start once there is room below it. STATUS_CONFLICT: the
 * limit would be below the guarantee. */
MUST_CHECK bool scheduler_change_queue(Jobs *jobs, ClusterId cluster, int32_t queue,
                                       const Command *command, Status *status);
/* The present guarantee and limit of a queue of a cluster that has queues. */
const QueueSpec *scheduler_queue_spec(const Jobs *jobs, ClusterId cluster, int32_t queue);
/* A node of the job is drained, or no longer: fewer slots become free when it ends. */
void scheduler_node_drains(Jobs *jobs, const Job *job);
/* Forgets the queues of a cluster that is forgotten. */
void scheduler_forget(Jobs *jobs, ClusterId cluster);

/* --- For the other files of this folder --- */

/* Adds the job to its cluster's queue, or removes it. */
void scheduler_add(Jobs *jobs, Job *job);
void scheduler_remove(Jobs *jobs, Job *job);
/* Whether the policy looks at more than the first waiting job. */
bool scheduler_sees_queue(const Jobs *jobs);
/* Requests one scheduling pass at this instant, after all other events of the instant. */
void scheduler_wake(Jobs *jobs, ClusterId cluster);
/* To be called when an attempt of the job ends, before its nodes are freed. */
void scheduler_attempt_ends(Jobs *jobs, const Job *job);

/* Event: a scheduling pass. */
void scheduler_pass(Jobs *jobs, ClusterId cluster);

#endif
