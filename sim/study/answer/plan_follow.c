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
    return follow_run(arena, &question, files, options, runs, problems);
}
