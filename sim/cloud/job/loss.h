/* Jobs that lose their nodes, are stopped by the scheduler, or reach a limit: they are requeued or
 * fail. */
#ifndef SIM_CLOUD_JOB_LOSS_H
#define SIM_CLOUD_JOB_LOSS_H

#include "sim/cloud/job/job.h"

/* Ends the attempt because a node (NULL: none in particular) is taken from the job. The job is
 * requeued or fails, depending on `deallocation`, `cause` and ServiceModel. All its nodes are free
 * afterwards. */
void job_loses_nodes(Jobs *jobs, Job *job, const Node *node, DeallocationOption deallocation,
                     TraceCause cause);

/* The scheduler stops the job, which runs and is not being terminated, in favour of another: of its
 * queue (CAUSE_PRECEDENCE) or of another queue (CAUSE_RECLAIM). It returns to the queue with its
 * remaining work plus Scenario.preemption_cost; what its program does not keep is lost. This never
 * fails the job and does not count as an attempt that lost its nodes. All its nodes are free
 * afterwards. */
void job_is_preempted(Jobs *jobs, Job *job, TraceCause cause);

/* --- Events --- */

void job_timed_out(Jobs *jobs, Job *job);
/* The job has run as long as a job may on low-priority nodes: preempts its nodes. */
void job_ran_too_long(Jobs *jobs, Job *job);

#endif
