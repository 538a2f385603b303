/* Estimates of a metric from the runs of a point: its value with an interval, the spread of the
 * runs, and the difference to the baseline.
 *
 * How the value is made depends on the kind of the metric:
 *
 *     mean, sum, count     t, skew      the mean of the runs (estimate_skewed_mean)
 *     part of something    t in 0..1    the same by t
 *     share of jobs        share        the mean of the runs (estimate_share: Wilson for few runs)
 *     percentile of jobs   t, skew      the mean of the runs' percentiles, such as the p95 of a day
 *       of a steady study  pooled       the percentile of the jobs of all runs together, bounded by
 *                                       its share (pooled_quantile_bounds): the mean of short runs'
 *                                       percentiles is too low for the long run
 *     by batch means       batches      the mean of the 30 parts of one long run
 *     ratio                bootstrap    the total above over the total below the line
 *
 * Intervals are cut at values that the metric cannot have (metric_interval_cut).
 *
 * The pooled percentile of days is not the mean of their percentiles: the pooled p95 covered the
 * mean of the days' p95 in 74.0 % of 100 studies of scenarios/workloads/poisson. The mean of the
 * runs' p95 by "t, skew" covers its own truth in 94 to 95 % of studies of 20 seeds
 * (tests/sim/study/coverage).
 *
 * A point of a steady study has no intervals if its queue grows, or if its pilot needs more jobs
 * than the study allows; a metric of "until" has none while it is wider than was asked for, because
 * runs too short to narrow it are too short to forget their empty start (steady_replications).
 *
 * An interval that does not hold is not stated; the note says why. */
#ifndef SIM_STUDY_POINT_ESTIMATE_H
#define SIM_STUDY_POINT_ESTIMATE_H

#include "sim/base/text.h"
#include "sim/study/results.h"
#include "sim/study/statistics/estimate.h"

#define STUDY_CONFIDENCE 0.95
enum { NOTE_SIZE = 120 };

/* Numbers are NAN when they are not known. */
typedef struct {
    double value;         /* as above */
    double low, high;     /* its interval at STUDY_CONFIDENCE */
    const char *method;   /* "t, skew", "t in 0..1", "share", "pooled", "bootstrap", "batches"; ""
                             without runs */
    char note[NOTE_SIZE]; /* why there is no interval, or what it does not have: "20 runs are too
                             few for p99 at 95 %"; "" */
    int32_t run_count;    /* runs in which the metric is known */
    int32_t lower_bound_count; /* of them: values that are only lower bounds. Then the mean and the
                                  quantiles are lower bounds too */
    double mean, half_width;   /* of the runs' values, by t, whatever the kind of the metric */
    double minimum, p05, p50, p95, maximum; /* of runs, by nearest rank */
    /* The mean of the differences to the baseline, run by run with the same seed; with independent
     * seeds the difference of the means by Welch's t, and no variance reduction. */
    double difference, difference_half_width;
    double variance_reduction; /* by common seeds: variance of the difference of independent runs,
                                  divided by that of these pairs */
} MetricEstimate;

/* The half-width of `rule` after the first `count` replications over its limit: at most 1 when it
 * is met. INFINITY: not known. */
double rule_excess(const Results *results, const StopRule *rule, int32_t point, int32_t count);

/* Estimates from the first `count` replications of `point`. `baseline` NO_POINT, or a point with
 * `baseline_count` replications; pairs are those of the smaller count. */
MetricEstimate metric_estimate(const Results *results, int32_t metric, int32_t point, int32_t count,
                               int32_t baseline, int32_t baseline_count);

/* Cuts the bounds of an interval of a metric of `kind` at values that it cannot have: no metric is
 * below 0, and no part above 1. Bounds that are not finite stay. */
void metric_interval_cut(MeasureKind kind, double *low, double *high);

/* "1,602 ± 120", of a mean times `scale` with its half-width; with two significant digits of the
 * half-width, or four of the mean without one. "unknown" for NAN. */
void point_number_print(double mean, double half_width, double scale, Text *out);
/* "1,602 ± 120" if both bounds are about equally far from the value, else "0.98 (0.93 to 0.99)".
 * All numbers are multiplied by `scale`. */
void point_interval_print(double value, double low, double high, double scale, Text *out);
/* The value with its interval, in the same form; ">= 1,602" for a lower bound. */
void point_estimate_print(const MetricEstimate *estimate, double scale, Text *out);

#endif
