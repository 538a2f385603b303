/* The numbers of a plan's runs, as its decisions and estimates need them: a value for each
 * replication of a candidate, whose mean is the estimate.
 *
 * A metric that is a share or a ratio is estimated by the totals of all runs: R = sum of a over sum
 * of b. Its value of a run is R + (a - R b) / mean b, whose mean is R and whose spread is that of
 * R (the linearisation of a ratio, W. G. Cochran, "Sampling Techniques", 1977, section 6.3): a run
 * with more jobs counts more. A value that is unknown in a run, or is only a lower bound where an
 * upper one is needed, is NAN, and so is every mean of it. */
#ifndef SIM_STUDY_PLAN_PLAN_NUMBERS_H
#define SIM_STUDY_PLAN_PLAN_NUMBERS_H

#include "sim/study/plan/plan.h"
#include "sim/study/plan/selection.h"
#include "sim/study/results.h"

typedef struct {
    const PlanGrid *grid;
    const Results *results;
} PlanNumbers;

/* Constraints times weathers, or constraints alone if they hold on average. */
int32_t plan_check_count(const PlanGrid *grid);
const GoalConstraint *plan_check_constraint(const PlanGrid *grid, int32_t check);
/* -1: the mean over the weathers. */
int32_t plan_check_weather(const PlanGrid *grid, int32_t check);

/* Values of the objective in its unit, in `count` replications from `first` on: the means over the
 * weathers. */
void plan_objective_values(const PlanNumbers *numbers, int32_t candidate, int32_t first,
                           int32_t count, double *values);
/* Values of the metric of a check. */
void plan_check_values(const PlanNumbers *numbers, int32_t candidate, int32_t check, int32_t first,
                       int32_t count, double *values);
/* Whether the metric of a check is only a lower bound in one of the replications. */
bool plan_check_is_lower_bound(const PlanNumbers *numbers, int32_t candidate, int32_t check,
                               int32_t first, int32_t count);

/* The problem of the selection, in `arena`. Excludes candidates with a hopeless point. */
const SelectionProblem *plan_problem(Arena *arena, const PlanGrid *grid);
/* Borrows `numbers`. Without `sure_margin` (log_reach.h). */
SelectionData plan_data(const PlanNumbers *numbers);

#endif
