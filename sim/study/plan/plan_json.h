/* plan.json, the answer of a plan for programs, and plan.csv, a row for each candidate. */
#ifndef SIM_STUDY_PLAN_PLAN_JSON_H
#define SIM_STUDY_PLAN_PLAN_JSON_H

#include "sim/base/byte_sink.h"
#include "sim/study/plan/plan_outcome.h"

/* Numbers that are not known are null. "sure" is the best candidate whose intervals of the log meet
 * all constraints (PlanOutcome), "sure_search" how it was searched, "is_sure" of a candidate
 * whether its own do. In `arena`. */
Json *plan_json(Arena *arena, const PlanOutcome *outcome);

/* Columns: candidate, the factors that are not weather, state, runs, fresh_runs, the objective M as
 * M, M.low, M.high (of fresh seeds if there are any), for each check M in a weather
 * "M" or "M (load=1.5)" the same three, worse_than, reason. */
void plan_table(const PlanOutcome *outcome, ByteSink out);

/* Why a candidate is not recommended, or that it is: "misses workloads.day.waited_within(20m) >=
 * 95% in load=1.5: 0.912 (0.889 to 0.935)". */
void plan_reason_print(const PlanOutcome *outcome, int32_t candidate, Text *out);

/* The reference of plan.csv as Markdown. */
void plan_table_reference(Text *out);

#endif
