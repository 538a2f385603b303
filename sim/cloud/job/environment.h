/* The environment of a job on its nodes.
 *
 * The variables of its folders follow from its path, so a session, which may have many jobs, does
 * not keep them with each job (JobSpec.lacks_folders). */
#ifndef SIM_CLOUD_JOB_ENVIRONMENT_H
#define SIM_CLOUD_JOB_ENVIRONMENT_H

#include "sim/cloud/job/job.h"

enum { JOB_FOLDERS = 6 };

/* The folder under which the mounts of the job appear: $AZ_BATCHAI_JOB_MOUNT_ROOT. */
const char *job_mount_root(Arena *arena, ResourcePath path);
/* The variables of the job's folders; they are the first of its environment. */
void job_folders(Arena *arena, ResourcePath path, EnvironmentVariable folders[JOB_FOLDERS]);
/* Leaves them out of `spec`, whose environment begins with them. */
void job_spec_leave_folders_out(Arena *arena, JobSpec *spec);

/* All variables of the job, with the marks of their values filled in (job_fill_in). In `arena`, or
 * borrowed from the spec. */
const EnvironmentVariable *job_environment(const Scenario *scenario, const Job *job, Arena *arena,
                                           int32_t *count);

#endif
