/* --check-determinism: runs the same scenario a second time and compares the two runs record by
 * record. The second run is in the same process, but its data has other addresses. */
#ifndef TOOLS_TRAINYARD_DETERMINISM_H
#define TOOLS_TRAINYARD_DETERMINISM_H

#include "sim/output/explain/row_watch.h"
#include "tools/trainyard/run_scenario.h"

/* Runs the scenario again and compares the run with `first`, the run that options->row_watch
 * listened to. Returns true if both have the same records and the same summary; otherwise
 * `explanation` describes the first difference. Returns false with `problems` if the scenario
 * cannot be read or run a second time. */
MUST_CHECK bool determinism_holds(const char *path, const RunOptions *options,
                                  const RunResult *first, Text *explanation, Problems *problems);

#endif
