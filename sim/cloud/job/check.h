/* The invariants of jobs, their queues and their transfers between two events. */
#ifndef SIM_CLOUD_JOB_CHECK_H
#define SIM_CLOUD_JOB_CHECK_H

#include "sim/cloud/job/job.h"

/* Aborts if an invariant is broken. Returns the number of jobs that containers count. */
int64_t jobs_check(const Jobs *jobs);

#endif
