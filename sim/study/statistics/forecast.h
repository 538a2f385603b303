/* How many runs or jobs a stated accuracy needs: asked before a sweep begins, and printed where a
 * result is too wide ("run too short: needs about 3.1 M jobs"). */
#ifndef SIM_STUDY_STATISTICS_FORECAST_H
#define SIM_STUDY_STATISTICS_FORECAST_H

#include <stdbool.h>

#include "sim/base/text.h"
#include "sim/study/statistics/estimate.h"

/* --- A formula --- */

/* n Var(mean of n successive waits) for large n, in squared mean service times, of M/M/1 at `load`
 * in (0, 1): load (2 + 5 load - 4 load^2 + load^3) / (1 - load)^4 (D. J. Daley, "The serial
 * correlation coefficients of waiting times in a stationary single server queue", Journal of the
 * Australian Mathematical Society 8, 1968). */
double forecast_mm1_variance(double load);

/* The number of jobs for a half-width of `relative` * mean: (z / relative)^2 variance / mean^2, for
 * an asymptotic variance, from the formula or a pilot (BatchMeans.variance). */
double forecast_jobs(double variance, double mean, double relative, double confidence);
/* The same for M/M/1 at `load`, whose mean wait is load / (1 - load). For several servers and
 * general service times it is a rough guess: multiply by (1 + cs^2)/2 and divide by servers. */
double forecast_mm1_jobs(double load, double relative, double confidence);

/* --- From a pilot --- */

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
