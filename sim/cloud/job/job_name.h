/* Names of the jobs of workloads: "NAME-", the name of the workload, and a number from 1.
 *
 * Most of these names are never asked for: a workload may have a million jobs. They are not in
 * the table of names: a job is found by the number in its name. If the world forgets ended jobs
 * (world_forget_ended), a name is made only when a caller asks for it. */
#ifndef SIM_CLOUD_JOB_JOB_NAME_H
#define SIM_CLOUD_JOB_JOB_NAME_H

#include "sim/cloud/job/job.h"

/* The job's path. Its name is made in `arena` if it was not made before. */
ResourcePath job_path(const Scenario *scenario, const Job *job, Arena *arena);

/* --- For the other files of this folder --- */

/* The name of the workload's job `row`, from 0. In `arena`. */
const char *workload_job_name(const Workload *workload, int64_t row, Arena *arena);
/* Gives the job a name if it has none. */
void job_make_name(Jobs *jobs, Job *job);
/* The submitted job of a workload with that path, which then has a name; NULL: no job has it. */
Job *workload_find_job(Jobs *jobs, ResourcePath path);

#endif
