/* Names of jobs, and of the files that they write.
 *
 * A job of a workload has a number from 1 in its name, "NAME-7" if the workload is NAME. Most of
 * these names are never asked for: a workload may have a million jobs. They are not in the table of
 * names: a job is found by the number in its name. If the world forgets ended jobs
 * (world_forget_ended), a name is made only when a caller asks for it. */
#ifndef SIM_CLOUD_JOB_JOB_NAME_H
#define SIM_CLOUD_JOB_JOB_NAME_H

#include "sim/cloud/job/job.h"

/* The job's path. Its name is made in `arena` if it was not made before. */
ResourcePath job_path(const Scenario *scenario, const Job *job, Arena *arena);

/* "{sub}/{rg}/workspaces/{w}/experiments/{e}/jobs/{j}/{guid}": the folder of its outputs, below the
 * directory that the job names. The GUID is drawn at the job's address. In `arena`. */
const char *job_output_segment(const Scenario *scenario, const Job *job, Arena *arena);
/* Fills in the marks of a path or command line of the spec: "{segment}" becomes the job's output
 * segment, which exists only after the job's creation, and "{epoch}" becomes `epoch`. In `arena`,
 * or `pattern` itself if it has no marks. */
const char *job_fill_in(const Scenario *scenario, const Job *job, const char *pattern,
                        int64_t epoch, Arena *arena);
/* The path of the checkpoint of `program` at `point`: "{epoch}" becomes "3", or "3-step-120" within
 * an epoch. As job_fill_in. */
const char *job_checkpoint_path(const Scenario *scenario, const Job *job, const Program *program,
                                TrainingPoint point, Arena *arena);

/* --- For the other files of this folder --- */

/* The name of the workload's job `row`, from 0. In `arena`. */
const char *workload_job_name(const Workload *workload, int64_t row, Arena *arena);
/* Gives the job a name if it has none. */
void job_make_name(Jobs *jobs, Job *job);
/* The submitted job of a workload with that path, which then has a name; NULL: no job has it. */
Job *workload_find_job(Jobs *jobs, ResourcePath path);

#endif
