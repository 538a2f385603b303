#include "sim/study/point_estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/base/units.h"
#include "sim/study/statistics/bootstrap.h"
#include "sim/study/statistics/compare.h"
#include "sim/study/statistics/forecast.h"
#include "sim/study/statistics/order_values.h"
#include "sim/study/statistics/sample.h"
#include "sim/study/statistics/words.h"

/* --- The difference to the baseline --- */

/* The values of both points in the replications in which both are known; returns their number. */
static int32_t pairs_of(const Results *results, int32_t metric, int32_t point, int32_t baseline,
                        int32_t count, double *own, double *other)
{
    int32_t pair_count = 0;
    for (int32_t r = 0; r < count; r++) {
        own[pair_count] = results_value(results, point, metric, r);
        other[pair_count] = results_value(results, baseline, metric, r);
        pair_count += !isnan(own[pair_count]) && !isnan(other[pair_count]);
    }
    return pair_count;
}

/* The difference of points whose runs have nothing in common. */
static void compare_independent(const Results *results, int32_t metric, int32_t point,
                                int32_t baseline, int32_t count, Arena *scratch,
                                MetricEstimate *estimate)
{
    int32_t lower_bounds;
    double *own = ARENA_ARRAY(scratch, double, count + 1);
    double *other = ARENA_ARRAY(scratch, double, count + 1);
    const int32_t own_count = results_values(results, point, metric, count, own, &lower_bounds);
    const int32_t other_count =
        results_values(results, baseline, metric, count, other, &lower_bounds);
    if (own_count < 2 || other_count < 2)
        return;
    const Welch welch = compare_welch(own, own_count, other, other_count, STUDY_CONFIDENCE);
    estimate->difference = welch.difference.mean;
    estimate->difference_half_width = welch.difference.half_width;
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

/* --- The value and its interval --- */

void metric_interval_cut(MeasureKind kind, double *low, double *high)
{
    const bool is_part = kind == MEASURE_SHARE || kind == MEASURE_FRACTION;
    if (isfinite(*low) && *low < 0)
        *low = 0;
    if (is_part && isfinite(*high) && *high > 1)
        *high = 1;
}

/* The runs in which a metric is known. */
typedef struct {
    const Results *results;
    const StudyMetric *metric;
    int32_t point, count;
    const double *values;       /* [count] */
    const int32_t *replication; /* [count] */
    Arena *scratch;
} Sample;

static double quantile_of(const Sample *sample)
{
    return (double)sample->metric->quantile_ppb / 1e9;
}

static double part_of(const Sample *sample, int32_t run, int32_t part)
{
    return results_value(sample->results, sample->point, sample->metric->part + part,
                         sample->replication[run]);
}

static Interval mean_interval(const Sample *sample, char *note)
{
    (void)note;
    return estimate_skewed_mean(sample->values, sample->count, STUDY_CONFIDENCE);
}

static Interval fraction_interval(const Sample *sample, char *note)
{
    (void)note;
    const Estimate mean = estimate_mean(sample->values, sample->count, STUDY_CONFIDENCE);
    Interval interval = estimate_interval(&mean);
    metric_interval_cut(sample->metric->kind, &interval.low, &interval.high);
    return interval;
}

static Interval share_interval(const Sample *sample, char *note)
{
    (void)note;
    int64_t *jobs = ARENA_ARRAY(sample->scratch, int64_t, sample->count);
    for (int32_t i = 0; i < sample->count; i++) {
        const double known = part_of(sample, i, 0);
        jobs[i] = known >= 1 ? (int64_t)known : 1;
    }
    return estimate_share(sample->values, jobs, sample->count, STUDY_CONFIDENCE);
}

/* The neighbours among many runs are merged into sections, and of the sorted values of a run or
 * section about so many are kept: memory and time have a bound, however many runs and jobs there
 * are. */
enum { SECTIONS_MAX = 100, VALUES_MAX = 2000 };

static RunValues pooled_run(const Sample *sample, int32_t run, int64_t jobs_a_value, Arena *arena)
{
    int64_t ranks[METRIC_ORDER_RANKS];
    double times[METRIC_ORDER_RANKS];
    const int64_t jobs = (int64_t)part_of(sample, run, 0);
    for (int32_t i = 0; i < METRIC_ORDER_RANKS; i++) {
        ranks[i] = metric_order_rank(i, quantile_of(sample), jobs);
        times[i] = part_of(sample, run, 1 + i);
    }
    const OrderedTimes ordered = {jobs, METRIC_ORDER_RANKS, ranks, times};
    return order_values(arena, &ordered, jobs_a_value);
}

/* The values of runs `first` to `end` - 1 together. Lives in `arena`. */
static RunValues section_of(const Sample *sample, int32_t first, int32_t end, double jobs_a_run,
                            Arena *arena)
{
    const int64_t jobs_a_value = (int64_t)(jobs_a_run / VALUES_MAX) + 1;
    if (end - first == 1)
        return pooled_run(sample, first, jobs_a_value, arena);
    Arena *scratch = arena_create();
    RunValues *runs = ARENA_ARRAY(scratch, RunValues, end - first);
    int64_t total = 0, filled = 0;
    for (int32_t r = first; r < end; r++) {
        runs[r - first] = pooled_run(sample, r, jobs_a_value, scratch);
        total += runs[r - first].count;
    }
    double *values = ARENA_ARRAY(scratch, double, total);
    for (int32_t r = 0; r < end - first; r++)
        for (int64_t i = 0; i < runs[r].count; i++)
            values[filled++] = runs[r].sorted[i];
    statistics_sort(values, (int32_t)total);
    const double runs_a_section = (double)sample->count / SECTIONS_MAX;
    const double values_a_section = jobs_a_run / (double)jobs_a_value * runs_a_section;
    const RunValues section =
        thinned_values(arena, values, total, (int64_t)(values_a_section / VALUES_MAX) + 1);
    arena_destroy(scratch);
    return section;
}

static Interval percentile_interval(const Sample *sample, char *note)
{
    const int32_t count = sample->count < SECTIONS_MAX ? sample->count : SECTIONS_MAX;
    RunValues *sections = ARENA_ARRAY(sample->scratch, RunValues, count);
    double jobs = 0;
    for (int32_t i = 0; i < sample->count; i++)
        jobs += part_of(sample, i, 0);
    for (int64_t s = 0; s < count; s++)
        sections[s] = section_of(sample, (int32_t)(s * sample->count / count),
                                 (int32_t)((s + 1) * sample->count / count), jobs / sample->count,
                                 sample->scratch);
    Interval interval = pooled_quantile_bounds(sections, count, quantile_of(sample),
                                               STUDY_CONFIDENCE, sample->scratch);
    interval.count = sample->count;
    if (!isfinite(interval.low) || !isfinite(interval.high))
        snprintf(note, NOTE_SIZE, "%" PRId32 " run%s too few for p%.4g at %.0f %%", sample->count,
                 sample->count == 1 ? " is" : "s are", quantile_of(sample) * 100,
                 STUDY_CONFIDENCE * 100);
    return interval;
}

static Interval ratio_interval(const Sample *sample, char *note)
{
    double *above = ARENA_ARRAY(sample->scratch, double, sample->count);
    double *below = ARENA_ARRAY(sample->scratch, double, sample->count);
    for (int32_t i = 0; i < sample->count; i++) {
        above[i] = part_of(sample, i, 0);
        below[i] = part_of(sample, i, 1);
    }
    const Ratio ratio = bootstrap_ratio(above, below, sample->count, STUDY_CONFIDENCE,
                                        sample->results->study->seeds.first, sample->scratch);
    snprintf(note, NOTE_SIZE, "%s", bootstrap_words(ratio.mark));
    return ratio.mark == RATIO_TOO_FEW ? estimate_interval(&ratio.jackknife) : ratio.bca;
}

/* The jobs that the first run measured. */
static double jobs_of_run(const Sample *sample)
{
    return results_value(sample->results, sample->point,
                         sample->results->study->steady_part + STEADY_JOBS, sample->replication[0]);
}

static Interval batch_interval(const Sample *sample, char *note)
{
    double means[STEADY_BATCHES];
    bool are_known = true;
    for (int32_t b = 0; b < STEADY_BATCHES; b++) {
        means[b] = results_value(sample->results, sample->point, sample->metric->batch + b,
                                 sample->replication[0]);
        are_known &= !isnan(means[b]);
    }
    const BatchMeans found = steady_of_batches(
        means, STEADY_BATCHES, (int64_t)(jobs_of_run(sample) / STEADY_BATCHES), STUDY_CONFIDENCE);
    if (are_known && found.mark == STEADY_GOOD)
        return estimate_interval(&found.estimate);
    snprintf(note, NOTE_SIZE, "%s", steady_words(are_known ? found.mark : STEADY_TOO_SHORT));
    return (Interval){.value = sample->values[0],
                      .low = -(double)INFINITY,
                      .high = (double)INFINITY,
                      .count = 1,
                      .confidence = STUDY_CONFIDENCE};
}

typedef struct {
    const char *method;
    Interval (*interval)(const Sample *sample, char *note);
} Estimator;

static const Estimator of_batches = {"batches", batch_interval};
static const Estimator estimators[] = {
    [MEASURE_MEAN] = {"t, skew", mean_interval},
    [MEASURE_FRACTION] = {"t in 0..1", fraction_interval},
    [MEASURE_SHARE] = {"share", share_interval},
    [MEASURE_PERCENTILE] = {"pooled", percentile_interval},
    [MEASURE_RATIO] = {"bootstrap", ratio_interval},
};

/* The percentile of a run that ends is a number of that run, such as the p95 of a day. */
static const Estimator *estimator_of(const Sample *sample)
{
    const MeasureKind kind = sample->metric->kind;
    const Horizon *horizon = &sample->results->study->horizon;
    if (horizon->method == STEADY_BY_BATCHES)
        return &of_batches;
    return &estimators[kind == MEASURE_PERCENTILE && horizon->kind == HORIZON_TERMINATING
                           ? MEASURE_MEAN
                           : kind];
}

static Sample sample_of(const Results *results, int32_t metric, int32_t point, int32_t count,
                        Arena *scratch)
{
    double *values = ARENA_ARRAY(scratch, double, count);
    int32_t *replication = ARENA_ARRAY(scratch, int32_t, count);
    int32_t known = 0;
    for (int32_t r = 0; r < count; r++) {
        values[known] = results_value(results, point, metric, r);
        replication[known] = r;
        known += !isnan(values[known]);
    }
    return (Sample){.results = results,
                    .metric = &results->study->metrics[metric],
                    .point = point,
                    .count = known,
                    .values = values,
                    .replication = replication,
                    .scratch = scratch};
}

/* Half of the interval of the first `count` replications; INFINITY: a bound is not known, or the
 * metric is unknown in one of the runs. `*value` is the estimate. */
static double metric_half_width(const Results *results, int32_t metric, int32_t point,
                                int32_t count, double *value)
{
    char note[NOTE_SIZE];
    double half_width = (double)INFINITY;
    Arena *scratch = arena_create();
    const Sample sample = sample_of(results, metric, point, count, scratch);
    const Estimator *estimator = estimator_of(&sample);
    if (sample.count == count && count >= (estimator == &of_batches ? 1 : 2)) {
        const Interval interval = estimator->interval(&sample, note);
        *value = interval.value;
        half_width = (interval.high - interval.low) / 2;
    }
    arena_destroy(scratch);
    return half_width;
}

double rule_excess(const Results *results, const StopRule *rule, int32_t point, int32_t count)
{
    double value;
    const double half_width = metric_half_width(results, rule->metric, point, count, &value);
    if (half_width == 0 || isinf(half_width))
        return half_width;
    return rule->width_ppm > 0 ? half_width / fabs(value) * (double)PPM / (double)rule->width_ppm
                               : half_width / ((double)rule->width_nano / 1e9);
}

/* --- Steady studies --- */

static void drop_interval(MetricEstimate *estimate)
{
    estimate->low = estimate->high = estimate->half_width = (double)NAN;
}

/* A pilot that was too short itself underestimates what is needed. */
static void put_too_short(MetricEstimate *estimate, double jobs, bool is_least)
{
    Text words = {0};
    if (is_least) {
        text_add(&words, "run too short: needs more than ");
        forecast_count_print(&words, jobs);
        text_add(&words, " jobs");
    } else {
        forecast_too_short_print(&words, jobs, "jobs");
    }
    snprintf(estimate->note, NOTE_SIZE, "%s", text_string(&words));
    text_free(&words);
    drop_interval(estimate);
}

/* The jobs that the first `count` runs measured. */
static double measured_jobs(const Results *results, int32_t point, int32_t count)
{
    double jobs = 0;
    for (int32_t r = 0; r < count; r++)
        jobs += results_value(results, point, results->study->steady_part + STEADY_JOBS, r);
    return jobs;
}

static void mark_steady(const Results *results, int32_t metric, int32_t point, int32_t count,
                        MetricEstimate *estimate)
{
    SteadyPlan plan;
    const SeedPlan *seeds = &results->study->seeds;
    if (!results_plan(results, point, 0, &plan))
        return;
    if (plan.mark == STEADY_UNSTABLE) {
        snprintf(estimate->note, NOTE_SIZE, "%s", steady_words(plan.mark));
        drop_interval(estimate);
        return;
    }
    if (plan.mark != STEADY_GOOD) {
        put_too_short(estimate, plan.needed_jobs, true);
        return;
    }
    for (int32_t i = 0; i < seeds->rule_count; i++) {
        if (seeds->rules[i].metric != metric)
            continue;
        const double excess = rule_excess(results, &seeds->rules[i], point, count);
        const bool is_told = isinf(excess) && estimate->note[0] != '\0'; // why there is no width
        if (excess > 1 && !is_told)
            put_too_short(estimate, excess * excess * measured_jobs(results, point, count), false);
    }
}

/* --- The interval of a point --- */

/* A value that is a lower bound has no upper one. */
static void add_interval(const Sample *sample, MetricEstimate *estimate)
{
    const Estimator *estimator = estimator_of(sample);
    Interval interval = estimator->interval(sample, estimate->note);
    metric_interval_cut(sample->metric->kind, &interval.low, &interval.high);
    estimate->method = estimator->method;
    estimate->value = interval.value;
    if (isfinite(interval.low))
        estimate->low = interval.low;
    if (isfinite(interval.high) && estimate->lower_bound_count == 0)
        estimate->high = interval.high;
    if (estimate->lower_bound_count > 0)
        snprintf(estimate->note, NOTE_SIZE,
                 "at least this: jobs still waited at the end of %" PRId32 " run%s",
                 estimate->lower_bound_count, plural(estimate->lower_bound_count));
    else if (sample->count == 1 && isnan(estimate->low) && estimate->note[0] == '\0')
        snprintf(estimate->note, NOTE_SIZE, "one run has no interval");
}

/* --- The whole --- */

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
    MetricEstimate estimate = {.value = unknown,
                               .low = unknown,
                               .high = unknown,
                               .method = "",
                               .mean = unknown,
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
    if (estimate.run_count > 0) {
        const Sample sample = sample_of(results, metric, point, count, scratch);
        describe(values, estimate.run_count, &estimate);
        add_interval(&sample, &estimate);
        mark_steady(results, metric, point, count, &estimate);
    }
    if (baseline != NO_POINT && results->study->seeds.is_independent)
        compare_independent(results, metric, point, baseline,
                            count < baseline_count ? count : baseline_count, scratch, &estimate);
    else if (baseline != NO_POINT)
        compare(results, metric, point, baseline, count < baseline_count ? count : baseline_count,
                scratch, &estimate);
    arena_destroy(scratch);
    return estimate;
}

void point_number_print(double mean, double half_width, double scale, Text *out)
{
    // Less is the rounding of sums: all values are equal.
    const bool has_width = isfinite(half_width) && half_width > 1e-12 * fabs(mean);
    const double shown = has_width ? half_width * scale : 0;
    words_number(out, mean * scale, shown);
    if (has_width) {
        text_add(out, " ± ");
        words_number(out, shown, shown);
    }
}

void point_interval_print(double value, double low, double high, double scale, Text *out)
{
    const double width = (high - low) / 2; // NAN: a bound is unknown
    const bool is_symmetrical = fabs((high - value) - (value - low)) <= 0.1 * (high - value);
    if (!(width > 0) || is_symmetrical) {
        point_number_print(value, width, scale, out);
        return;
    }
    const double shown = width * fabs(scale);
    words_number(out, value * scale, shown);
    text_add(out, " (");
    words_number(out, low * scale, shown);
    text_add(out, " to ");
    words_number(out, high * scale, shown);
    text_add(out, ")");
}

void point_estimate_print(const MetricEstimate *estimate, double scale, Text *out)
{
    if (estimate->lower_bound_count > 0)
        text_add(out, ">= ");
    point_interval_print(estimate->value, estimate->low, estimate->high, scale, out);
}
