/* One queue per cluster, and the pass that starts the jobs which the scenario's policy names
 * (policy.h). */
#ifndef SIM_CLOUD_JOB_SCHEDULER_H
#define SIM_CLOUD_JOB_SCHEDULER_H

#include "sim/cloud/job/job.h"

/* How many jobs wait in the cluster's queue. */
int32_t scheduler_queue_length(const Jobs *jobs, ClusterId cluster);

/* --- For the other files of this folder --- */

/* The job waits in its cluster's queue from now on, or no longer. */
void scheduler_add(Jobs *jobs, Job *job);
void scheduler_remove(Jobs *jobs, Job *job);
/* Asks for one scheduling pass at this instant, after everything else that happens now. */
void scheduler_wake(Jobs *jobs, ClusterId cluster);
/* A job that job_start started gives its nodes back, for whatever reason. */
void scheduler_attempt_ends(Jobs *jobs, const Job *job);

/* Event: the pass. */
void scheduler_pass(Jobs *jobs, ClusterId cluster);

/* Checks the cluster's queue; returns its length. */
int32_t scheduler_check(const Jobs *jobs, const Cluster *cluster);

#endif
