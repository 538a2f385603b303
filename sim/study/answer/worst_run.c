#include "sim/study/answer/worst_run.h"

#include <math.h>

/* How far the run is on the right side of its constraints, as a part of their limits: the least of
 * all, and which constraint has it. INFINITY and -1 without constraints. */
static double least_margin(const PlanOutcome *outcome, int32_t point, int32_t replication,
                           int32_t *constraint)
{
    const Results *results = outcome->study.findings.results;
    double least = (double)INFINITY;
    *constraint = -1;
    for (int32_t i = 0; i < outcome->goal->constraint_count; i++) {
        const GoalConstraint *limit = &outcome->goal->constraints[i];
        const double value = results_value(results, point, limit->metric, replication);
        const double unit = limit->limit != 0 ? fabs(limit->limit) : 1;
        const double margin =
            (limit->side == LIMIT_AT_LEAST ? value - limit->limit : limit->limit - value) / unit;
        const double known = isnan(margin) ? -(double)INFINITY : margin;
        if (*constraint >= 0 && known >= least)
            continue;
        least = known;
        *constraint = i;
    }
    return least;
}

WorstRun worst_run_of(const PlanOutcome *outcome, int32_t candidate)
{
    const PlanCandidate *about = &outcome->candidates[candidate];
    const Results *results = outcome->study.findings.results;
    const int32_t first = about->fresh.run_count > 0 ? outcome->fresh_first : 0;
    const int32_t end = first + plan_findings(about)->run_count;
    const double sign = outcome->goal->is_maximised ? -1 : 1;
    WorstRun worst = {.point = NO_POINT, .objective = (double)NAN, .constraint = -1};
    double worst_margin = 0;
    for (int32_t w = 0; w < outcome->grid->weather_count; w++) {
        const int32_t point = plan_point(outcome->grid, candidate, w);
        for (int32_t r = first; r < end; r++) {
            if (!results_have(results, point, r))
                continue;
            const double value = results_value(results, point, outcome->goal->metric, r);
            if (isnan(value) || sign * value < sign * worst.objective)
                continue;
            int32_t constraint;
            const double margin = least_margin(outcome, point, r, &constraint);
            if (value == worst.objective && margin >= worst_margin)
                continue;
            worst = (WorstRun){point, r, value, constraint};
            worst_margin = margin;
        }
    }
    return worst;
}
