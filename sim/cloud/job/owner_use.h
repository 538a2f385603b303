/* Private to sim/cloud/job: the node time that the owners of jobs have used, for fair share. An
 * owner is a user of a list, or an experiment. */
#ifndef SIM_CLOUD_JOB_OWNER_USE_H
#define SIM_CLOUD_JOB_OWNER_USE_H

#include "sim/cloud/job/tables.h"

/* Sets Job.owner. */
void owner_use_set(Jobs *jobs, Job *job);
/* The job takes (change 1) or gives back (change -1) what it asked for. */
void owner_use_changes(Jobs *jobs, const Job *job, int32_t change);
/* Writes the use of all owners up to now: [Jobs.use_count]. */
void owner_use_list(Jobs *jobs, int64_t *used_node_us);

#endif
