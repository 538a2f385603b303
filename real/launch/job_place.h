/* The environment that the service prepares for a job's command, on this machine. One folder
 * represents the node's "/"; the paths of the node that the job gets are below that folder. */
#ifndef REAL_JOB_PLACE_H
#define REAL_JOB_PLACE_H

#include "sim/cloud/world.h"

/* Returns the value that a job's variable has on its node, in `arena`. NULL: the job has no such
 * variable, or it is a secret, whose value is not stored. */
const char *job_place_variable(const World *world, const Job *job, const char *name, Arena *arena);

/* Returns the variables that the service sets, and the ones that every program needs: PATH, LANG,
 * HOME, TMPDIR. Paths of the node are changed to paths below `folder` (absolute). The list has
 * `*count` entries "NAME=value", ends with NULL and has room for `more` entries. In `arena`. */
char **job_place_environment(const World *world, const Job *job, const char *folder, int32_t more,
                             Arena *arena, int32_t *count);

/* Returns the `*count` directories that the service creates before it starts a command, as paths of
 * the node. In `arena`. */
const char **job_place_folders(const World *world, const Job *job, Arena *arena, int32_t *count);

/* Returns the node's path of a command's output, "/mnt/batch/.../stdout.txt". `stem` is "stdout" or
 * "stderr"; `whose` is the parameter of job_runs_outside. The file has the service's name; of
 * several ranks, the first one's. */
const char *job_place_output(const World *world, const Job *job, uint32_t whose, const char *stem,
                             Arena *arena);

/* Returns the directory in which the command starts: AZ_BATCHAI_JOB_TEMP, below `folder`. The
 * service's own choice is not documented. */
const char *job_place_start(const World *world, const Job *job, const char *folder, Arena *arena);

/* Returns how long a command may still run before its job reaches maxWallClockTime. */
int64_t job_place_limit_ns(const Job *job, uint32_t whose);

#endif
