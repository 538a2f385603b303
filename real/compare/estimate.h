/* Estimates the median of a series of measured durations, and its interval of confidence.
 *
 * The first steps of a training differ from the others: libraries choose kernels, and pages are
 * touched for the first time. They are left out by the rule MSER-5 (White, "An effective truncation
 * heuristic for bias reduction in simulation output", Simulation 69(6), 1997). The rule cuts off
 * the beginning, at most half of the series, so that the standard error of the rest is smallest.
 * Here it takes the median of each five steps instead of the mean, so that one late step is not
 * mistaken for a trend. If the rule would cut off half of a series, the series has not settled, and
 * nothing is left out.
 *
 * Consecutive steps are alike, because their disturbances (clocks, neighbours) last. So `count`
 * steps contain the information of count / t independent steps. t is the sum of the
 * autocorrelations of "longer than the median", because the spread of a median depends on them. The
 * sum ends by Geyer's rule ("Practical Markov chain Monte Carlo", Statistical Science 7(4), 1992),
 * at the first pair of autocorrelations that is not positive. The interval is bounded by two order
 * statistics for that number of steps (sim/study/statistics/sample.h) and does not depend on the
 * distribution of durations. No random numbers are used: the same series gives the same interval.
 *
 * Several runs are independent of each other. Their interval is Student's interval of the runs'
 * medians, extended to contain the median of these medians. It is useful from three runs on. */
#ifndef REAL_ESTIMATE_H
#define REAL_ESTIMATE_H

#include <stdint.h>

#include "sim/base/arena.h"

typedef struct {
    int32_t runs;     /* 0: nothing was measured, and all other members are 0 */
    int64_t count;    /* number of values, including the warm-up */
    int64_t warmup;   /* number of values that are left out */
    double effective; /* number of independent values with the same information */
    double median;
    double low,
        high; /* interval of 95 % of the median; the whole range if there are too few values */
} Estimate;

/* Returns how many of the first `values` are warm-up. */
int64_t estimate_warmup(const double *values, int64_t count);

/* Estimates one series in the order of time, without its first `warmup` < `count` values. All
 * members are 0 if `count` is 0. Uses scratch memory in `arena`. */
Estimate estimate_series(Arena *arena, const double *values, int64_t count, int64_t warmup);

/* Joins the estimates of `count` >= 1 runs. The estimate of a single run is unchanged. */
Estimate estimate_runs(Arena *arena, const Estimate *runs, int32_t count);

#endif
