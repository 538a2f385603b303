/* The scenarios that a command line means: files as given, and below a folder every scenario.json,
 * in the order of their paths (bytes compared). Links to folders are not followed, names that begin
 * with a dot are left alone. */
#ifndef SIM_VERBS_SCENARIO_FIND_H
#define SIM_VERBS_SCENARIO_FIND_H

#include "sim/base/status.h"

typedef struct {
    const char **items; /* in the arena */
    uint32_t count;
    uint32_t capacity;
} ScenarioPaths;

/* Adds what `path` means to `paths`. STATUS_NOT_FOUND for a folder without scenarios. */
MUST_CHECK bool scenario_find(Arena *arena, const char *path, ScenarioPaths *paths, Status *status);

#endif
