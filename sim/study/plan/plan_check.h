/* `plan --check`: whether a plan still gives the answer of an earlier plan.json, made with another
 * version, catalogue or workload. */
#ifndef SIM_STUDY_PLAN_PLAN_CHECK_H
#define SIM_STUDY_PLAN_PLAN_CHECK_H

#include "sim/study/plan/plan_outcome.h"

/* Reads `folder`/plan.json; NULL with a problem. In `arena`. */
const Json *plan_check_load(Arena *arena, FileSource files, const char *folder, Problems *problems);

/* The path of the study that the plan was started with; NULL: it was made or changed by options. */
const char *plan_check_study(const Json *before);

/* Adds a line for each difference that counts: another verdict, another recommendation, a margin of
 * the winner below `margin_least`, as a part of its limit. Otherwise one line that says what is
 * still right. Returns whether nothing counts. STATUS_BAD_INPUT if `before` is not a plan.json. */
MUST_CHECK bool plan_check(const Json *before, const PlanOutcome *now, double margin_least,
                           bool *is_same, Text *out, Status *status);

#endif
