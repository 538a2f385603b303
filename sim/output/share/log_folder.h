/* Directories of shares in which the world keeps logs: of a job, or of the set-up task of a
 * cluster. Their contents are not recorded, because they are functions of the world
 * (job_files.h, setup_files.h). These functions serve both kinds. */
#ifndef SIM_OUTPUT_LOG_FOLDER_H
#define SIM_OUTPUT_LOG_FOLDER_H

#include "sim/output/share/job_files.h"

typedef struct {
    JobId job;         /* ID_NONE: the folder belongs to a cluster */
    ClusterId cluster; /* used if there is no job */
} LogFolder;

LogFolder log_folder_of_job(JobId job);
LogFolder log_folder_of_cluster(ClusterId cluster);

/* Whether the world has forgotten the job (world_forget_deleted), which has left no logs. */
bool log_folder_is_forgotten(const World *world, LogFolder folder);
/* "account/share"; NULL: there is no task, or the logs are on the nodes' own disks and are lost
 * with them. */
const char *log_folder_share(const World *world, LogFolder folder);
/* Inside that share. */
const char *log_folder_path(const World *world, LogFolder folder, Arena *arena);
/* When the last of its files was created; INT64_MAX: it has no files. */
int64_t log_folder_begun_ns(const World *world, LogFolder folder);
/* The time after which nothing in it changes, unless the job or task begins again; INT64_MAX:
 * not yet known. */
int64_t log_folder_settled_ns(const World *world, LogFolder folder);

/* Like job_files_list and job_file_write. */
FileEntry *log_folder_list(const World *world, LogFolder folder, int64_t now_ns, Arena *arena,
                           int32_t *count);
/* The time from which deletions of the entry's path delete `entry`. An earlier deletion deleted
 * another file. */
int64_t log_folder_since_ns(const World *world, LogFolder folder, const FileEntry *entry);
bool log_folder_write(const World *world, LogFolder folder, const char *name, int64_t now_ns,
                      ByteSink sink);

#endif
