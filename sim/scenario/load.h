/* From the name of a scenario file to its tree, where overrides are applied and files that it names
 * have replaced their names. Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_LOAD_H
#define SIM_SCENARIO_SCENARIO_LOAD_H

#include "sim/scenario/read.h"

/* The tree, in which parameters are replaced by their values. `*parameters` has the parameters, and
 * `*catalog_key` the values on which the catalogue depends. Catalogues that
 * `overrides.like` knows are not read: their names stay in the tree.
 *
 * NULL when there is no such file, it is not JSON, or a parameter is wrong. If a file that it names
 * is missing or not JSON, that is reported and the name stays in the tree: a command's config, or
 * an item of "catalog", is then a string. */
Json *scenario_load(Arena *arena, FileSource files, const char *path, ScenarioOverrides overrides,
                    const Parameters **parameters, const char **catalog_key, Problems *problems);

/* Whether the tree is that of another kind of file, which is then one problem: checks of a
 * scenario's members would report each. */
bool scenario_is_other(const Json *root, Problems *problems);

/* After `path` could not be read: if it is a folder that contains a scenario.json, adds a hint with
 * the name of that file to `status`. */
void scenario_hint_folder(Arena *arena, FileSource files, const char *path, Status *status);

#endif
