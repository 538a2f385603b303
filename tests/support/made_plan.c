#include "tests/support/made_plan.h"

#include <math.h>
#include <string.h>

#include "sim/study/point_estimate.h"

static bool is_weather(const Goal *goal, int32_t factor)
{
    for (int32_t i = 0; i < goal->weather_count; i++)
        if (goal->weather[i] == factor)
            return true;
    return false;
}

/* The first of the earlier points that has the same levels of the factors of weather (or of the
 * others); `point` itself if there is none. */
static int32_t first_like(const Study *study, const Goal *goal, int32_t point, bool of_weather)
{
    for (int32_t other = 0; other < point; other++) {
        bool is_like = true;
        for (int32_t f = 0; f < study->factor_count; f++)
            is_like &= is_weather(goal, f) != of_weather ||
                       point_level(study, other, f) == point_level(study, point, f);
        if (is_like)
            return other;
    }
    return point;
}

/* Numbers the classes of like points; returns how many there are. */
static int32_t number_classes(const Study *study, const Goal *goal, bool of_weather,
                              int32_t *class_of)
{
    int32_t count = 0;
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t first = first_like(study, goal, point, of_weather);
        class_of[point] = first < point ? class_of[first] : count++;
    }
    return count;
}

static const PlanGrid *made_grid(Arena *arena, const Study *study, const Goal *goal)
{
    PlanGrid *grid = ARENA_NEW(arena, PlanGrid);
    int32_t *candidate_of = ARENA_ARRAY(arena, int32_t, study->point_count);
    int32_t *weather_of = ARENA_ARRAY(arena, int32_t, study->point_count);
    int32_t *points = ARENA_ARRAY(arena, int32_t, study->point_count);
    *grid = (PlanGrid){.study = study,
                       .candidate_count = number_classes(study, goal, false, candidate_of),
                       .weather_count = number_classes(study, goal, true, weather_of),
                       .points = points,
                       .candidate_of = candidate_of,
                       .weather_of = weather_of};
    for (int32_t point = 0; point < study->point_count; point++)
        points[candidate_of[point] * grid->weather_count + weather_of[point]] = point;
    return grid;
}

static MetricEstimate estimate_of(const PlanOutcome *plan, int32_t metric, int32_t point,
                                  int32_t other)
{
    const StudyFindings *findings = &plan->study.findings;
    return metric_estimate(findings->results, metric, point, findings->used[point], other,
                           other != NO_POINT ? findings->used[other] : 0);
}

static PlanEstimate plain(const MetricEstimate *estimate)
{
    return (PlanEstimate){estimate->value, estimate->low, estimate->high, estimate->run_count};
}

static PlanEstimate difference(const MetricEstimate *estimate)
{
    return (PlanEstimate){
        estimate->difference, estimate->difference - estimate->difference_half_width,
        estimate->difference + estimate->difference_half_width, estimate->run_count};
}

static PlanFindings made_findings(Arena *arena, const PlanOutcome *plan, int32_t candidate)
{
    PlanCheck *checks = ARENA_ARRAY(arena, PlanCheck, plan->check_count);
    const int32_t first = plan_point(plan->grid, candidate, 0);
    const MetricEstimate objective = estimate_of(plan, plan->goal->metric, first, NO_POINT);
    for (int32_t i = 0; i < plan->check_count; i++) {
        const int32_t constraint = i / plan->grid->weather_count;
        const int32_t weather = i % plan->grid->weather_count;
        const GoalConstraint *limit = &plan->goal->constraints[constraint];
        const MetricEstimate found =
            estimate_of(plan, limit->metric, plan_point(plan->grid, candidate, weather), NO_POINT);
        const double margin =
            limit->side == LIMIT_AT_LEAST ? found.value - limit->limit : limit->limit - found.value;
        checks[i] = (PlanCheck){
            .constraint = constraint,
            .weather = weather,
            .estimate = plain(&found),
            .margin = margin,
            .is_missed =
                margin<0, .is_met = margin >= 0, .is_lower_bound = found.lower_bound_count> 0};
    }
    return (PlanFindings){.run_count = plan->study.findings.used[first],
                          .objective = plain(&objective),
                          .checks = checks};
}

static int32_t most_missed(const PlanOutcome *plan, const PlanFindings *findings)
{
    int32_t most = 0;
    for (int32_t i = 1; i < plan->check_count; i++)
        if (findings->checks[i].margin < findings->checks[most].margin)
            most = i;
    return most;
}

static bool meets(const PlanOutcome *plan, const PlanCandidate *candidate)
{
    for (int32_t i = 0; i < plan->check_count; i++)
        if (candidate->screening.checks[i].is_missed)
            return false;
    return true;
}

/* The cheapest candidate of a state other than `except`; NO_CANDIDATE. */
static int32_t cheapest(const PlanOutcome *plan, CandidateState state)
{
    int32_t best = NO_CANDIDATE;
    for (int32_t i = 0; i < plan->grid->candidate_count; i++)
        if (plan->candidates[i].state == state &&
            (best == NO_CANDIDATE || plan->candidates[i].screening.objective.value <
                                         plan->candidates[best].screening.objective.value))
            best = i;
    return best;
}

static PlanComparison compared(Arena *arena, const PlanOutcome *plan, int32_t candidate)
{
    PlanComparison comparison = {.candidate = candidate,
                                 .checks = ARENA_ARRAY(arena, PlanEstimate, plan->check_count)};
    if (candidate == NO_CANDIDATE || plan->winner == NO_CANDIDATE)
        return comparison;
    const MetricEstimate objective =
        estimate_of(plan, plan->goal->metric, plan_point(plan->grid, candidate, 0),
                    plan_point(plan->grid, plan->winner, 0));
    comparison.objective = difference(&objective);
    for (int32_t i = 0; i < plan->check_count; i++) {
        const int32_t weather = i % plan->grid->weather_count;
        const MetricEstimate check =
            estimate_of(plan, plan->goal->constraints[i / plan->grid->weather_count].metric,
                        plan_point(plan->grid, candidate, weather),
                        plan_point(plan->grid, plan->winner, weather));
        comparison.checks[i] = difference(&check);
    }
    return comparison;
}

static void judge(Arena *arena, PlanOutcome *plan)
{
    for (int32_t i = 0; i < plan->grid->candidate_count; i++) {
        PlanCandidate *candidate = &plan->candidates[i];
        candidate->screening = candidate->fresh = made_findings(arena, plan, i);
        candidate->missed_check = most_missed(plan, &candidate->screening);
        candidate->state = candidate->screening.run_count == 0 ? CANDIDATE_UNDECIDED
                           : meets(plan, candidate)            ? CANDIDATE_WORSE
                                                               : CANDIDATE_MISSES;
    }
    plan->winner = cheapest(plan, CANDIDATE_WORSE);
    if (plan->winner == NO_CANDIDATE)
        return;
    plan->candidates[plan->winner].state = CANDIDATE_WINNER;
    plan->next_best = cheapest(plan, CANDIDATE_WORSE);
    for (int32_t i = 0; i < plan->grid->candidate_count; i++)
        plan->candidates[i].worse_than = plan->winner;
}

PlanOutcome *made_plan(Arena *arena, const StudyOutcome *study, const Goal *goal)
{
    PlanOutcome *plan = ARENA_NEW(arena, PlanOutcome);
    *plan = (PlanOutcome){.study = *study,
                          .grid = made_grid(arena, study->findings.study, goal),
                          .goal = goal,
                          .winner = NO_CANDIDATE,
                          .next_best = NO_CANDIDATE,
                          .nearest_miss = NO_CANDIDATE,
                          .baseline = NO_CANDIDATE,
                          .sure = NO_CANDIDATE,
                          .against_sure = {.candidate = NO_CANDIDATE},
                          .confidence = goal->confidence,
                          .is_confident = true,
                          .round_count = 1,
                          .run_count = study->done_count,
                          .grid_run_count = 3.0 * (double)study->done_count};
    plan->check_count = goal->constraint_count * plan->grid->weather_count;
    plan->candidates = ARENA_ARRAY(arena, PlanCandidate, plan->grid->candidate_count);
    judge(arena, plan);
    plan->verdict = cheapest(plan, CANDIDATE_UNDECIDED) != NO_CANDIDATE ? PLAN_UNFINISHED
                    : plan->winner != NO_CANDIDATE                      ? PLAN_FOUND
                                                                        : PLAN_INFEASIBLE;
    if (plan->verdict == PLAN_INFEASIBLE)
        plan->nearest_miss = cheapest(plan, CANDIDATE_MISSES);
    plan->against_next_best = compared(arena, plan, plan->next_best);
    plan->against_baseline = compared(arena, plan, plan->baseline);
    return plan;
}
