#include "sim/study/goal_words.h"

#include <math.h>

const char *goal_limit_words(Arena *arena, double limit, MetricScale scale)
{
    return arena_printf(arena, "%.6g%s%s", limit * scale.factor, scale.unit[0] != '\0' ? " " : "",
                        scale.unit);
}

const char *goal_constraint_words(Arena *arena, const Study *study,
                                  const GoalConstraint *constraint)
{
    const StudyMetric *metric = &study->metrics[constraint->metric];
    const MetricWords words = metric_words(arena, metric->name);
    const char *side = constraint->side == LIMIT_AT_LEAST ? "at least" : "at most";
    const char *limit = goal_limit_words(arena, constraint->limit,
                                         metric_scale(metric->unit, fabs(constraint->limit)));
    if (words.form == METRIC_IS_SHARE)
        return arena_printf(arena, "%s %s of the %s %s", side, limit, words.subject,
                            words.predicate);
    return arena_printf(arena, "the %s is %s %s", words.noun, side, limit);
}
