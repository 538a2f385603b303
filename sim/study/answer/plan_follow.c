#include "sim/study/answer/plan_follow.h"

#include <math.h>

/* The margin of a check as a part of its limit. A limit of 0, such as "no failed job", has no
 * part: only a miss counts. */
static double relative_margin(const PlanOutcome *outcome, const PlanCheck *check)
{
    const double limit = fabs(plan_constraint(outcome, check)->limit);
    if (limit > 0)
        return check->margin / limit;
    return check->margin < 0 ? -(double)INFINITY : (double)INFINITY;
}

/* The weather of the check in which the candidate has the smallest margin. */
static int32_t hardest_weather(const PlanOutcome *outcome, int32_t candidate)
{
    const PlanFindings *findings = plan_findings(&outcome->candidates[candidate]);
    int32_t hardest = 0;
    double smallest = (double)INFINITY;
    for (int32_t i = 0; findings->run_count > 0 && i < outcome->check_count; i++) {
        const PlanCheck *check = &findings->checks[i];
        const double margin = relative_margin(outcome, check);
        if (check->weather < 0 || isnan(margin) || margin >= smallest)
            continue;
        smallest = margin;
        hardest = check->weather;
    }
    return hardest;
}

/* Candidates with runs. */
static const int32_t *simulated(Arena *arena, const PlanOutcome *outcome, int32_t weather,
                                int32_t *count)
{
    int32_t *points = ARENA_ARRAY(arena, int32_t, outcome->grid->candidate_count);
    *count = 0;
    for (int32_t c = 0; c < outcome->grid->candidate_count; c++)
        if (outcome->candidates[c].screening.run_count > 0)
            points[(*count)++] = plan_point(outcome->grid, c, weather);
    return points;
}

/* --- Larger candidates --- */

/* The candidate with the levels of `best`, but for `factor`, which has level `level`. */
static int32_t candidate_at(const PlanGrid *grid, int32_t best, int32_t factor, int32_t level)
{
    const Study *study = grid->study;
    for (int32_t c = 0; c < grid->candidate_count; c++) {
        bool is_it = true;
        for (int32_t f = 0; is_it && f < study->factor_count; f++)
            is_it = goal_is_weather(study->goal, f) ||
                    point_level(study, plan_point(grid, c, 0), f) ==
                        (f == factor ? &study->factors[f]->levels[level]
                                     : point_level(study, plan_point(grid, best, 0), f));
        if (is_it)
            return c;
    }
    return NO_CANDIDATE;
}

/* Whether a candidate may be needed when the load grows: it is worse, and misses no constraint. */
static bool is_larger(const PlanOutcome *outcome, int32_t candidate)
{
    const CandidateState state = outcome->candidates[candidate].state;
    return state == CANDIDATE_WORSE || state == CANDIDATE_WORSE_BY_ORDER;
}

/* Candidates with more of one factor: 1, 2, 4, 8, ... levels after that of the best one. */
static const int32_t *larger(Arena *arena, const PlanOutcome *outcome, int32_t best,
                             int32_t weather, int32_t *count)
{
    enum { DOUBLINGS = 32 };
    const PlanGrid *grid = outcome->grid;
    const Study *study = grid->study;
    int32_t *points = ARENA_ARRAY(arena, int32_t, DOUBLINGS * study->factor_count);
    *count = 0;
    for (int32_t f = 0; outcome->verdict == PLAN_FOUND && f < study->factor_count; f++) {
        const Factor *factor = study->factors[f];
        const Level *own = point_level(study, plan_point(grid, best, 0), f);
        const int64_t first = own - factor->levels;
        if (goal_is_weather(study->goal, f) || own->divisor == 0)
            continue;
        for (int64_t step = 1; first + step < factor->level_count; step *= 2) {
            const int32_t candidate = candidate_at(grid, best, f, (int32_t)(first + step));
            if (candidate != NO_CANDIDATE && is_larger(outcome, candidate))
                points[(*count)++] = plan_point(grid, candidate, weather);
        }
    }
    return points;
}

bool plan_follow(Arena *arena, const Study *study, const PlanOutcome *outcome,
                 const FollowOptions *follow, FileSource files, const SweepOptions *options,
                 FollowRuns *runs, Problems *problems)
{
    const int32_t best = outcome->verdict == PLAN_FOUND ? outcome->winner : outcome->nearest_miss;
    *runs = (FollowRuns){.end = RUNNER_FINISHED};
    if (options->folder == NULL || outcome->verdict == PLAN_UNFINISHED || best == NO_CANDIDATE)
        return true;
    const int32_t weather = hardest_weather(outcome, best);
    FollowQuestion question = {.study = study,
                               .winner = plan_point(outcome->grid, best, weather),
                               .next_best =
                                   outcome->next_best != NO_CANDIDATE && outcome->next_best != best
                                       ? plan_point(outcome->grid, outcome->next_best, weather)
                                       : NO_POINT,
                               .first_seed = study->seeds.first + (uint64_t)outcome->fresh_first,
                               .seeds = study->seeds.at_least,
                               .sensitivity = follow->sensitivity,
                               .growth_ppm = follow->growth_ppm};
    question.points = simulated(arena, outcome, weather, &question.point_count);
    question.larger = larger(arena, outcome, best, weather, &question.larger_count);
    return follow_run(arena, &question, files, options, runs, problems);
}
