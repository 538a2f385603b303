/* A scenario as one tree that needs no other file. */
#ifndef SIM_SCENARIO_SCENARIO_WHOLE_H
#define SIM_SCENARIO_SCENARIO_WHOLE_H

#include "sim/scenario/read.h"

/* A copy in `arena` of the file's tree. It contains the catalogues and configs, and the sizes of
 * files on shares instead of their names. It runs exactly like the scenario. */
Json *scenario_whole(Arena *arena, const ScenarioFile *file);

#endif
