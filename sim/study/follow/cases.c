#include "sim/study/follow/cases.h"

#include <math.h>
#include <string.h>

#include "sim/study/follow/follow.h"

static const struct {
    const char *name, *words;
} verdicts[] = {
#define X(name, text, words) {text, words},
    LIMIT_VERDICTS(X)
#undef X
};

static const struct {
    const char *name, *words;
} changes[] = {
#define X(name, text, words) {text, words},
    ANSWER_CHANGES(X)
#undef X
};

const char *limit_verdict_name(LimitVerdict verdict)
{
    return verdicts[verdict].name;
}

const char *limit_verdict_words(LimitVerdict verdict)
{
    return verdicts[verdict].words;
}

const char *answer_change_name(AnswerChange change)
{
    return changes[change].name;
}

const char *answer_change_words(AnswerChange change)
{
    return changes[change].words;
}

LimitVerdict limit_verdict(const GoalConstraint *constraint, double low, double high)
{
    const bool is_least = constraint->side == LIMIT_AT_LEAST;
    if (isnan(low) || isnan(high))
        return LIMIT_UNKNOWN;
    if (is_least ? low >= constraint->limit : high <= constraint->limit)
        return LIMIT_HOLDS;
    return (is_least ? high < constraint->limit : low > constraint->limit) ? LIMIT_MISSED
                                                                           : LIMIT_OPEN;
}

LimitInterval limit_interval(const GoalConstraint *constraint, const MetricEstimate *estimate)
{
    if (estimate->run_count > 1 && estimate->minimum == estimate->maximum)
        return (LimitInterval){estimate->value, estimate->value};
    if (estimate->lower_bound_count == 0)
        return (LimitInterval){estimate->low, estimate->high};
    return (LimitInterval){estimate->low, constraint->side == LIMIT_AT_LEAST
                                              ? estimate->mean + estimate->half_width
                                              : (double)INFINITY};
}

/* --- One point --- */

typedef struct {
    Arena *arena;
    const StudyOutcome *outcome;
    const Study *plan;
} Reader;

/* The metric of the plan in the study that follows it. Estimates without runs: the study lacks it.
 */
static MetricEstimate estimate_of(const Reader *reader, int32_t plan_metric, int32_t point,
                                  int32_t baseline)
{
    const StudyFindings *findings = &reader->outcome->findings;
    const int32_t metric =
        study_find_metric(findings->study, reader->plan->metrics[plan_metric].name);
    const MetricEstimate nothing = {.value = NAN, .low = NAN, .high = NAN, .method = ""};
    if (metric < 0 || point == NO_POINT || findings->used[point] == 0)
        return nothing;
    return metric_estimate(findings->results, metric, point, findings->used[point], baseline,
                           baseline != NO_POINT ? findings->used[baseline] : 0);
}

static LimitVerdict verdict_of(const GoalConstraint *constraint, const MetricEstimate *estimate)
{
    const LimitInterval interval = limit_interval(constraint, estimate);
    return limit_verdict(constraint, interval.low, interval.high);
}

static CaseOfPoint case_of(const Reader *reader, int32_t point, int32_t baseline)
{
    const Goal *goal = reader->plan->goal;
    CaseOfPoint found = {.objective = estimate_of(reader, goal->metric, point, baseline),
                         .constraints =
                             ARENA_ARRAY(reader->arena, MetricEstimate, goal->constraint_count),
                         .worst = -1};
    for (int32_t i = 0; i < goal->constraint_count; i++) {
        found.constraints[i] = estimate_of(reader, goal->constraints[i].metric, point, baseline);
        const LimitVerdict verdict = verdict_of(&goal->constraints[i], &found.constraints[i]);
        if (found.worst < 0 || verdict > found.verdict) {
            found.verdict = verdict;
            found.worst = i;
        }
    }
    return found;
}

/* --- The answer --- */

/* How much better the next best is; below 0: the winner is. */
static AnswerChange change_of(const Goal *goal, const FollowCase *found)
{
    const MetricEstimate *other = &found->other.objective;
    const double gain = goal->is_maximised ? other->difference : -other->difference;
    const double noise = other->difference_half_width;
    if (found->winner.objective.run_count == 0)
        return ANSWER_UNKNOWN;
    if (found->winner.verdict == LIMIT_MISSED)
        return ANSWER_MISSES;
    if (other->run_count == 0 || found->other.verdict == LIMIT_MISSED || isnan(gain) ||
        gain + noise < 0)
        return ANSWER_STAYS;
    return gain - noise > 0 ? ANSWER_OTHER : ANSWER_OPEN;
}

/* A limit that is missed without a change of anything is not missed because of one. */
static void forgive(FollowCase *items, int32_t count)
{
    bool is_missed = false;
    for (int32_t i = 0; i < count; i++)
        is_missed |=
            items[i].winner.verdict == LIMIT_MISSED &&
            (strcmp(items[i].level, FOLLOW_UNCHANGED) == 0 || strcmp(items[i].level, "1") == 0);
    for (int32_t i = 0; i < count; i++)
        if (is_missed && items[i].change == ANSWER_MISSES)
            items[i].change = ANSWER_STAYS;
}

/* The point with these levels of the first and the last factor; NO_POINT: no point has them. */
static int32_t point_at(const Study *study, int32_t candidate, int32_t level)
{
    const int32_t last = study->factor_count - 1;
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t *levels = study->levels + (size_t)point * (size_t)study->factor_count;
        if (levels[0] == candidate && levels[last] == level)
            return point;
    }
    return NO_POINT;
}

FollowCases follow_cases(Arena *arena, const StudyOutcome *outcome, const Study *plan)
{
    const Study *study = outcome->findings.study;
    const Reader reader = {.arena = arena, .outcome = outcome, .plan = plan};
    if (study->factor_count < 2)
        return (FollowCases){0};
    const Factor *factor = study->factors[study->factor_count - 1];
    FollowCase *items = ARENA_ARRAY(arena, FollowCase, factor->level_count);
    for (int32_t i = 0; i < factor->level_count; i++) {
        const int32_t winner = point_at(study, 0, i), other = point_at(study, 1, i);
        items[i] = (FollowCase){.level = factor->levels[i].label,
                                .winner = case_of(&reader, winner, NO_POINT),
                                .other = case_of(&reader, other, winner)};
        items[i].change = change_of(plan->goal, &items[i]);
    }
    forgive(items, factor->level_count);
    return (FollowCases){factor->level_count, items};
}

CaseOfPoint follow_case_of(Arena *arena, const StudyOutcome *outcome, const Study *plan,
                           int32_t candidate, int32_t level)
{
    const Reader reader = {.arena = arena, .outcome = outcome, .plan = plan};
    return case_of(&reader, point_at(outcome->findings.study, candidate, level), NO_POINT);
}
