#include "sim/study/statistics/estimate.h"

#include <math.h>

#include "sim/base/invariant.h"
#include "sim/model/random_math.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

/* The quantile that leaves half of 1 - confidence above it. */
static double upper_level(double confidence)
{
    invariant(confidence > 0 && confidence < 1);
    return 1 - (1 - confidence) / 2;
}

Estimate estimate_mean(const double *values, int32_t count, double confidence)
{
    Estimate estimate = {.mean = statistics_mean(values, count),
                         .half_width = INFINITY,
                         .count = count,
                         .confidence = confidence};
    if (count >= 2)
        estimate.half_width = student_quantile(upper_level(confidence), count - 1) *
                              statistics_standard_error(values, count);
    return estimate;
}

/* The cube root by Newton's method, which from above falls until rounding stops it. */
static double cube_root(double x)
{
    const double size = fabs(x);
    double root = fmax(size, 1), next = root;
    do {
        root = next;
        next = (2 * root + size / (root * root)) / 3;
    } while (next < root);
    return x < 0 ? -root : root;
}

/* Unbiased for normal values (D. N. Joanes, C. A. Gill, The Statistician 47, 1998, "G1"), times 1 +
 * 8 / count, because the G1 of skewed values is too small on average: 1.42 instead of 2 in samples
 * of 20 exponential values, 1.69 of 50, 1.83 of 100. */
static double skewness(const double *values, int32_t count, double mean, double deviation)
{
    const double small_sample = 1 + 8.0 / count;
    double cubes = 0;
    for (int32_t i = 0; i < count; i++) {
        const double z = (values[i] - mean) / deviation;
        cubes += z * z * z;
    }
    return small_sample * cubes * count / ((count - 1.0) * (count - 2.0));
}

Interval estimate_skewed_mean(const double *values, int32_t count, double confidence)
{
    enum { COUNT_LEAST = 10 };
    const Estimate plain = estimate_mean(values, count, confidence);
    Interval interval = estimate_interval(&plain);
    const double deviation = count >= 2 ? sqrt(statistics_variance(values, count)) : 0;
    const double skew = deviation > 0 ? skewness(values, count, plain.mean, deviation) : 0;
    if (count < COUNT_LEAST || fabs(skew) < 1e-6)
        return interval;
    // h(w) = ((1 + a w)^3 - 1) / (3 a) + skew / (6 n) for w = (mean - truth) / deviation, a = skew
    // / 3, has hardly any skewness left: sqrt(n) h(w) is between -t and t.
    const double t = plain.half_width / deviation; // over sqrt(n)
    const double shift = skew / (6.0 * count);
    interval.low = plain.mean - deviation * 3 / skew * (cube_root(1 + skew * (t - shift)) - 1);
    interval.high = plain.mean - deviation * 3 / skew * (cube_root(1 + skew * (-t - shift)) - 1);
    return interval;
}

Interval estimate_quantile(const double *sorted, int32_t count, double quantile, double confidence)
{
    double level = upper_level(confidence);
    int32_t low = statistics_quantile_rank(count, quantile, level, BOUND_LOWER);
    int32_t high = statistics_quantile_rank(count, quantile, level, BOUND_UPPER);
    return (Interval){.value = statistics_quantile(sorted, count, quantile),
                      .low = low > 0 ? sorted[low - 1] : -INFINITY,
                      .high = high > 0 ? sorted[high - 1] : INFINITY,
                      .count = count,
                      .confidence = confidence};
}

Interval estimate_wilson(double successes, double trials, double confidence)
{
    invariant(trials > 0);
    invariant(successes >= 0 && successes <= trials);
    double z = normal_quantile(upper_level(confidence));
    double share = successes / trials;
    double scale = 1 / (1 + z * z / trials);
    double middle = (share + z * z / (2 * trials)) * scale;
    double half = z * scale * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
    return (Interval){.value = share,
                      .low = successes > 0 ? fmax(0, middle - half) : 0,
                      .high = successes < trials ? fmin(1, middle + half) : 1,
                      .count = trials < INT32_MAX ? (int32_t)trials : INT32_MAX,
                      .confidence = confidence};
}

/* The number of independent trials that would have the spread of the runs' mean share, reduced by
 * (z / t)^2 because few runs state their spread badly (E. L. Korn, B. I. Graubard, Survey
 * Methodology 24, 1998). */
static double effective_trials(const double *shares, const int64_t *jobs, int32_t count,
                               double level)
{
    double all = 0;
    for (int32_t i = 0; i < count; i++)
        all += (double)jobs[i];
    double mean = statistics_mean(shares, count);
    double of_runs = count >= 2 ? statistics_variance(shares, count) / count : 0;
    double of_jobs = mean * (1 - mean) / all;
    if (of_jobs <= 0 || count < 2)
        return count; // one run, or equal shares: each run counts as one trial
    double effect = of_runs / of_jobs;
    double ratio = normal_quantile(level) / student_quantile(level, count - 1);
    return fmax(1, all / fmax(1, effect) * ratio * ratio);
}

Interval estimate_share(const double *shares, const int64_t *jobs, int32_t count, double confidence)
{
    Estimate mean = estimate_mean(shares, count, confidence);
    bool is_constant = mean.mean <= 0 || mean.mean >= 1;
    if (count >= 10 && !is_constant) {
        Interval interval = estimate_interval(&mean);
        interval.low = fmax(0, interval.low);
        interval.high = fmin(1, interval.high);
        return interval;
    }
    double trials = effective_trials(shares, jobs, count, upper_level(confidence));
    Interval interval = estimate_wilson(fmin(1, fmax(0, mean.mean)) * trials, trials, confidence);
    interval.count = count;
    return interval;
}

double estimate_unseen(double trials, double confidence)
{
    invariant(trials > 0);
    return 1 - random_exp(random_log((1 - confidence) / 2) / trials);
}

double estimate_relative_half_width(const Estimate *estimate)
{
    if (estimate->half_width == 0)
        return 0;
    return estimate->half_width / fabs(estimate->mean);
}

Interval estimate_interval(const Estimate *estimate)
{
    return (Interval){.value = estimate->mean,
                      .low = estimate->mean - estimate->half_width,
                      .high = estimate->mean + estimate->half_width,
                      .count = estimate->count,
                      .confidence = estimate->confidence};
}
