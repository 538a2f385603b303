/* From the name of a scenario file to its tree, with the files it names in the place of their names
 * and overrides applied. Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_LOAD_H
#define SIM_SCENARIO_SCENARIO_LOAD_H

#include "sim/scenario/read.h"

/* NULL when there is no such file or it is no JSON. The name of any other file that is missing or
 * no JSON stays where it is: a command's config, or an item of the catalogue, that is a string has
 * been reported. */
Json *scenario_load(Arena *arena, FileSource files, const char *path, ScenarioOverrides overrides,
                    Problems *problems);

/* Puts the files that a catalogue includes in the place of their names in `catalog`, its tree. The
 * name of one that is missing or no JSON has been reported and stays. */
void catalog_load_included(Arena *arena, FileSource files, Json *catalog, Problems *problems);
/* Whether that succeeded. */
bool catalog_is_loaded(const Json *catalog);

/* `name` as seen from the folder of `path`: absolute names stay as they are. */
const char *path_beside(Arena *arena, const char *path, const char *name);

#endif
