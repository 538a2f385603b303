#include "sim/study/point_estimate.h"

#include <math.h>

#include "sim/study/statistics/compare.h"
#include "sim/study/statistics/sample.h"
#include "sim/study/statistics/words.h"

static double value_of(const Results *results, int32_t point, int32_t metric, int32_t replication)
{
    return results->points[point]
        .values[(size_t)replication * (size_t)results->metric_count + (size_t)metric];
}

/* The values of both points in the replications in which both are known; returns their number. */
static int32_t pairs_of(const Results *results, int32_t metric, int32_t point, int32_t baseline,
                        int32_t count, double *own, double *other)
{
    int32_t pair_count = 0;
    for (int32_t r = 0; r < count; r++) {
        own[pair_count] = value_of(results, point, metric, r);
        other[pair_count] = value_of(results, baseline, metric, r);
        pair_count += !isnan(own[pair_count]) && !isnan(other[pair_count]);
    }
    return pair_count;
}

static void compare(const Results *results, int32_t metric, int32_t point, int32_t baseline,
                    int32_t count, Arena *scratch, MetricEstimate *estimate)
{
    double *own = ARENA_ARRAY(scratch, double, count + 1);
    double *other = ARENA_ARRAY(scratch, double, count + 1);
    const int32_t pairs = pairs_of(results, metric, point, baseline, count, own, other);
    if (pairs < 2)
        return;
    const Paired paired = compare_paired(own, other, pairs, STUDY_CONFIDENCE);
    estimate->difference = paired.difference.mean;
    estimate->difference_half_width = paired.difference.half_width;
    estimate->variance_reduction = paired.variance_reduction;
}

static void describe(double *values, int32_t count, MetricEstimate *estimate)
{
    const Estimate mean = estimate_mean(values, count, STUDY_CONFIDENCE);
    estimate->mean = mean.mean;
    estimate->half_width = mean.half_width;
    statistics_sort(values, count);
    estimate->minimum = values[0];
    estimate->p05 = statistics_quantile(values, count, 0.05);
    estimate->p50 = statistics_quantile(values, count, 0.50);
    estimate->p95 = statistics_quantile(values, count, 0.95);
    estimate->maximum = values[count - 1];
}

MetricEstimate metric_estimate(const Results *results, int32_t metric, int32_t point, int32_t count,
                               int32_t baseline, int32_t baseline_count)
{
    const double unknown = (double)NAN;
    MetricEstimate estimate = {.mean = unknown,
                               .half_width = unknown,
                               .minimum = unknown,
                               .p05 = unknown,
                               .p50 = unknown,
                               .p95 = unknown,
                               .maximum = unknown,
                               .difference = unknown,
                               .difference_half_width = unknown,
                               .variance_reduction = unknown};
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, count);
    estimate.run_count =
        results_values(results, point, metric, count, values, &estimate.lower_bound_count);
    if (estimate.run_count > 0)
        describe(values, estimate.run_count, &estimate);
    if (baseline != NO_POINT)
        compare(results, metric, point, baseline, count < baseline_count ? count : baseline_count,
                scratch, &estimate);
    arena_destroy(scratch);
    return estimate;
}

void point_number_print(double mean, double half_width, double scale, Text *out)
{
    const bool has_width = isfinite(half_width) && half_width > 0;
    const double shown = has_width ? half_width * scale : 0;
    words_number(out, mean * scale, shown);
    if (has_width) {
        text_add(out, " ± ");
        words_number(out, shown, shown);
    }
}

void point_estimate_print(const MetricEstimate *estimate, double scale, Text *out)
{
    if (estimate->lower_bound_count > 0)
        text_add(out, ">= ");
    point_number_print(estimate->mean, estimate->half_width, scale, out);
}
