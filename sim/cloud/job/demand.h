/* Private to sim/cloud/job: the demand of waiting jobs on their clusters, by which automatic
 * scaling chooses its target (sim/cloud/cluster/autoscale.h). Jobs that the limit of their queue
 * holds back do not count. */
#ifndef SIM_CLOUD_JOB_DEMAND_H
#define SIM_CLOUD_JOB_DEMAND_H

#include "sim/cloud/job/tables.h"

/* Whether the job is a demand while it runs, too. */
bool demand_lasts(const Jobs *jobs, const Job *job);
/* The job begins to wait for nodes: it is a demand on its cluster, unless its queue has a limit:
 * then it is one while the limit would let it start. */
void demand_begins(Jobs *jobs, Job *job);
/* The job, whose attempt has ended, waits again. */
void demand_returns(Jobs *jobs, Job *job);
/* The job has taken its nodes. */
void demand_is_met(Jobs *jobs, Job *job);
/* The job has ended: it needs no nodes any more. */
void demand_ends(Jobs *jobs, Job *job);

/* Whether the queue has a limit of slots. */
bool demand_is_limited(const JobQueue *queue);
/* The queue has a limit from now on: the next pass decides which of its waiting jobs it lets start.
 */
void demand_limit_begins(Jobs *jobs, ClusterId cluster, int32_t index);
/* After a pass: waiting jobs that a limit holds back do not count as demand, all others do. */
void demand_update(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, JobQueue *queue);

#endif
