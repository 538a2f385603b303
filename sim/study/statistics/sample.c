#include "sim/study/statistics/sample.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "sim/base/invariant.h"

double statistics_mean(const double *values, int32_t count)
{
    invariant(count >= 1);
    return gsl_stats_mean(values, 1, (size_t)count);
}

double statistics_standard_error(const double *values, int32_t count)
{
    invariant(count >= 2);
    return gsl_stats_sd(values, 1, (size_t)count) / sqrt((double)count);
}

double statistics_mean_bound(const double *values, int32_t count, double confidence, BoundSide side)
{
    invariant(confidence > 0);
    invariant(confidence < 1);
    double margin =
        gsl_cdf_tdist_Pinv(confidence, count - 1) * statistics_standard_error(values, count);
    double mean = statistics_mean(values, count);
    return side == BOUND_UPPER ? mean + margin : mean - margin;
}

void statistics_sort(double *values, int32_t count)
{
    gsl_sort(values, 1, (size_t)count);
}

double statistics_median(const double *sorted, int32_t count)
{
    invariant(count > 0);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double statistics_quantile(const double *sorted, int32_t count, double quantile)
{
    invariant(count >= 1);
    // 0.07 * 100 is a little more than 7 in binary: the seventh value is wanted.
    int32_t rank = (int32_t)ceil(quantile * count - 1e-9);
    return sorted[rank < 1 ? 0 : rank > count ? count - 1 : rank - 1];
}

/* The number of values below the quantile is binomial: the value at `rank` is at or above it if
 * at most rank - 1 are below, so the upper bound has the smallest rank for which that is likely
 * enough. The lower bound is the upper one of the sample turned around. */
int32_t statistics_quantile_rank(int32_t count, double quantile, double confidence, BoundSide side)
{
    invariant(quantile > 0);
    invariant(quantile < 1);
    double below = side == BOUND_UPPER ? quantile : 1 - quantile;
    int32_t low = 1, high = count + 1; // the rank, or count + 1 if there is no such rank
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (gsl_cdf_binomial_P((unsigned)middle - 1, below, (unsigned)count) >= confidence)
            high = middle;
        else
            low = middle + 1;
    }
    if (low > count)
        return 0;
    return side == BOUND_UPPER ? low : count + 1 - low;
}
