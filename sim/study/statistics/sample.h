/* A sample of independent values, such as one metric of many runs: mean, spread, quantiles, and
 * one-sided confidence bounds.
 *
 * With probability `confidence` the true value is on the other side of a bound. The bound of a
 * mean is Student's, which requires roughly normal values or many of them. The bound of a quantile
 * is an order statistic; its rank follows from the binomial distribution for any distribution of
 * the values (Hahn, Meeker, "Statistical Intervals", 1991, section 5.2). Sums are in the order of
 * the values. */
#ifndef SIM_STUDY_STATISTICS_SAMPLE_H
#define SIM_STUDY_STATISTICS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { BOUND_LOWER, BOUND_UPPER } BoundSide;

/* `count` >= 1 values, none NaN. */
double statistics_mean(const double *values, int32_t count);
/* The variance with divisor count - 1. `count` >= 2. */
double statistics_variance(const double *values, int32_t count);
/* The covariance of pairs (left[i], right[i]) with divisor count - 1. `count` >= 2. */
double statistics_covariance(const double *left, const double *right, int32_t count);
/* The standard error of the mean: the sample's standard deviation over sqrt(count). `count` >= 2.
 */
double statistics_standard_error(const double *values, int32_t count);
/* `count` >= 2; 0 < `confidence` < 1. */
double statistics_mean_bound(const double *values, int32_t count, double confidence,
                             BoundSide side);

/* Sorts in rising order, in place. */
void statistics_sort(double *values, int32_t count);
/* The middle of the `sorted` values, for an even number the mean of the middle two. */
double statistics_median(const double *sorted, int32_t count);
/* The rank, from 1, of the smallest of `count` sorted values that a share of at least `quantile`
 * (in (0, 1)) of them does not exceed. */
int64_t statistics_rank(int64_t count, double quantile);
/* The value at that rank. */
double statistics_quantile(const double *sorted, int32_t count, double quantile);
/* From 1: the rank of the order statistic that bounds a quantile; 0 when `count` values are too few
 * to be so sure. */
int32_t statistics_quantile_rank(int32_t count, double quantile, double confidence, BoundSide side);

#endif
