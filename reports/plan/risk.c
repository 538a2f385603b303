#include "reports/plan/risk.h"

#include <math.h>

#include "reports/text/labels.h"
#include "sim/study/answer/worst_run.h"
#include "sim/study/statistics/sample.h"

/* The known values of a metric in the stated runs, in rising order; returns their number. */
static int32_t values_of(const PlanFacts *facts, int32_t candidate, int32_t metric, double *values)
{
    const PlanOutcome *outcome = facts->outcome;
    const Results *results = outcome->study.findings.results;
    const RunRange runs = stated_runs(facts, candidate);
    int32_t count = 0;
    for (int32_t w = 0; w < outcome->grid->weather_count; w++) {
        const int32_t point = plan_point(outcome->grid, candidate, w);
        for (int32_t r = runs.first; r < runs.first + runs.count; r++) {
            if (!results_have(results, point, r))
                continue;
            values[count] = results_value(results, point, metric, r);
            count += !isnan(values[count]);
        }
    }
    if (count > 0)
        statistics_sort(values, count);
    return count;
}

static Interval quantile_of(const double *sorted, int32_t count, bool is_small_bad)
{
    return estimate_quantile(sorted, count, is_small_bad ? 0.05 : 0.95, STUDY_CONFIDENCE);
}

Risk risk_of(const PlanFacts *facts, int32_t candidate)
{
    const PlanOutcome *outcome = facts->outcome;
    const Goal *goal = outcome->goal;
    const RunRange runs = stated_runs(facts, candidate);
    double *values =
        ARENA_ARRAY(facts->arena, double, runs.count * outcome->grid->weather_count + 1);
    const WorstRun worst = worst_run_of(outcome, candidate);
    Risk risk = {.metric = goal->metric,
                 .is_small_bad = goal->is_maximised,
                 .worst_point = worst.point,
                 .worst_replication = worst.replication,
                 .sorted = values};
    int32_t count = values_of(facts, candidate, risk.metric, values);
    if (count > 0 && values[0] == values[count - 1] && worst.constraint >= 0) {
        const GoalConstraint *limit = &goal->constraints[worst.constraint];
        risk.metric = limit->metric;
        risk.is_small_bad = limit->side == LIMIT_AT_LEAST;
        count = values_of(facts, candidate, risk.metric, values);
    }
    if (worst.point == NO_POINT || count == 0 || values[0] == values[count - 1])
        return risk;
    risk.count = count;
    risk.p95 = quantile_of(values, count, risk.is_small_bad);
    risk.worst =
        results_value(outcome->study.findings.results, worst.point, risk.metric, worst.replication);
    return risk;
}

const char *risk_title(const PlanFacts *facts, const Risk *risk)
{
    const PlanOutcome *outcome = facts->outcome;
    const StudyMetric *metric = &outcome->grid->study->metrics[risk->metric];
    if (risk->metric == outcome->goal->metric)
        return objective_title(facts);
    return label_with_unit(facts->arena, metric_words(facts->arena, metric->name).noun,
                           answer_scale(outcome, risk->metric).unit);
}
