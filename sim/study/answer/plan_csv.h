/* plan.csv: a row for each candidate of a plan. */
#ifndef SIM_STUDY_ANSWER_PLAN_CSV_H
#define SIM_STUDY_ANSWER_PLAN_CSV_H

#include "sim/base/byte_sink.h"
#include "sim/base/text.h"
#include "sim/study/plan/plan_outcome.h"

/* Columns: candidate, the factors that are not weather, state, runs, fresh_runs, the objective M as
 * M, M.low, M.high (of fresh seeds if there are any), for each check M in a weather
 * "M" or "M (load=1.5)" the same three, worse_than, reason. */
void plan_table(const PlanOutcome *outcome, ByteSink out);

/* The reference of plan.csv as Markdown. */
void plan_table_reference(Text *out);

#endif
