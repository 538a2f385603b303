/* A plan on a terminal: the answer, the candidates in a short table, and what it cost. */
#ifndef SIM_STUDY_ANSWER_PLAN_TEXT_H
#define SIM_STUDY_ANSWER_PLAN_TEXT_H

#include "sim/study/answer/plan_run.h"
#include "sim/study/follow/follow_run.h"

/* The answer (answer.h), the table, the runs, and after an interruption how to continue. */
void plan_text_result(const PlanRun *run, Text *out);
/* The runs about the answer, which followed it, and the time of all runs; nothing without such
 * runs. */
void plan_text_follow_cost(const PlanRun *run, const FollowRuns *follow, Text *out);
/* After a pilot: the runs of the first round, and the most there can be. */
void plan_text_forecast(const PlanRun *run, Text *out);

#endif
