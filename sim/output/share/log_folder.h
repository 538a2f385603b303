/* Directories of shares in which the world keeps logs: that of a job, and that of the set-up task
 * of a cluster. What is in them is never recorded, because it is a function of the world
 * (sim/output/share/job_files.h, setup_files.h); whoever shows shares treats both alike. */
#ifndef SIM_OUTPUT_LOG_FOLDER_H
#define SIM_OUTPUT_LOG_FOLDER_H

#include "sim/output/share/job_files.h"

typedef struct {
    JobId job;         /* ID_NONE: of a cluster */
    ClusterId cluster; /* where it is of no job */
} LogFolder;

LogFolder log_folder_of_job(JobId job);
LogFolder log_folder_of_cluster(ClusterId cluster);

/* "account/share"; NULL: on nodes' own disks, gone with them, or there is no such task. */
const char *log_folder_share(const World *world, LogFolder folder);
/* Inside that share. */
const char *log_folder_path(const World *world, LogFolder folder, Arena *arena);
/* When the last of its files came to be; INT64_MAX: it has none. */
int64_t log_folder_begun_ns(const World *world, LogFolder folder);
/* From when on nothing changes in it, unless its owner begins again; INT64_MAX: not yet. */
int64_t log_folder_settled_ns(const World *world, LogFolder folder);

/* As job_files_list and job_file_write. */
FileEntry *log_folder_list(const World *world, LogFolder folder, int64_t now_ns, Arena *arena,
                           int32_t *count);
/* From when on a deletion is one of `entry`, and not of what was at its place before. */
int64_t log_folder_since_ns(const World *world, LogFolder folder, const FileEntry *entry);
bool log_folder_write(const World *world, LogFolder folder, const char *name, int64_t now_ns,
                      ByteSink sink);

#endif
