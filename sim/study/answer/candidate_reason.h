/* Why a plan does not recommend a candidate, in words. */
#ifndef SIM_STUDY_ANSWER_CANDIDATE_REASON_H
#define SIM_STUDY_ANSWER_CANDIDATE_REASON_H

#include "sim/base/text.h"
#include "sim/study/plan/plan_outcome.h"

/* Adds why it is not recommended, or that it is: "misses workloads.day.waited_within(20m) >= 95% in
 * load=1.5: 0.912 (0.889 to 0.935)". */
void candidate_reason_print(const PlanOutcome *outcome, int32_t candidate, Text *out);

#endif
