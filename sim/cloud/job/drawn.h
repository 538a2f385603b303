/* Lists of jobs that are drawn anew for each seed (sim/cloud/spec/resample.h). */
#ifndef SIM_CLOUD_JOB_DRAWN_H
#define SIM_CLOUD_JOB_DRAWN_H

#include "sim/cloud/spec/scenario.h"

/* The scenario with the lists that its seed draws; `scenario` itself if no workload is resampled.
 * Rows of a drawn list have the columns of the rows of which they are copies, except names. A row
 * that waits for an earlier one waits for its copy in the same piece; if that was not drawn, it
 * arrives at its own time. Lives in `arena`. */
const Scenario *scenario_with_drawn_lists(Arena *arena, const Scenario *scenario);

#endif
