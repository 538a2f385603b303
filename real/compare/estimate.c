#include "real/compare/estimate.h"

#include <math.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/study/statistics/sample.h"

/* Each tail of an interval of 95 %. */
static const double confidence = 0.975;

enum { BATCH = 5, BATCHES_MIN = 4 };

static double median_of_batch(const double *values)
{
    double sorted[BATCH];
    memcpy(sorted, values, sizeof sorted);
    statistics_sort(sorted, BATCH);
    return sorted[BATCH / 2];
}

int64_t estimate_warmup(const double *values, int64_t count)
{
    const int64_t batches = count / BATCH;
    int64_t best = 0;
    double best_error = INFINITY, mean = 0, squares = 0;
    // The loop starts at the end and adds one batch at a time; `squares` is the sum of squared
    // deviations.
    for (int64_t kept = 1; batches >= BATCHES_MIN && kept <= batches; kept++) {
        const double value = median_of_batch(values + (batches - kept) * BATCH);
        const double deviation = value - mean;
        mean += deviation / (double)kept;
        squares += deviation * (value - mean);
        const double error = squares / (double)(kept * kept);
        if (2 * kept >= batches && error <= best_error) { // the shorter cut if errors are equal
            best_error = error;
            best = batches - kept;
        }
    }
    return 2 * (batches - best) <= batches + 1 ? 0 : best * BATCH;
}

/* --- The number of independent values --- */

/* The autocovariance of a series that is 1 above the median and 0 below, minus its mean. */
static double autocovariance(const double *above, int64_t count, int64_t lag)
{
    double sum = 0;
    for (int64_t i = 0; i + lag < count; i++)
        sum += above[i] * above[i + lag];
    return sum / (double)count;
}

/* At least 1: a series never counts as more than its number of independent values. */
static double correlation_time(Arena *arena, const double *values, int64_t count, double median)
{
    const int64_t lag_max = count / 4;
    double *above = ARENA_ARRAY(arena, double, count);
    double mean = 0;
    for (int64_t i = 0; i < count; i++)
        mean += (above[i] = values[i] > median) / (double)count;
    for (int64_t i = 0; i < count; i++)
        above[i] -= mean;
    const double variance = autocovariance(above, count, 0);
    double time = -1;
    for (int64_t lag = 0; variance > 0 && lag + 1 <= lag_max; lag += 2) {
        const double pair =
            autocovariance(above, count, lag) + autocovariance(above, count, lag + 1);
        if (pair <= 0)
            break;
        time += 2 * pair / variance;
    }
    return time > 1 ? time : 1;
}

/* --- Estimates --- */

/* Sets the interval of the median: the bounding order statistics of `effective` values, scaled to
 * positions among `count` values. */
static void bound(Estimate *estimate, const double *sorted, int64_t count)
{
    const int32_t effective = (int32_t)estimate->effective;
    const int32_t low =
        effective < 1 ? 0 : statistics_quantile_rank(effective, 0.5, confidence, BOUND_LOWER);
    estimate->low = sorted[0];
    estimate->high = sorted[count - 1];
    if (low == 0)
        return;
    // The two ranks are symmetric about the middle and are rounded outwards.
    const int64_t place = (int64_t)((double)low / (effective + 1) * (double)(count + 1));
    if (place >= 1) {
        estimate->low = sorted[place - 1];
        estimate->high = sorted[count - place];
    }
}

Estimate estimate_series(Arena *arena, const double *values, int64_t count, int64_t warmup)
{
    if (count == 0)
        return (Estimate){0};
    invariant(warmup >= 0 && warmup < count);
    const int64_t kept = count - warmup;
    const ArenaMark mark = arena_mark(arena);
    double *sorted = ARENA_ARRAY(arena, double, kept);
    memcpy(sorted, values + warmup, (size_t)kept * sizeof *sorted);
    statistics_sort(sorted, (int32_t)kept);
    Estimate estimate = {.runs = 1,
                         .count = count,
                         .warmup = warmup,
                         .median = statistics_median(sorted, (int32_t)kept)};
    estimate.effective =
        (double)kept / correlation_time(arena, values + warmup, kept, estimate.median);
    bound(&estimate, sorted, kept);
    arena_rewind(arena, mark);
    return estimate;
}

Estimate estimate_runs(Arena *arena, const Estimate *runs, int32_t count)
{
    invariant(count >= 1);
    Estimate all = {0};
    const Estimate *any = &runs[0];
    double *medians = ARENA_ARRAY(arena, double, count);
    for (int32_t i = 0; i < count; i++) {
        if (runs[i].runs == 0)
            continue;
        any = &runs[i];
        medians[all.runs++] = runs[i].median;
        all.count += runs[i].count;
        all.warmup += runs[i].warmup;
        all.effective += runs[i].effective;
    }
    if (all.runs < 2)
        return *any;
    statistics_sort(medians, all.runs);
    all.median = statistics_median(medians, all.runs);
    all.low = statistics_mean_bound(medians, all.runs, confidence, BOUND_LOWER);
    all.high = statistics_mean_bound(medians, all.runs, confidence, BOUND_UPPER);
    // Student's interval is around the mean and may not contain the median of a few values. It may
    // also begin below 0, but no duration is negative.
    all.low = all.low < 0 ? 0 : all.low < all.median ? all.low : all.median;
    all.high = all.high > all.median ? all.high : all.median;
    return all;
}
