/* The words of an answer: candidates, values, constraints and differences, as the sentences and the
 * page of a plan print them. All texts are UTF-8 in `arena`. */
#ifndef SIM_STUDY_ANSWER_ANSWER_WORDS_H
#define SIM_STUDY_ANSWER_ANSWER_WORDS_H

#include "sim/output/summary/metric_words.h"
#include "sim/study/plan/plan_outcome.h"

/* --- Candidates and weathers --- */

/* "2 nodes, size STANDARD_NC6": the levels of the factors that differ between candidates. */
const char *answer_candidate(Arena *arena, const PlanOutcome *outcome, int32_t candidate);
/* Only those in which it differs from `other`: "3 nodes". */
const char *answer_candidate_change(Arena *arena, const PlanOutcome *outcome, int32_t candidate,
                                    int32_t other);
/* "load 1.4": the levels that all of several candidates have; "". */
const char *answer_fixed(Arena *arena, const PlanOutcome *outcome);
/* "spot 4, every 2h": the levels of a candidate that are the smallest or largest of at least three
 * numbers or times, where 0 and 1 have nothing below. "". */
const char *answer_outermost(Arena *arena, const PlanOutcome *outcome, int32_t candidate);
/* Whether a candidate has a better objective than another, by its own runs. False if one is
 * unknown. */
bool answer_is_better(const PlanOutcome *outcome, int32_t candidate, int32_t other);
/* How many factors are chosen, and have several levels. */
int32_t answer_choice_count(const PlanOutcome *outcome);
/* "load 1.5"; "" without weather; "average over load" for weather -1. */
const char *answer_weather(Arena *arena, const PlanOutcome *outcome, int32_t weather);

/* --- Values --- */

/* The scale of a metric, the same in all words about it: of its limit, or of the largest value. */
MetricScale answer_scale(const PlanOutcome *outcome, int32_t metric);
/* "91.7 ± 0.4 USD", "99.98 (99.94 to 100.0) %", "unknown"; a lower bound has a sign before it. */
const char *answer_value(Arena *arena, const PlanOutcome *outcome, int32_t metric,
                         const PlanEstimate *estimate, bool is_lower_bound);
/* "91.7 USD": without the interval, with its digits. */
const char *answer_value_alone(Arena *arena, const PlanOutcome *outcome, int32_t metric,
                               const PlanEstimate *estimate);
/* The estimate of a multiple of the same total: of many periods. */
PlanEstimate answer_estimate_times(const PlanEstimate *estimate, double factor);
/* "88.3 to 89.1": the interval alone; "" without one. */
const char *answer_interval(Arena *arena, const PlanOutcome *outcome, int32_t metric,
                            const PlanEstimate *estimate);
/* "94.6 to 99.4 % of the jobs wait at most 30 min", "the mean wait is 3 to 5 min": an interval of
 * the metric of a check. */
const char *answer_reach(Arena *arena, const PlanOutcome *outcome, const PlanCheck *check,
                         double low, double high);
/* "a week", "a run": the time to which the totals of a run belong. */
const char *answer_period(Arena *arena, const PlanOutcome *outcome);
/* "a full grid needs about 41,000": its runs, in the two digits that such an estimate has; "a full
 * grid needs more than a million"; "": not known. */
const char *answer_grid_runs(Arena *arena, const PlanOutcome *outcome);
/* "it costs 91.7 ± 0.4 USD a week", "the mean wait is 12 ± 1 min". */
const char *answer_objective(Arena *arena, const PlanOutcome *outcome,
                             const PlanEstimate *estimate);
/* Another candidate's objective minus the winner's: "costs 2.7 ± 0.1 USD more a week (2.9 %)",
 * "lowers the mean wait by 2 ± 1 min". */
const char *answer_objective_change(Arena *arena, const PlanOutcome *outcome,
                                    const PlanEstimate *difference);
/* The same after the value of that objective: "2.7 ± 0.1 USD more (2.9 %)", "2 ± 1 min less (3.0
 * %)", "the same". */
const char *answer_objective_more(Arena *arena, const PlanOutcome *outcome,
                                  const PlanEstimate *difference);

/* --- Constraints --- */

/* "at least 95 % of the jobs of team wait at most 30 min". */
const char *answer_constraint(Arena *arena, const PlanOutcome *outcome, int32_t constraint);
/* ", where at most 90 USD is asked". */
const char *answer_limit(Arena *arena, const PlanOutcome *outcome, int32_t constraint);
/* "97.1 ± 0.4 % of the jobs of team wait at most 30 min, where 95 % is asked"; with weather: "at
 * load 1.5, 97.1 ± ...". */
const char *answer_check(Arena *arena, const PlanOutcome *outcome, const PlanCheck *check);
/* Another candidate's check minus the winner's: "a further 0.3 ± 0.1 % of the jobs of team wait at
 * most 30 min". */
const char *answer_check_change(Arena *arena, const PlanOutcome *outcome, const PlanCheck *check,
                                const PlanEstimate *difference);

/* The margin of a check as a part of its limit: below 0, it is missed. */
double answer_margin_part(const PlanOutcome *outcome, const PlanCheck *check);
/* The check of a constraint with the smallest margin: an index in `findings->checks`.
 */
int32_t answer_tightest(const PlanOutcome *outcome, const PlanFindings *findings,
                        int32_t constraint);
/* The largest difference of the objective that does not count, in its unit. */
double answer_indifference(const PlanOutcome *outcome);
/* Whether the objective of the compared candidate is within the indifference of the winner's. */
bool answer_is_tie(const PlanOutcome *outcome, const PlanComparison *comparison);

#endif
