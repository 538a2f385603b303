/* --check-determinism: the same scenario once more, in the same process but with other addresses of
 * everything in memory, and what the two runs told compared record by record. */
#ifndef SIM_VERBS_DETERMINISM_H
#define SIM_VERBS_DETERMINISM_H

#include "sim/output/explain/row_watch.h"
#include "tools/trainyard/run_scenario.h"

/* `first` is the run that RunOptions.watch listened to. True when the second told the same and
 * makes the same summary; otherwise `explanation` says where they part. What cannot be read a
 * second time is in `problems`, and false comes back. */
MUST_CHECK bool determinism_holds(const char *path, const RunOptions *options,
                                  const RunResult *first, Text *explanation, Problems *problems);

#endif
