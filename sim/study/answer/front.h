/* The Pareto front of a plan: the candidates of which no other one is better in the objective and
 * in a constraint, and how sure that is.
 *
 * A line through the best estimates is a line through noise. So the runs are drawn again with
 * replacement, the same runs for all candidates, because they share their seeds; the membership of
 * a candidate is the share of these resamples in which it is on the front. Draws have addresses
 * (bootstrap.h), so the same plan gives the same shares. */
#ifndef SIM_STUDY_ANSWER_FRONT_H
#define SIM_STUDY_ANSWER_FRONT_H

#include "sim/study/plan/plan_outcome.h"

enum { FRONT_RESAMPLES = 1000 };

/* From the screening seeds; numbers are NAN when a weather of the candidate has no runs. */
typedef struct {
    double objective; /* mean over the weathers */
    double
        constraint; /* its metric, in the weather in which the margin is smallest, or in the mean */
    bool is_on_front;
    double membership; /* in [0, 1] */
} FrontPoint;

/* The front of the objective and constraint `constraint`: a point for each candidate, in `arena`.
 */
const FrontPoint *plan_front(Arena *arena, const PlanOutcome *outcome, int32_t constraint);

#endif
