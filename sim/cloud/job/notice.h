/* Private to sim/cloud/job: notices. A job gets notice when a low-priority node of it is going to
 * be preempted, or when the scheduler is going to stop it for a job of a queue that grants a grace
 * period (QueueSpec.grace_ns). It runs on meanwhile, and a program that saves on notice writes a
 * checkpoint.
 *
 * The scheduler decides again at each pass. It withdraws a notice as soon as the job need not be
 * stopped any more; it stops the job at the end of the grace period if that is still needed. */
#ifndef SIM_CLOUD_JOB_NOTICE_H
#define SIM_CLOUD_JOB_NOTICE_H

#include "sim/cloud/job/tables.h"

/* The job, which has nodes, gets notice for that reason: it may write a checkpoint. */
void job_is_warned(Jobs *jobs, Job *job, TraceCause cause);

/* The scheduler is going to stop the running job for the `queue`-th queue of its cluster, whose
 * grace period begins. The job must not have a notice. */
void notice_give(Jobs *jobs, Job *job, int32_t queue, TraceCause cause);
/* Likewise all jobs that have a notice for the queue for that cause. */
void notice_withdraw_all(Jobs *jobs, const JobQueue *queue, TraceCause cause);
/* Jobs are chosen anew for the queue: none of those that have its notice is needed until the choice
 * sets JobNotice.is_needed. */
void notice_choose_anew(Jobs *jobs, const JobQueue *queue);
/* Withdraws the notices for the `index`-th queue and that cause which the choice did not need. */
void notice_withdraw_unneeded(Jobs *jobs, const JobQueue *queue, int32_t index, TraceCause cause);
/* The attempt of the job ends, and with it its notice, if it has one. */
void notice_ends_with_attempt(Jobs *jobs, const Job *job);

/* Whether the job, which has nodes, has a notice from the scheduler. */
bool notice_is_given(const Job *job);
/* Whether it has one for that queue and cause. */
bool notice_is_for(const Job *job, int32_t queue, TraceCause cause);
/* Whether the grace period of the job's notice, if it has one, has ended. */
bool notice_is_over(const Jobs *jobs, const Job *job);

/* A policy that stops jobs, and the `index`-th queue, which has a grace period: chooses the jobs
 * that would be stopped one after the other if each went at once. Stops those whose notice is
 * over, gives notice to the others, and withdraws that of jobs that were not chosen. Returns
 * whether it has stopped any. */
bool notice_stop_victims(Jobs *jobs, const Cluster *cluster, ClusterQueues *queues, int32_t index);

/* Checks the notices for a queue of the cluster. */
void notice_check(const Jobs *jobs, ClusterId cluster, const JobQueue *queue, int32_t index);

/* --- Events --- */

/* The grace period of a notice ends. */
void notice_grace_ends(Jobs *jobs, Job *job);

#endif
