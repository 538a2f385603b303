#include "sim/study/statistics/steady.h"

#include <math.h>

#include "sim/base/arena.h"
#include "sim/base/invariant.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

static const char *const mark_words[] = {
    [STEADY_GOOD] = "",
    [STEADY_TOO_SHORT] = "run too short",
    [STEADY_NO_END] = "run too short: the warm-up does not end in its first half",
    [STEADY_CORRELATED] = "run too short: the means of its parts still depend on each other",
    [STEADY_UNSTABLE] = "unstable: the queue grows until the end",
};

const char *steady_words(SteadyMark mark)
{
    return mark_words[mark];
}

static double mean_of(const double *values, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* --- Warm-up --- */

enum { MSER_BATCH = 5, MSER_BATCHES_LEAST = 10 };

WarmUp steady_mser5(const double *series, int64_t count)
{
    const int64_t batches = count / MSER_BATCH;
    if (batches < MSER_BATCHES_LEAST)
        return (WarmUp){.mark = STEADY_TOO_SHORT};
    // From the end on: the mean and the sum of squares of the batches from d on (B. P. Welford,
    // Technometrics 4, 1962). The last 5 batches are too few to say anything.
    double mean = 0, squares = 0, least = INFINITY;
    int64_t best = 0;
    for (int64_t d = batches - 1; d >= 0; d--) {
        const double n = (double)(batches - d);
        double batch = mean_of(series + d * MSER_BATCH, MSER_BATCH);
        double change = batch - mean;
        mean += change / n;
        squares += change * (batch - mean);
        double statistic = squares / (n * n);
        if (batches - d > 5 && statistic <= least) {
            least = statistic;
            best = d;
        }
    }
    return (WarmUp){.deleted = best * MSER_BATCH,
                    .mark = 2 * best > batches ? STEADY_NO_END : STEADY_GOOD};
}

void steady_mean_series(const double *const *runs, int32_t run_count, int64_t count, double *mean)
{
    invariant(run_count >= 1);
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int32_t r = 0; r < run_count; r++)
            sum += runs[r][i];
        mean[i] = sum / run_count;
    }
}

/* --- Replications --- */

Replications steady_replications(const double *const *runs, int32_t run_count, int64_t count,
                                 double relative, double confidence)
{
    invariant(run_count >= 2);
    Arena *scratch = arena_create();
    double *series = ARENA_ARRAY(scratch, double, count);
    double *means = ARENA_ARRAY(scratch, double, run_count);
    steady_mean_series(runs, run_count, count, series);
    Replications result = {.warm_up = steady_mser5(series, count)};
    const int64_t kept = count - result.warm_up.deleted;
    for (int32_t r = 0; r < run_count; r++)
        means[r] = mean_of(runs[r] + result.warm_up.deleted, kept);
    result.estimate = estimate_mean(means, run_count, confidence);
    result.variance = statistics_variance(means, run_count) * (double)kept;
    const double ratio = estimate_relative_half_width(&result.estimate) / relative;
    result.needed = ratio * ratio * (double)kept * run_count;
    result.mark = result.warm_up.mark;
    if (result.mark == STEADY_GOOD && ratio > 1)
        result.mark = STEADY_TOO_SHORT;
    arena_destroy(scratch);
    return result;
}

/* --- Batch means --- */

enum { BATCH_VALUES_LEAST = 10 };

static double lag1_correlation(const double *values, int32_t count)
{
    double mean = statistics_mean(values, count), products = 0, squares = 0;
    for (int32_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
        if (i > 0)
            products += (values[i] - mean) * (values[i - 1] - mean);
    }
    return squares > 0 ? products / squares : 0;
}

/* The means of `batches` equal pieces of the series. The values that are left over are at its
 * beginning, nearest to the warm-up. */
static double *batch_series(Arena *arena, const double *series, int64_t count, int32_t batches)
{
    const int64_t size = count / batches;
    double *means = ARENA_ARRAY(arena, double, batches);
    series += count - size * batches;
    for (int32_t b = 0; b < batches; b++)
        means[b] = mean_of(series + b * size, size);
    return means;
}

BatchMeans steady_of_batches(const double *means, int32_t batches, int64_t size, double confidence)
{
    invariant(batches >= 2);
    BatchMeans result = {
        .estimate = estimate_mean(means, batches, confidence),
        .lag1 = lag1_correlation(means, batches),
        .lag1_limit = normal_quantile(0.95) / sqrt(batches) - 1.0 / batches,
        .variance = statistics_variance(means, batches) * (double)size,
    };
    if (size < BATCH_VALUES_LEAST)
        result.mark = STEADY_TOO_SHORT;
    else if (result.lag1 > result.lag1_limit)
        result.mark = STEADY_CORRELATED;
    return result;
}

BatchMeans steady_batch_means(const double *series, int64_t count, int32_t batches,
                              double confidence)
{
    invariant(batches >= 2);
    if (count / batches < BATCH_VALUES_LEAST)
        return (BatchMeans){.estimate = {.mean = count > 0 ? mean_of(series, count) : NAN,
                                         .half_width = INFINITY,
                                         .confidence = confidence},
                            .mark = STEADY_TOO_SHORT};
    Arena *scratch = arena_create();
    const BatchMeans result = steady_of_batches(batch_series(scratch, series, count, batches),
                                                batches, count / batches, confidence);
    arena_destroy(scratch);
    return result;
}

/* --- Drift --- */

enum { DRIFT_BATCHES = 20 };

/* The line of least squares through (0, means[0]), (1, means[1]), ...: its slope and the slope's
 * standard error. */
static void fit_line(const double *means, int32_t count, double *slope, double *error)
{
    const double middle = (count - 1) / 2.0, mean = statistics_mean(means, count);
    double spread = 0, products = 0, squares = 0;
    for (int32_t i = 0; i < count; i++) {
        spread += (i - middle) * (i - middle);
        products += (i - middle) * (means[i] - mean);
    }
    *slope = products / spread;
    for (int32_t i = 0; i < count; i++) {
        double rest = means[i] - mean - *slope * (i - middle);
        squares += rest * rest;
    }
    *error = sqrt(squares / (count - 2) / spread);
}

Drift steady_drift(const double *series, int64_t count, double confidence)
{
    const int64_t half = count - count / 2, size = half / DRIFT_BATCHES;
    Drift drift = {.slope = NAN, .error = NAN, .confidence = confidence, .mark = STEADY_TOO_SHORT};
    if (size < 1)
        return drift;
    Arena *scratch = arena_create();
    const double *means = batch_series(scratch, series + count / 2, half, DRIFT_BATCHES);
    fit_line(means, DRIFT_BATCHES, &drift.slope, &drift.error);
    bool grows = drift.slope > student_quantile(confidence, DRIFT_BATCHES - 2) * drift.error;
    drift.mark = grows ? STEADY_UNSTABLE : STEADY_GOOD;
    drift.slope /= (double)size;
    drift.error /= (double)size;
    arena_destroy(scratch);
    return drift;
}
