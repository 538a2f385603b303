#include "sim/study/follow/growth.h"

#include <math.h>
#include <stdlib.h>

#include "sim/json/json.h"
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

BreakingLoad headroom_breaking_load(Arena *arena, const FollowCases *cases, const Study *plan,
                                    int32_t *constraint)
{
    BreakingLoad first = {0};
    LoadMargin *margins = ARENA_ARRAY(arena, LoadMargin, cases->count + 1);
    *constraint = -1;
    for (int32_t c = 0; c < plan->goal->constraint_count; c++) {
        for (int32_t i = 0; i < cases->count; i++)
            margins[i] =
                margin_of(json_decimal(arena, cases->items[i].level)->number,
                          &plan->goal->constraints[c], &cases->items[i].winner.constraints[c]);
        const BreakingLoad found = breaking_load(margins, cases->count);
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
