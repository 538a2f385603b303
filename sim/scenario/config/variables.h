/* The environment of a job, and `$NAME` in its paths and command lines.
 *
 * The variables are those of the Batch AI documentation ("Environment variables available to Batch
 * AI jobs"). Paths that contain the job's own output folder have JOB_SEGMENT_MARK in its place: the
 * service chooses the folder's name when it creates the job (Job.output_segment). */
#ifndef SIM_SCENARIO_VARIABLES_H
#define SIM_SCENARIO_VARIABLES_H

#include "sim/scenario/config/mounts.h"

typedef struct UnreadVariables UnreadVariables;

typedef struct {
    Arena *arena;
    Problems *problems, *warnings;
    bool is_of_session; /* as in ConfigContext */
    int32_t count;
    int32_t capacity;
    EnvironmentVariable *items;
    const UnreadVariables *unread; /* variables that exist, but whose values were refused */
    const Mounts *mounts;          /* for paths under a mount root */
} Variables;

Variables variables_create(const ConfigContext *context, const Mounts *mounts);
/* Adds a variable, the name being `prefix` and `id` together; the value is borrowed, and so is `id`
 * if the prefix is empty. */
void variables_add(Variables *variables, const char *prefix, const char *id, const char *value);
/* Records a variable that exists but whose value is unknown because it was refused. An `id` of
 * "*" stands for all variables with the prefix. */
void variables_add_unread(Variables *variables, const char *prefix, const char *id);

/* The path `text` with every known `$NAME` and `${NAME}` replaced. A variable that only the job
 * knows ($HOME) is not replaced; an unknown AZ_BATCHAI_ name is a problem, and so is a path
 * below a mount root where nothing is mounted. NULL with a problem, when a name in `text` is
 * unread, and when there is no text. */
const char *variables_expand(const Variables *variables, BoundText text);

/* Reports mistakes in the command line `text`. A variable of a directory that the job does not
 * declare is a problem, but a warning in a session. Other AZ_BATCHAI_ names that do not exist, and
 * paths below a mount root that lead to no mount, are warnings: the service passes the line to a
 * shell, where the variable is empty and the folder is missing. */
void variables_check_command(const Variables *variables, BoundText text);

/* The place that the path `text`, with its variables, leads to. A path that is not under the mount
 * of a share is on the node (share NULL, directory the path itself). The directory is NULL if it
 * cannot be known, for the reasons of variables_expand or because the mount is unread. */
OutputPlace variables_place(const Variables *variables, BoundText text);

/* Refuses a `path` with a "." or ".." part: output would leave its mount and would not be found.
 * `path` is the expanded value `text` of `key`. */
MUST_CHECK bool output_path_check(Problems *problems, const char *key, BoundText text,
                                  const char *path);
/* variables_place for output. A path with such a part is a problem, and its directory NULL. */
OutputPlace variables_output(const Variables *variables, Problems *problems, const char *key,
                             BoundText text);

#endif
