/* From the name of a scenario file to its tree, with the files it names in the place of their names
 * and overrides applied. Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_LOAD_H
#define SIM_SCENARIO_SCENARIO_LOAD_H

#include "sim/scenario/read.h"

/* NULL when there is no such file or it is not JSON. The name of another file that is missing or
 * not JSON stays in the tree: a command's config, or an item of the catalogue, that is a string
 * has been reported. */
Json *scenario_load(Arena *arena, FileSource files, const char *path, ScenarioOverrides overrides,
                    Problems *problems);

/* After `path` could not be read: if it is a folder that contains a scenario.json, adds a hint with
 * the name of that file to `status`. */
void scenario_hint_folder(Arena *arena, FileSource files, const char *path, Status *status);

#endif
