/* Finds the scenarios and studies that a command line names. A file stands for itself, a folder for
 * every scenario.json and study.json below it, in byte order of their paths. Links to folders are
 * not followed; names that begin with a dot are skipped. */
#ifndef TOOLS_TRAINYARD_SCENARIO_FIND_H
#define TOOLS_TRAINYARD_SCENARIO_FIND_H

#include "sim/base/status.h"

typedef struct {
    const char **items; /* in the arena */
    uint32_t count;
    uint32_t capacity;
} ScenarioPaths;

/* Adds the file or the scenarios below the folder `path` to `paths`. STATUS_NOT_FOUND for a folder
 * without scenarios, STATUS_MACHINE for a folder that cannot be read. */
MUST_CHECK bool scenario_find(Arena *arena, const char *path, ScenarioPaths *paths, Status *status);

#endif
