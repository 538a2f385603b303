#include "sim/study/follow/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/random_math.h"

/* Where the line through (a, at_a >= 0) and (b, at_b < 0) is 0. */
static double zero_between(double a, double at_a, double b, double at_b)
{
    return a + (b - a) * at_a / (at_a - at_b);
}

typedef enum { OF_VALUE, OF_LOW, OF_HIGH } Bound;

static double bound_of(const LoadMargin *margin, Bound bound)
{
    return bound == OF_VALUE ? margin->margin : bound == OF_LOW ? margin->low : margin->high;
}

/* The first load at which the bound is 0; INFINITY: it stays above. */
static double first_zero(const LoadMargin *margins, int32_t count, Bound bound)
{
    if (bound_of(&margins[0], bound) < 0)
        return margins[0].load;
    for (int32_t i = 1; i < count; i++) {
        const double before = bound_of(&margins[i - 1], bound), at = bound_of(&margins[i], bound);
        if (at < 0)
            return zero_between(margins[i - 1].load, before, margins[i].load, at);
    }
    return (double)INFINITY;
}

BreakingLoad breaking_load(const LoadMargin *margins, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(margins[i].margin) || !isfinite(margins[i].low) || !isfinite(margins[i].high))
            count = i; // loads without an interval say nothing
    if (count == 0)
        return (BreakingLoad){0};
    BreakingLoad found = {.is_known = true,
                          .load = first_zero(margins, count, OF_VALUE),
                          .low = first_zero(margins, count, OF_LOW),
                          .high = first_zero(margins, count, OF_HIGH)};
    found.is_beyond = isinf(found.load);
    if (found.is_beyond)
        found.load = margins[count - 1].load;
    return found;
}

double growth_months(double load, double part)
{
    if (part <= 0 || isinf(load))
        return load <= 1 ? 0 : (double)INFINITY;
    return load <= 1 ? 0 : random_log(load) / random_log(1 + part);
}

static LoadMargin margin_of(double load, const GoalConstraint *limit,
                            const MetricEstimate *estimate)
{
    const LimitInterval interval = limit_interval(limit, estimate);
    if (limit->side == LIMIT_AT_LEAST)
        return (LoadMargin){load, estimate->value - limit->limit, interval.low - limit->limit,
                            interval.high - limit->limit};
    return (LoadMargin){load, limit->limit - estimate->value, limit->limit - interval.high,
                        limit->limit - interval.low};
}

BreakingLoad follow_breaking_load(Arena *arena, const StudyOutcome *outcome, const Study *plan,
                                  int32_t candidate, int32_t *constraint)
{
    const Study *study = outcome->findings.study;
    const Factor *loads = study->factors[study->factor_count - 1];
    const Goal *goal = plan->goal;
    BreakingLoad first = {0};
    LoadMargin *margins =
        ARENA_ARRAY(arena, LoadMargin, (int64_t)loads->level_count * goal->constraint_count + 1);
    for (int32_t i = 0; i < loads->level_count; i++) {
        const CaseOfPoint own = follow_case_of(arena, outcome, plan, candidate, i);
        const double load = (double)loads->levels[i].number / (double)loads->levels[i].divisor;
        for (int32_t c = 0; c < goal->constraint_count; c++)
            margins[c * loads->level_count + i] =
                margin_of(load, &goal->constraints[c], &own.constraints[c]);
    }
    *constraint = -1;
    for (int32_t c = 0; c < goal->constraint_count; c++) {
        const BreakingLoad found =
            breaking_load(margins + c * loads->level_count, loads->level_count);
        const bool is_first =
            found.is_known && (!first.is_known || (first.is_beyond && !found.is_beyond) ||
                               (first.is_beyond == found.is_beyond && found.load < first.load));
        if (is_first) {
            first = found;
            *constraint = c;
        }
    }
    return first;
}

/* --- Stages --- */

/* The point of the plan with this name. */
static int32_t point_called(const Study *plan, const char *name)
{
    Arena *scratch = arena_create();
    int32_t point = plan->point_count - 1;
    while (point > 0 && strcmp(point_name(scratch, plan, point), name) != 0)
        point--;
    arena_destroy(scratch);
    return point;
}

static int by_objective(const void *left, const void *right)
{
    const GrowthStage *a = left, *b = right;
    return (a->objective.value > b->objective.value) - (a->objective.value < b->objective.value);
}

const GrowthStage *growth_stages(Arena *arena, const StudyOutcome *outcome, const Study *plan,
                                 double part, int32_t *count)
{
    const Factor *candidates = outcome->findings.study->factors[0];
    GrowthStage *stages = ARENA_ARRAY(arena, GrowthStage, candidates->level_count);
    int32_t constraint, kept = 0;
    for (int32_t i = 0; i < candidates->level_count; i++) {
        const BreakingLoad breaks = follow_breaking_load(arena, outcome, plan, i, &constraint);
        const double months =
            breaks.is_beyond ? (double)INFINITY : growth_months(breaks.load, part);
        stages[i] = (GrowthStage){.point = point_called(plan, candidates->levels[i].label),
                                  .objective = follow_case_of(arena, outcome, plan, i, 0).objective,
                                  .breaks = breaks,
                                  .months = months,
                                  .low = growth_months(breaks.low, part),
                                  .high = growth_months(breaks.high, part)};
    }
    qsort(stages + 1, (size_t)candidates->level_count - 1, sizeof *stages, by_objective);
    for (int32_t i = 0; i < candidates->level_count; i++)
        if (stages[i].breaks.is_known && (kept == 0 || stages[i].months > stages[kept - 1].months))
            stages[kept++] = stages[i];
    *count = kept;
    return stages;
}
