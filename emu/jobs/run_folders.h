/* The folders of runs, in one folder of the state: one for each attempt of a job, with one for each
 * node. They are removed after the job, or by the next emulator. */
#ifndef EMU_RUN_FOLDERS_H
#define EMU_RUN_FOLDERS_H

#include "sim/cloud/world.h"

/* The folder that represents the "/" of a node, counted from 1, in one attempt of a job. */
const char *run_folder(Arena *arena, const char *folder, JobId job, int32_t attempt, uint32_t node);
/* Remove the folders of all attempts of a job that has ended, or those of all jobs, and then
 * `folder` itself if it is empty. A folder that cannot be removed is a warning on standard error.
 */
void run_folders_remove_job(const char *folder, const Job *job);
void run_folders_remove_all(const char *folder);

#endif
