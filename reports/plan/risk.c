#include "reports/plan/risk.h"

#include <math.h>

#include "sim/study/plan/worst_run.h"
#include "sim/study/statistics/sample.h"

Risk risk_of(const PlanFacts *facts, int32_t candidate)
{
    const PlanOutcome *outcome = facts->outcome;
    const Results *results = outcome->study.findings.results;
    const RunRange runs = stated_runs(facts, candidate);
    const double sign = outcome->goal->is_maximised ? -1 : 1;
    double *values =
        ARENA_ARRAY(facts->arena, double, runs.count * outcome->grid->weather_count + 1);
    const WorstRun worst = worst_run_of(outcome, candidate);
    Risk risk = {.worst = worst.objective,
                 .worst_point = worst.point,
                 .worst_replication = worst.replication,
                 .sorted = values};
    for (int32_t w = 0; w < outcome->grid->weather_count; w++) {
        const int32_t point = plan_point(outcome->grid, candidate, w);
        for (int32_t r = runs.first; r < runs.first + runs.count; r++) {
            if (!results_have(results, point, r))
                continue;
            values[risk.count] = sign * results_value(results, point, outcome->goal->metric, r);
            risk.count += !isnan(values[risk.count]);
        }
    }
    if (risk.count == 0)
        return risk;
    statistics_sort(values, risk.count);
    risk.p95 = estimate_quantile(values, risk.count, 0.95, STUDY_CONFIDENCE);
    if (sign > 0)
        return risk;
    risk.p95 =
        (Interval){-risk.p95.value, -risk.p95.high, -risk.p95.low, risk.count, risk.p95.confidence};
    for (int32_t i = 0; i < risk.count; i++)
        values[i] = -values[i];
    return risk;
}
