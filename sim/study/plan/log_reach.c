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

/* The mean of the replications, and half of the interval that their spread gives. */
static double reach_of(const PlanNumbers *numbers, int32_t candidate, int32_t check, int32_t first,
                       Interval *interval)
{
    const double pieces = (double)numbers->grid->study->piece_count;
    const int32_t count = interval->count;
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, count);
    plan_check_values(numbers, candidate, check, first, count, values);
    interval->value = statistics_mean(values, count);
    const double error = sqrt(statistics_variance(values, count) * pieces / (pieces - 1));
    arena_destroy(scratch);
    const double freedom = fmin(pieces, count) - 1;
    return error * student_quantile(1 - (1 - interval->confidence) / 2, freedom);
}

LogReach log_reach(const PlanNumbers *numbers, int32_t candidate, int32_t check, int32_t first,
                   int32_t count)
{
    const Study *study = numbers->grid->study;
    const StudyMetric *metric =
        &study->metrics[plan_check_constraint(numbers->grid, check)->metric];
    const int32_t weather = plan_check_weather(numbers->grid, check);
    LogReach found = {{(double)NAN, (double)NAN, (double)NAN, count, study->goal->confidence},
                      (double)INFINITY};
    Interval *interval = &found.interval;
    if (study->piece_count < 2 || count < 2)
        return found;
    const double reach = reach_of(numbers, candidate, check, first, interval);
    if (isnan(interval->value))
        return found;
    if (metric->kind == MEASURE_SHARE) {
        found.jobs = jobs_of_run(numbers, metric,
                                 plan_point(numbers->grid, candidate, weather < 0 ? 0 : weather),
                                 first, count);
        if (found.jobs > 0)
            put_share(interval, reach, found.jobs);
        return found;
    }
    interval->high = interval->value + reach;
    interval->low = interval->value - reach;
    metric_interval_cut(metric->kind, &interval->low, &interval->high);
    return found;
}

double log_margin(void *numbers, int32_t candidate, int32_t check, int32_t first, int32_t count)
{
    const PlanNumbers *of = numbers;
    const GoalConstraint *limit = plan_check_constraint(of->grid, check);
    const LogReach reach = log_reach(of, candidate, check, first, count);
    const bool is_least = limit->side == LIMIT_AT_LEAST;
    if (isnan(reach.interval.value) ||
        (!is_least && plan_check_is_lower_bound(of, candidate, check, first, count)))
        return -(double)INFINITY;
    return is_least ? reach.interval.low - limit->limit : limit->limit - reach.interval.high;
}
