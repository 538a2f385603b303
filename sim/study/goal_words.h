/* The constraints of a goal in plain words, for answers and reports. */
#ifndef SIM_STUDY_GOAL_WORDS_H
#define SIM_STUDY_GOAL_WORDS_H

#include "sim/output/summary/metric_words.h"
#include "sim/study/goal.h"

/* "95 %", "20 min": a limit in `scale`. */
const char *goal_limit_words(Arena *arena, double limit, MetricScale scale);

/* "at least 95 % of the jobs wait at most 20 min", "the mean wait is at most 12 min". */
const char *goal_constraint_words(Arena *arena, const Study *study,
                                  const GoalConstraint *constraint);

#endif
