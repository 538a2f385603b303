#include "sim/study/statistics/compare.h"

#include <math.h>

#include "sim/base/invariant.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

/* The mean of left[i] - right[i], and the variance of the differences, without an array for them.
 */
static double mean_difference(const double *left, const double *right, int32_t count)
{
    double sum = 0, rest = 0;
    for (int32_t i = 0; i < count; i++)
        sum += left[i] - right[i];
    double mean = sum / count;
    for (int32_t i = 0; i < count; i++)
        rest += left[i] - right[i] - mean;
    return mean + rest / count;
}

static double difference_variance(const double *left, const double *right, int32_t count,
                                  double mean)
{
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        double rest = left[i] - right[i] - mean;
        sum += rest * rest;
    }
    return sum / (count - 1);
}

Paired compare_paired(const double *left, const double *right, int32_t count, double confidence)
{
    invariant(count >= 1);
    Paired paired = {.difference = {.mean = mean_difference(left, right, count),
                                    .half_width = INFINITY,
                                    .count = count,
                                    .confidence = confidence},
                     .correlation = NAN,
                     .variance_reduction = NAN};
    if (count < 2)
        return paired;
    double of_left = statistics_variance(left, count);
    double of_right = statistics_variance(right, count);
    double of_difference = difference_variance(left, right, count, paired.difference.mean);
    paired.difference.half_width =
        student_quantile(1 - (1 - confidence) / 2, count - 1) * sqrt(of_difference / count);
    if (of_left > 0 && of_right > 0)
        paired.correlation =
            statistics_covariance(left, right, count) / (sqrt(of_left) * sqrt(of_right));
    if (of_left + of_right > 0)
        paired.variance_reduction =
            of_difference > 0 ? (of_left + of_right) / of_difference : INFINITY;
    return paired;
}

Welch compare_welch(const double *left, int32_t left_count, const double *right,
                    int32_t right_count, double confidence)
{
    Welch welch = {.difference = {.mean = statistics_mean(left, left_count) -
                                          statistics_mean(right, right_count),
                                  .half_width = INFINITY,
                                  .count = left_count < right_count ? left_count : right_count,
                                  .confidence = confidence}};
    if (left_count < 2 || right_count < 2)
        return welch;
    double a = statistics_variance(left, left_count) / left_count;
    double b = statistics_variance(right, right_count) / right_count;
    double least = welch.difference.count - 1, most = (double)left_count + right_count - 2;
    // Without any spread the formula is 0 / 0; the interval is a point for all degrees of freedom.
    welch.freedom = a + b > 0
                        ? (a + b) * (a + b) / (a * a / (left_count - 1) + b * b / (right_count - 1))
                        : most;
    welch.freedom = fmax(least, fmin(most, welch.freedom)); // rounding errors may leave the bounds
    welch.difference.half_width =
        student_quantile(1 - (1 - confidence) / 2, welch.freedom) * sqrt(a + b);
    return welch;
}

double compare_p_value(double difference, double error, double freedom)
{
    if (error == 0)
        return difference == 0 ? 1 : 0;
    return 2 * student_probability(-fabs(difference / error), freedom);
}

/* Rejects all p-values up to the largest bound that the step-down test reaches. The i-th smallest
 * of n is compared with error / (n - i), from the smallest on, until one fails. Counting ranks
 * needs no sorted copy. */
void compare_holm(const double *p_values, int32_t count, double error, bool *is_different)
{
    double rejected = -1; // all p-values up to this one are rejected
    for (int32_t below = 0; below < count;) {
        double next = INFINITY; // the smallest p-value not rejected yet
        int32_t equal = 0;
        for (int32_t i = 0; i < count; i++) {
            if (p_values[i] <= rejected || p_values[i] > next)
                continue;
            equal = p_values[i] < next ? 1 : equal + 1;
            next = p_values[i];
        }
        if (!(next <= error / (count - below)))
            break;
        rejected = next;
        below += equal;
    }
    for (int32_t i = 0; i < count; i++)
        is_different[i] = p_values[i] <= rejected;
}
