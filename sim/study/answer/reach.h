/* How far an answer reaches: what a single period may do while the mean of many meets a limit. */
#ifndef SIM_STUDY_ANSWER_REACH_H
#define SIM_STUDY_ANSWER_REACH_H

#include "sim/study/plan/log_reach.h"
#include "sim/study/plan/plan_outcome.h"

/* The runs of a candidate's findings in which a limit is missed. Runs in which a metric of a limit
 * is unknown, or is only a lower bound that may exceed it, are not counted. */
typedef struct {
    int32_t run_count, missed_count; /* in all weathers */
} SinglePeriods;

SinglePeriods single_periods_of(const PlanOutcome *outcome, int32_t candidate);

/* log_reach by the findings of a candidate that count most. */
LogReach reach_of_log(const PlanOutcome *outcome, int32_t candidate, int32_t check);

/* "The log's demand changes by 6.9 % a month (95 %: 0.4 to 10.9 %), and runs mix its weeks: at its
 * end it is 1.20 times its mean, as with load 1.20." `study` knows its piece_trend. */
void reach_print_trend(Text *out, const Study *study);

#endif
