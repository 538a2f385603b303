/* Scripts of a job: its program, and its preparation on every node. */
#ifndef SIM_CLOUD_JOB_SCRIPT_H
#define SIM_CLOUD_JOB_SCRIPT_H

#include "sim/cloud/job/job.h"

/* The exit code of the preparation on the `node`-th of the job's nodes; before its end, the
 * expected one. */
int32_t job_preparation_exit_code(const Job *job, int32_t node);
/* Event: a script begins or continues after a sleep. `task` 0 is the program, 1 + i the preparation
 * on node i. */
void job_script_continues(Jobs *jobs, Job *job, uint32_t task);
/* Begins the script of a task after `delay_ns`. At its end job_program_done or job_stage_done is
 * called. */
void job_script_begins(Jobs *jobs, Job *job, uint32_t task, int64_t delay_ns);

#endif
