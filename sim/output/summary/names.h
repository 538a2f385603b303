/* Names of clusters and jobs in a summary: the shortest unique name of each. */
#ifndef SIM_OUTPUT_SUMMARY_NAMES_H
#define SIM_OUTPUT_SUMMARY_NAMES_H

#include <stdint.h>

#include "sim/base/arena.h"

/* The last part of "workspace/experiment/job". */
const char *summary_short_name(const char *path);

/* The names for `count` paths, in `arena`: the last part of the path. If another path has the
 * same last part, the name is the whole path. The second and later occurrences of one path get
 * "#2", "#3", ... appended. A NULL path (no record mentioned it) gives a NULL name. */
const char **summary_names(Arena *arena, const char *const *paths, uint32_t count);

#endif
