/* What a series of measured durations says about the next one: its median, and how sure that is.
 *
 * The first steps of a training are not like the others: libraries choose kernels, pages are
 * touched for the first time. They are left out by the rule MSER-5 (White, "An effective truncation
 * heuristic for bias reduction in simulation output", Simulation 69(6), 1997): cut off as much,
 * half at most, as makes the standard error of the rest smallest; of each five steps the median is
 * taken instead of the mean, so that one late step is not mistaken for a trend. A series that asks
 * for half of it goes on changing: that is no beginning, and nothing is left out.
 *
 * Steps that follow each other are alike: what slows one down (clocks, neighbours) lasts. So
 * `count` steps say as much as count / t independent ones, t being the sum of the autocorrelations
 * of "longer than the median", which is what the spread of a median hangs on, cut off by Geyer's
 * rule
 * ("Practical Markov chain Monte Carlo", Statistical Science 7(4), 1992: pairs of them while they
 * are positive). The interval lies between two order statistics of so many (reports/statistics.h),
 * and assumes nothing about how durations are distributed. No random numbers: the same series gives
 * the same interval.
 *
 * Of several runs, each has its median, and the runs are what is independent: the interval is
 * Student's of these medians, around their median. It takes three to be of use. */
#ifndef REAL_ESTIMATE_H
#define REAL_ESTIMATE_H

#include <stdint.h>

#include "sim/base/arena.h"

typedef struct {
    int32_t runs;     /* 0: nothing was measured, and all else is 0 */
    int64_t count;    /* values, those at the beginning included */
    int64_t warmup;   /* of them, left out */
    double effective; /* as many independent ones say as much */
    double median;
    double low,
        high; /* its interval of 95 %; all there is where that is too little to be so sure */
} Estimate;

/* How many of `values` at the beginning are not like the rest. */
int64_t estimate_warmup(const double *values, int64_t count);

/* Of one series in the order of time, `warmup` < `count` of which are left out; of none where
 * `count` is 0. Scratch memory in `arena`. */
Estimate estimate_series(Arena *arena, const double *values, int64_t count, int64_t warmup);

/* Of `count` >= 1 runs, each estimated alone: one is its own estimate. */
Estimate estimate_runs(Arena *arena, const Estimate *runs, int32_t count);

#endif
