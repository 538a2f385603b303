/* What the service lays out around a command of a job, on this machine: a folder stands for its
 * node's "/", and whatever path of the node the job was told leads below it. */
#ifndef REAL_JOB_PLACE_H
#define REAL_JOB_PLACE_H

#include "sim/cloud/world.h"

/* The value of one of the job's variables as on its node; NULL: it has none, or a secret, which
 * nobody has kept. In `arena`. */
const char *job_place_variable(const World *world, const Job *job, const char *name, Arena *arena);

/* What the service set, with paths of the node leading below `folder` (absolute), and what programs
 * cannot do without: PATH, LANG, HOME, TMPDIR. "NAME=value", ended by NULL, with room for `more`
 * before that; `*count` of them are there. */
char **job_place_environment(const World *world, const Job *job, const char *folder, int32_t more,
                             Arena *arena, int32_t *count);

/* The directories that the service had made before it started a command, one after the other: paths
 * of the node, from `*next` = 0 on until NULL. */
const char *job_place_next_folder(const World *world, const Job *job, int32_t *next, Arena *arena);

/* Where a command's output goes: "/mnt/batch/.../stdout.txt" of the node, `stem` being "stdout" or
 * "stderr" and `whose` as of job_runs_outside; the name as the service called it, of several ranks'
 * the first one's. */
const char *job_place_output(const World *world, const Job *job, uint32_t whose, const char *stem,
                             Arena *arena);

/* Where it starts: AZ_BATCHAI_JOB_TEMP, below `folder`. Where the service started commands is not
 * documented. */
const char *job_place_start(const World *world, const Job *job, const char *folder, Arena *arena);

/* The time that a command may still take before its job is too old (maxWallClockTime). */
int64_t job_place_limit_ns(const Job *job, uint32_t whose);

#endif
