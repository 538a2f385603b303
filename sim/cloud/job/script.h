/* Scripts of a job: its program, and its preparation on every node. */
#ifndef SIM_CLOUD_JOB_SCRIPT_H
#define SIM_CLOUD_JOB_SCRIPT_H

#include "sim/cloud/job/job.h"

/* How the preparation ended, or is going to, on the `node`-th of its nodes. */
int32_t job_preparation_exit_code(const Job *job, int32_t node);
/* Event: a script's sleep is over, that of the program (0) or of the preparation on a node (1 + its
 * index). */
void job_script_continues(Jobs *jobs, Job *job, uint32_t whose);
/* The script begins after `delay_ns`; `whose` as above. Its end is job_program_done or
 * job_stage_done. */
void job_script_begins(Jobs *jobs, Job *job, uint32_t whose, int64_t delay_ns);

#endif
