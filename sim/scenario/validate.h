/* Checks one file, whatever it is: a scenario with all it names, or a cluster.json, job.json or
 * catalogue alone. */
#ifndef SIM_SCENARIO_VALIDATE_H
#define SIM_SCENARIO_VALIDATE_H

#include "sim/scenario/read.h"

/* The kind of the file at `path` ("scenario", "cluster", "job", "catalogue", or of one that
 * needs a whole catalogue before it, "catalogue over catalog/azure-2018.json", the compiled-in
 * one); NULL when it is not one of them or not JSON. Problems are added to `problems`, warnings
 * of a valid scenario to `warnings`. */
const char *validate_file(Arena *arena, FileSource files, const char *path, Problems *problems,
                          Problems *warnings);

#endif
