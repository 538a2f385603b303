/* `plan --check`: whether a plan still gives the answer of an earlier plan.json, made with another
 * version, catalogue or workload. */
#ifndef SIM_STUDY_ANSWER_PLAN_CHECK_H
#define SIM_STUDY_ANSWER_PLAN_CHECK_H

#include "sim/base/file_source.h"
#include "sim/study/answer/plan_json.h"

/* Reads `folder`/plan.json; NULL with problems. In `arena`. */
const PlanFile *plan_check_load(Arena *arena, FileSource files, const char *folder,
                                Problems *problems);
/* The same from a tree, which it borrows. */
const PlanFile *plan_check_read(Arena *arena, const Json *root, Problems *problems);

/* Whether `now` recommends the same, with margins of the winner of at least `margin_least`, as a
 * part of each limit. Adds a line that says whether it does, and one for each margin below that. */
bool plan_check(const PlanFile *before, const PlanOutcome *now, double margin_least, Text *out);

#endif
