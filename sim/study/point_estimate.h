/* Estimates of a metric from the runs of a point: mean, spread, and the difference to the baseline.
 */
#ifndef SIM_STUDY_POINT_ESTIMATE_H
#define SIM_STUDY_POINT_ESTIMATE_H

#include "sim/base/text.h"
#include "sim/study/results.h"
#include "sim/study/statistics/estimate.h"

#define STUDY_CONFIDENCE 0.95

/* Numbers are NAN when they are not known. */
typedef struct {
    int32_t run_count;         /* runs in which the metric is known */
    int32_t lower_bound_count; /* of them: values that are only lower bounds. Then the mean and the
                                  quantiles are lower bounds too */
    double mean, half_width;
    double minimum, p05, p50, p95, maximum; /* of runs, by nearest rank */
    /* The mean of the differences to the baseline, run by run with the same seed. */
    double difference, difference_half_width;
    double variance_reduction; /* by common seeds: variance of the difference of independent runs,
                                  divided by that of these pairs */
} MetricEstimate;

/* Estimates from the first `count` replications of `point`. `baseline` NO_POINT, or a point with
 * `baseline_count` replications; pairs are those of the smaller count. */
MetricEstimate metric_estimate(const Results *results, int32_t metric, int32_t point, int32_t count,
                               int32_t baseline, int32_t baseline_count);

/* "1,602 ± 120", of a mean times `scale` with its half-width; with two significant digits of the
 * half-width, or four of the mean without one. "unknown" for NAN. */
void point_number_print(double mean, double half_width, double scale, Text *out);
/* The mean, with ">= " before a lower bound. */
void point_estimate_print(const MetricEstimate *estimate, double scale, Text *out);

#endif
