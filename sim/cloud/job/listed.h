/* Jobs of lists: the jobs of a workload whose submissions, run times and requests are rows of a
 * JobList.
 *
 * A job is made when its row is due: at its time, or, if the row names an earlier one (after_job),
 * its think time after that job has ended. Rows of one time are submitted in the order of the list.
 * If the service takes no time a job has four events: arrival, scheduling, end, scheduling. The
 * service keeps no separate record of its creation, so it has no TRACE_JOB_PROVISIONING.
 */
#ifndef SIM_CLOUD_JOB_LISTED_H
#define SIM_CLOUD_JOB_LISTED_H

#include "sim/cloud/job/job.h"

/* The list of the job; NULL: it is not of a list. */
const JobList *job_list_of(const Scenario *scenario, const Job *job);

/* --- For the other files of this folder --- */

/* Pushes the first arrival of the workload `index`, which has a list. */
void listed_prepare(Jobs *jobs, uint32_t index);
/* Event of the workload: its next rows arrive. */
void listed_arrive(Jobs *jobs, uint32_t index);
/* The job of a list has ended: rows that wait for it become due, and it may be forgotten. */
void listed_ended(Jobs *jobs, Job *job);
/* The owner of a job whose list states users: 1 + its index in Jobs.uses, 0 if it has none yet.
 * NULL: the experiment is the owner. */
uint32_t *listed_owner(Jobs *jobs, const Job *job);

/* Values that a list states for each job, and that are in the spec of any other job. */
int32_t job_priority(const Scenario *scenario, const Job *job);
int64_t job_expected_ns(const Scenario *scenario, const Job *job);
const KindSpeeds *job_speeds(const Scenario *scenario, const Job *job); /* NULL: the kinds' own */
int64_t job_wall_clock_max_ns(const Scenario *scenario, const Job *job);

/* Event: the row `row` of the workload, which has waited for another job, is due. */
void listed_follows(Jobs *jobs, uint32_t index, uint32_t row);

/* The request of a row, before it is divided for a kind of nodes. */
JobRequest listed_request(const Jobs *jobs, uint32_t workload, int64_t row, const Cluster *cluster);

#endif
