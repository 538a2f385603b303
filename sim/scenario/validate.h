/* Checks one file of any kind: a scenario with the files that it names, or a cluster.json, job.json
 * or catalogue alone. */
#ifndef SIM_SCENARIO_VALIDATE_H
#define SIM_SCENARIO_VALIDATE_H

#include "sim/scenario/read.h"

/* The kind of the file at `path`: "scenario", "cluster", "job" or "catalogue". A catalogue that is
 * not complete is checked after the compiled-in one, and its kind is "catalogue over
 * catalog/azure-2018.json". NULL when the file is of another kind or not JSON. `overrides` are for
 * scenarios: any other file is refused with them. Problems are added to `problems`, warnings of a
 * valid scenario to `warnings`. `*scenario` is the scenario, or NULL when the file is not one or
 * has problems; `scenario` may be NULL. */
const char *validate_file(Arena *arena, FileSource files, const char *path,
                          ScenarioOverrides overrides, Problems *problems, Problems *warnings,
                          const ScenarioFile **scenario);

#endif
