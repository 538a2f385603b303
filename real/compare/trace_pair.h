/* Writes predicted and measured ranks next to each other into one Chrome trace. */
#ifndef REAL_COMPARE_TRACE_PAIR_H
#define REAL_COMPARE_TRACE_PAIR_H

#include "real/compare/compare.h"

/* Writes the predicted timelines and those of the first measured run. The processes alternate:
 * "predicted rank N", "measured rank N". All of them begin their first step at time 0. With several
 * jobs, the names of a job's processes begin with the job's name. */
MUST_CHECK bool compare_timeline_write(const Comparison *comparison, const char *path,
                                       Status *status);

#endif
