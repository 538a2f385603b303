/* Predicted and measured ranks next to each other in one Chrome trace. */
#ifndef REAL_COMPARE_TRACE_PAIR_H
#define REAL_COMPARE_TRACE_PAIR_H

#include "real/compare/compare.h"

/* Both timelines as one Chrome trace, the first run of those measured: processes "predicted rank N"
 * and "measured rank N" by turns, all of which begin their first step at time 0. Of several jobs
 * each has its own, which begin with its name. */
MUST_CHECK bool compare_timeline_write(const Comparison *comparison, const char *path,
                                       Status *status);

#endif
