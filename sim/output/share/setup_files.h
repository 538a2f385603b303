/* The files that a cluster's set-up task leaves on the share, at any simulated time. Nothing is
 * stored, as with the files of jobs (job_files.h).
 *
 * There is a pair for each node on which the task has begun, including released nodes:
 *
 *     stdout-{nodeId}.txt   the output of a script of simple commands; for other tasks a line that
 *                           says that the command was emulated, the command, its exit code and time
 *     stderr-{nodeId}.txt   the same for standard error; for other tasks a line if it failed
 *
 * Source of the names: set-up task test of the Azure SDK for Python, azure-mgmt-batchai
 * 2018-05-01. The task runs again after every reboot and then replaces its files. The service
 * also wrote a log, whose name was never published; it is left out. */
#ifndef SIM_OUTPUT_SETUP_FILES_H
#define SIM_OUTPUT_SETUP_FILES_H

#include "sim/output/share/job_files.h"

/* Like job_files_list and job_file_write. */
FileEntry *setup_files_list(const World *world, const Cluster *cluster, int64_t now_ns,
                            Arena *arena, int32_t *count);
bool setup_file_write(const World *world, const Cluster *cluster, const char *name, int64_t now_ns,
                      ByteSink sink);
/* When the task began on the node where it began last; INT64_MAX: it has not begun. */
int64_t setup_files_begun_ns(const World *world, const Cluster *cluster);
/* The time after which nothing in the files changes, unless the task begins again; INT64_MAX
 * while it runs. */
int64_t setup_files_settled_ns(const World *world, const Cluster *cluster);
/* "logs/{output segment}": the directory inside cluster->spec->setup_std_out_err.share. */
const char *setup_files_directory(const World *world, const Cluster *cluster, Arena *arena);

#endif
