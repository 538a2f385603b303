#include "sim/study/answer/reach.h"

#include <math.h>

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

LogReach reach_of_log(const PlanOutcome *outcome, int32_t candidate, int32_t check)
{
    const PlanNumbers numbers = {outcome->grid, outcome->study.findings.results};
    const Runs runs = runs_of(outcome, candidate);
    return log_reach(&numbers, candidate, check, runs.first, runs.count);
}

void reach_print_trend(Text *out, const Study *study)
{
    const Interval *trend = &study->piece_trend;
    text_add(out, "The log's demand changes by ");
    trend_print(out, trend, study->piece_ns);
    const double end = trend_end(trend, (double)study->piece_count);
    if (trend_is_sure(trend))
        text_printf(out,
                    ", and runs mix its pieces: at its end it is %.2f times its mean, as with load "
                    "%.2f.",
                    end, end);
    else
        text_add(out, ": whether it grows the log does not show.");
}
