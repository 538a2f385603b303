/* Plans made by hand from the runs of a study, for tests of the words and pages about plans. They
 * have the shape of a real outcome, without the rounds and tests that lead to one: the estimates
 * decide, and the runs that chose are the fresh ones too. */
#ifndef TESTS_SUPPORT_MADE_PLAN_H
#define TESTS_SUPPORT_MADE_PLAN_H

#include "sim/study/plan/plan_outcome.h"

/* `study` and `goal` are borrowed, everything else lives in `arena`. Candidates without runs are
 * undecided; with one the plan is unfinished. */
PlanOutcome *made_plan(Arena *arena, const StudyOutcome *study, const Goal *goal);

#endif
