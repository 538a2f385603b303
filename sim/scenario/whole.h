/* A scenario in one piece: the tree of its file with all that it names in it. */
#ifndef SIM_SCENARIO_SCENARIO_WHOLE_H
#define SIM_SCENARIO_SCENARIO_WHOLE_H

#include "sim/scenario/read.h"

/* A copy in `arena` of the file's tree: catalogues and configs stand in it, and of files on shares
 * the sizes, so that it needs no other file and runs as the scenario does. */
Json *scenario_whole(Arena *arena, const ScenarioFile *file);

#endif
