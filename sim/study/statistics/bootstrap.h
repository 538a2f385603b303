/* Ratios of two totals, such as cost per finished job, whose interval has no formula that holds for
 * few runs.
 *
 * The mean of the runs' ratios is another number than the ratio of the totals, and is biased. The
 * bootstrap draws runs with replacement; its words come from addresses (seed, resample, run), so
 * the same study gives the same interval, in any order and on any number of threads. */
#ifndef SIM_STUDY_STATISTICS_BOOTSTRAP_H
#define SIM_STUDY_STATISTICS_BOOTSTRAP_H

#include "sim/base/arena.h"
#include "sim/study/statistics/estimate.h"

enum { BOOTSTRAP_RESAMPLES = 2000, BOOTSTRAP_RUNS_LEAST = 10 };

typedef enum {
    RATIO_GOOD,
    RATIO_TOO_FEW,    /* fewer than 10 runs: the jackknife's interval is given */
    RATIO_NO_DIVISOR, /* the divisors are 0 in all runs, or in a resample: there is no ratio */
    RATIO_DISAGREE,   /* bootstrap and jackknife differ by more than a factor of 1.5 in width */
} RatioMark;

typedef struct {
    Interval bca;       /* bias-corrected and accelerated */
    Estimate jackknife; /* with t, as a check; its mean is corrected for bias */
    RatioMark mark;
} Ratio;

/* sum of above[i] / sum of below[i] over `count` >= 1 runs, below[i] >= 0. BCa by B. Efron, "Better
 * bootstrap confidence intervals", JASA 82, 1987, with 2000 resamples; the jackknife gives its
 * acceleration. Resamples of few runs vary too little, so the bounds are at the levels of Student's
 * t (T. C. Hesterberg, "What teachers should know about the bootstrap", The American Statistician
 * 69, 2015, section 3.2): with 20 runs it covers 94.7 % instead of 92.5 %. `seed` is the study's.
 */
Ratio bootstrap_ratio(const double *above, const double *below, int32_t count, double confidence,
                      uint64_t seed, Arena *scratch);

/* The run of `count` >= 1 that takes place `i` of a resample. */
int32_t bootstrap_run(uint64_t seed, int32_t resample, int32_t i, int32_t count);

/* "too few runs for a bootstrap: the interval is the jackknife's", ...; "" for RATIO_GOOD. */
const char *bootstrap_words(RatioMark mark);

#endif
