#include "sim/study/statistics/sample.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/study/statistics/distribution.h"

double statistics_mean(const double *values, int32_t count)
{
    invariant(count >= 1);
    double sum = 0, rest = 0;
    for (int32_t i = 0; i < count; i++)
        sum += values[i];
    const double mean = sum / count;
    // The second pass takes back the rounding errors of the first sum.
    for (int32_t i = 0; i < count; i++)
        rest += values[i] - mean;
    return mean + rest / count;
}

double statistics_covariance(const double *left, const double *right, int32_t count)
{
    invariant(count >= 2);
    const double left_mean = statistics_mean(left, count);
    const double right_mean = statistics_mean(right, count);
    double sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += (left[i] - left_mean) * (right[i] - right_mean);
    return sum / (count - 1);
}

double statistics_variance(const double *values, int32_t count)
{
    return statistics_covariance(values, values, count);
}

double statistics_standard_error(const double *values, int32_t count)
{
    return sqrt(statistics_variance(values, count) / count);
}

double statistics_mean_bound(const double *values, int32_t count, double confidence, BoundSide side)
{
    invariant(confidence > 0);
    invariant(confidence < 1);
    double margin =
        student_quantile(confidence, count - 1) * statistics_standard_error(values, count);
    double mean = statistics_mean(values, count);
    return side == BOUND_UPPER ? mean + margin : mean - margin;
}

/* A total order: -0 is before 0. */
static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    if (a != b)
        return a < b ? -1 : 1;
    return (signbit(b) != 0) - (signbit(a) != 0);
}

void statistics_sort(double *values, int32_t count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
}

double statistics_median(const double *sorted, int32_t count)
{
    invariant(count > 0);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

int64_t statistics_rank(int64_t count, double quantile)
{
    invariant(count >= 1);
    // 0.07 * 100 is a little more than 7 in binary: the seventh value is wanted.
    int64_t rank = (int64_t)ceil(quantile * (double)count - 1e-9);
    return rank < 1 ? 1 : rank > count ? count : rank;
}

double statistics_quantile(const double *sorted, int32_t count, double quantile)
{
    return sorted[statistics_rank(count, quantile) - 1];
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
        // All `count` values are below with probability below^count: even the largest may be.
        double chance = binomial_probability(middle - 1, count, below);
        if (middle <= count && chance >= confidence - 1e-12) // room for rounding errors
            high = middle;
        else
            low = middle + 1;
    }
    if (low > count)
        return 0;
    return side == BOUND_UPPER ? low : count + 1 - low;
}
