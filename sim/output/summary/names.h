/* What clusters and jobs are called in a summary: the shortest name that is theirs alone. */
#ifndef SIM_OUTPUT_SUMMARY_NAMES_H
#define SIM_OUTPUT_SUMMARY_NAMES_H

#include <stdint.h>

#include "sim/base/arena.h"

/* The last part of "workspace/experiment/job". */
const char *summary_short_name(const char *path);

/* The names of `count` things by their paths, in `arena`: the last part of the path; where another
 * path has the same last part, the path; the second and later of one path with "#2", ... behind. A
 * NULL path (nothing was told of that thing) stays NULL. */
const char **summary_names(Arena *arena, const char *const *paths, uint32_t count);

#endif
