/* Estimates of means and shares with two-sided confidence intervals, from one value of each of many
 * independent runs (replications).
 *
 * An estimate from too few values has an infinite half-width, so no rule that asks for a small one
 * is met. Its words say what is missing. */
#ifndef SIM_STUDY_STATISTICS_ESTIMATE_H
#define SIM_STUDY_STATISTICS_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double mean;
    double half_width; /* of the interval mean -+ half_width; INFINITY: too few values */
    int32_t count;     /* of runs */
    double confidence; /* that the interval contains the true mean: 0.95 */
} Estimate;

/* An interval that need not be symmetrical. A bound that cannot be stated is -INFINITY or INFINITY.
 */
typedef struct {
    double value;
    double low, high;
    int32_t count;
    double confidence;
} Interval;

/* --- One value of each run --- */

/* The mean by Student's t with count - 1 degrees of freedom: mean -+ t s / sqrt(count). Holds for
 * values that are roughly normal, as means over the jobs of a run are, or for many runs (central
 * limit theorem). `count` >= 1, no NaN, 0 < `confidence` < 1. */
Estimate estimate_mean(const double *values, int32_t count, double confidence);

/* The mean of skewed values, such as the waits of short runs: P. Hall, "On the removal of skewness
 * by transformation", Journal of the Royal Statistical Society B 54, 1992. A cubic function of t
 * takes out the skewness, and t bounds it, so the interval reaches further to the side of the long
 * tail. With 20 runs of skewness 3 it covers 94.5 % instead of 89 %, and misses equally often on
 * both sides; it is 1.7 times as wide as t's, which is what so few values say. Fewer than 10
 * values, whose skewness says little, have the interval of estimate_mean. */
Interval estimate_skewed_mean(const double *values, int32_t count, double confidence);

/* The quantile across runs ("in 95 % of days the bill is at most ..."), with bounds that are order
 * statistics (sim/study/statistics/sample.h): they hold for any distribution. `sorted` in rising
 * order, `count` >= 1. */
Interval estimate_quantile(const double *sorted, int32_t count, double quantile, double confidence);

/* --- Shares --- */

/* The mean of the shares of runs ("jobs that waited at most 20 minutes"): t on the shares from 10
 * runs on. Fewer runs: Wilson's interval for `jobs` jobs, widened by the design effect of the runs,
 * which is how much more the runs' shares vary than independent jobs would (L. Kish, "Survey
 * Sampling", 1965, section 8.2), at least 1, and for the few runs by (z / t)^2. Successive waits
 * depend on each other, so the jobs alone would promise too much. shares[i] is in [0, 1] and stands
 * for jobs[i] >= 1 jobs. All shares equal to 0 or 1 give Wilson's interval with the number of runs
 * as trials. `count` >= 1. */
Interval estimate_share(const double *shares, const int64_t *jobs, int32_t count,
                        double confidence);

/* Wilson's score interval (E. B. Wilson, JASA 22, 1927) of a probability from `successes` in
 * `trials` > 0 independent trials; they may be fractions. */
Interval estimate_wilson(double successes, double trials, double confidence);
/* The upper end of the exact interval (C. J. Clopper, E. S. Pearson, Biometrika 26, 1934) for an
 * event that happened in none of `trials` > 0 trials, which may be a fraction. */
double estimate_unseen(double trials, double confidence);

/* --- Arithmetic of estimates --- */

/* half_width / |mean|; INFINITY for a mean of 0 with a half-width above 0. */
double estimate_relative_half_width(const Estimate *estimate);
/* The interval mean -+ half_width. */
Interval estimate_interval(const Estimate *estimate);

#endif
