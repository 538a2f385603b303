/* How many runs a stated accuracy needs: asked before a sweep begins, and printed where a
 * result is too wide ("run too short: needs about 3.1 M jobs"). */
#ifndef SIM_STUDY_STATISTICS_FORECAST_H
#define SIM_STUDY_STATISTICS_FORECAST_H

#include <stdbool.h>

#include "sim/base/text.h"
#include "sim/study/statistics/estimate.h"

/* The number of runs like those of `pilot` for a half-width of `relative` * |mean|: the smallest n
 * with t(n - 1) s / sqrt(n) <= relative |mean|. INFINITY when the pilot has one run or the mean 0.
 */
double forecast_runs(const Estimate *pilot, double relative);

/* --- Words --- */

/* "about 3.1 M", "about 680 k", "about 45", "more than 10^15". */
void forecast_count_print(Text *text, double count);
/* "run too short: needs about 3.1 M jobs". */
void forecast_too_short_print(Text *text, double jobs, const char *unit);

#endif
