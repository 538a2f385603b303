/* A job that loses its nodes, or reaches a limit: back to the queue, or failed. */
#ifndef SIM_CLOUD_JOB_LOSS_H
#define SIM_CLOUD_JOB_LOSS_H

#include "sim/cloud/job/job.h"

/* A node is taken away, for this cause: back to the queue, or failed, as `deallocation` and the
 * service's habits say. The job's nodes are free after it; `node` (NULL: none in particular) is no
 * longer its own. */
void job_loses_nodes(Jobs *jobs, Job *job, const Node *node, DeallocationOption deallocation,
                     TraceCause cause);

/* --- Events --- */

void job_timed_out(Jobs *jobs, Job *job);
/* It has run as long as a job may on low-priority nodes: its nodes are preempted. */
void job_ran_too_long(Jobs *jobs, Job *job);

#endif
