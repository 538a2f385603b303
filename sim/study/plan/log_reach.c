#include "sim/study/plan/log_reach.h"

#include <math.h>

#include "sim/study/point_estimate.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"

/* The jobs of a share in a run, in the mean. */
static double jobs_of_run(const PlanNumbers *numbers, const StudyMetric *metric, int32_t point,
                          int32_t first, int32_t count)
{
    double jobs = 0;
    for (int32_t r = first; r < first + count; r++) {
        const double own = results_value(numbers->results, point, metric->part, r);
        jobs += own > 0 ? own : 0;
    }
    return jobs / count;
}

/* How replications of one metric become an interval. */
typedef struct {
    const StudyMetric *metric;
    double jobs; /* of a share: those of a run */
    double pieces, freedom, confidence;
} Rule;

/* `reach` is half of the interval that the spread of the runs gives. */
static void put_share(Interval *interval, double reach, double jobs)
{
    const double share = fmin(1, fmax(0, interval->value)), of_one = share * (1 - share);
    const double z = normal_quantile(1 - (1 - interval->confidence) / 2);
    const double worth =
        reach > 0 && of_one > 0 ? fmin(jobs, of_one * z * z / (reach * reach)) : jobs;
    const Interval wilson = estimate_wilson(share * worth, worth, interval->confidence);
    interval->low = wilson.low;
    interval->high = wilson.high;
}

static Interval interval_of(const Rule *rule, const double *values, int32_t count)
{
    Interval interval = {statistics_mean(values, count), (double)NAN, (double)NAN, count,
                         rule->confidence};
    if (isnan(interval.value))
        return interval;
    const double error =
        sqrt(statistics_variance(values, count) * rule->pieces / (rule->pieces - 1));
    const double reach = error * student_quantile(1 - (1 - rule->confidence) / 2, rule->freedom);
    if (rule->metric->kind != MEASURE_SHARE) {
        interval.low = interval.value - reach;
        interval.high = interval.value + reach;
        metric_interval_cut(rule->metric->kind, &interval.low, &interval.high);
    } else if (rule->jobs > 0) {
        put_share(&interval, reach, rule->jobs);
    }
    return interval;
}

static Rule rule_of(const PlanNumbers *numbers, int32_t candidate, int32_t check, int32_t first,
                    int32_t count)
{
    const Study *study = numbers->grid->study;
    const StudyMetric *metric =
        &study->metrics[plan_check_constraint(numbers->grid, check)->metric];
    const int32_t weather = plan_check_weather(numbers->grid, check);
    const double pieces = (double)study->piece_count;
    Rule rule = {metric, (double)INFINITY, pieces, fmin(pieces, count) - 1,
                 study->goal->confidence};
    if (metric->kind == MEASURE_SHARE)
        rule.jobs = jobs_of_run(numbers, metric,
                                plan_point(numbers->grid, candidate, weather < 0 ? 0 : weather),
                                first, count);
    return rule;
}

LogReach log_reach(const PlanNumbers *numbers, int32_t candidate, int32_t check, int32_t first,
                   int32_t count)
{
    const Study *study = numbers->grid->study;
    LogReach found = {{(double)NAN, (double)NAN, (double)NAN, count, study->goal->confidence},
                      (double)INFINITY};
    if (study->piece_count < 2 || count < 2)
        return found;
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, count);
    plan_check_values(numbers, candidate, check, first, count, values);
    const Rule rule = rule_of(numbers, candidate, check, first, count);
    found.interval = interval_of(&rule, values, count);
    found.jobs = rule.jobs;
    arena_destroy(scratch);
    return found;
}

/* --- Margins --- */

static double margin_of(const GoalConstraint *limit, const Rule *rule, const double *values,
                        int32_t count)
{
    const Interval interval = interval_of(rule, values, count);
    return limit->side == LIMIT_AT_LEAST ? interval.low - limit->limit
                                         : limit->limit - interval.high;
}

/* The jackknife's standard error of the margin. `values` are the same afterwards. */
static double error_of(const GoalConstraint *limit, const Rule *rule, double *values, int32_t count)
{
    if (count < 3)
        return (double)INFINITY;
    Arena *scratch = arena_create();
    double *without = ARENA_ARRAY(scratch, double, count);
    for (int32_t r = 0; r < count; r++) {
        const double own = values[r];
        values[r] = values[count - 1];
        without[r] = margin_of(limit, rule, values, count - 1);
        values[r] = own;
    }
    const double variance = statistics_variance(without, count);
    arena_destroy(scratch);
    return (count - 1) * sqrt(variance / count);
}

SureMargin log_margin(void *numbers, int32_t candidate, int32_t check, int32_t first, int32_t count)
{
    const PlanNumbers *of = numbers;
    const GoalConstraint *limit = plan_check_constraint(of->grid, check);
    SureMargin found = {-(double)INFINITY, 0};
    if (limit->side == LIMIT_AT_MOST &&
        plan_check_is_lower_bound(of, candidate, check, first, count))
        return found;
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, count);
    plan_check_values(of, candidate, check, first, count, values);
    if (!isnan(statistics_mean(values, count))) {
        const Rule rule = rule_of(of, candidate, check, first, count);
        found.margin = margin_of(limit, &rule, values, count);
        found.error = error_of(limit, &rule, values, count);
    }
    arena_destroy(scratch);
    return found;
}
