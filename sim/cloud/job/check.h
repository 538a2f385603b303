/* Everything that must be true of jobs, their queues and their transfers between two events. */
#ifndef SIM_CLOUD_JOB_CHECK_H
#define SIM_CLOUD_JOB_CHECK_H

#include "sim/cloud/job/job.h"

/* Aborts with the broken promise. Returns how many jobs are counted by containers. */
int64_t jobs_check(const Jobs *jobs);

#endif
