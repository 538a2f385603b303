#include "sim/study/plan/reach.h"

#include <math.h>

#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/estimate.h"
#include "sim/study/statistics/sample.h"

/* The replications of the findings that count most. */
typedef struct {
    int32_t first, count;
} Runs;

static Runs runs_of(const PlanOutcome *outcome, int32_t candidate)
{
    const PlanCandidate *own = &outcome->candidates[candidate];
    return (Runs){own->fresh.run_count > 0 ? outcome->fresh_first : 0,
                  plan_findings(own)->run_count};
}

/* --- Single periods --- */

/* 1: the run misses a limit; 0: it meets all; -1: not known. */
static int32_t misses(const PlanOutcome *outcome, int32_t point, int32_t replication)
{
    const Results *results = outcome->study.findings.results;
    const RunRecord record = results_record(results, results->study, point, replication);
    for (int32_t i = 0; i < outcome->goal->constraint_count; i++) {
        const GoalConstraint *limit = &outcome->goal->constraints[i];
        const double value = record.values[limit->metric];
        const bool is_bound = record.flags[limit->metric] & RUN_VALUE_IS_LOWER_BOUND;
        if (isnan(value) || (limit->side == LIMIT_AT_MOST && is_bound && value <= limit->limit))
            return -1;
        if (limit->side == LIMIT_AT_LEAST ? value < limit->limit : value > limit->limit)
            return 1;
    }
    return 0;
}

SinglePeriods single_periods_of(const PlanOutcome *outcome, int32_t candidate)
{
    const Runs runs = runs_of(outcome, candidate);
    SinglePeriods found = {0};
    for (int32_t w = 0; w < outcome->grid->weather_count; w++)
        for (int32_t r = runs.first; r < runs.first + runs.count; r++) {
            const int32_t point = plan_point(outcome->grid, candidate, w);
            const int32_t missed = results_have(outcome->study.findings.results, point, r)
                                       ? misses(outcome, point, r)
                                       : -1;
            found.run_count += missed >= 0;
            found.missed_count += missed > 0;
        }
    return found;
}

/* --- The log --- */

/* The jobs of a share in a run, in the mean. */
static double jobs_of_run(const PlanOutcome *outcome, const StudyMetric *metric, int32_t point,
                          Runs runs)
{
    double jobs = 0;
    for (int32_t r = runs.first; r < runs.first + runs.count; r++) {
        const double own = results_value(outcome->study.findings.results, point, metric->part, r);
        jobs += own > 0 ? own : 0;
    }
    return jobs / runs.count;
}

/* `reach` is half of the interval that the spread of the runs gives. */
static void put_share(PlanEstimate *interval, double reach, double jobs, double confidence)
{
    const double share = fmin(1, fmax(0, interval->value)), of_one = share * (1 - share);
    const double z = normal_quantile(1 - (1 - confidence) / 2);
    const double worth =
        reach > 0 && of_one > 0 ? fmin(jobs, of_one * z * z / (reach * reach)) : jobs;
    const Interval wilson = estimate_wilson(share * worth, worth, confidence);
    interval->low = wilson.low;
    interval->high = wilson.high;
}

LogReach reach_of_log(const PlanOutcome *outcome, int32_t candidate, int32_t check)
{
    const Study *study = outcome->grid->study;
    const PlanNumbers numbers = {outcome->grid, outcome->study.findings.results};
    const StudyMetric *metric =
        &study->metrics[plan_check_constraint(outcome->grid, check)->metric];
    const int32_t weather = plan_check_weather(outcome->grid, check);
    const double confidence = outcome->goal->confidence;
    const Runs runs = runs_of(outcome, candidate);
    LogReach found = {{(double)NAN, (double)NAN, (double)NAN, runs.count}, (double)INFINITY};
    PlanEstimate *interval = &found.interval;
    if (study->piece_count < 2 || runs.count < 2)
        return found;
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, runs.count);
    plan_check_values(&numbers, candidate, check, runs.first, runs.count, values);
    interval->value = statistics_mean(values, runs.count);
    const double pieces = (double)study->piece_count;
    const double error = sqrt(statistics_variance(values, runs.count) * pieces / (pieces - 1));
    arena_destroy(scratch);
    if (isnan(interval->value))
        return found;
    const double freedom = fmin(pieces, runs.count) - 1;
    const double reach = error * student_quantile(1 - (1 - confidence) / 2, freedom);
    if (metric->kind == MEASURE_SHARE) {
        found.jobs = jobs_of_run(
            outcome, metric, plan_point(outcome->grid, candidate, weather < 0 ? 0 : weather), runs);
        if (found.jobs > 0)
            put_share(interval, reach, found.jobs, confidence);
        return found;
    }
    interval->high = interval->value + reach;
    interval->low = interval->value - reach;
    if (interval->value >= 0) // times, counts and costs are not below 0
        interval->low = fmax(0, interval->low);
    return found;
}
