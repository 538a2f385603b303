/* The rounds of a plan as units of work: a StudyWork whose runs are those that the selection asks
 * for. When all runs of a round are known, the selection decides, and the next round begins. Runs
 * that are known from earlier are not made again, so a plan that was interrupted repeats its
 * decisions and continues where it was. */
#ifndef SIM_STUDY_PLAN_ROUNDS_H
#define SIM_STUDY_PLAN_ROUNDS_H

#include "sim/study/plan/plan_numbers.h"
#include "sim/study/units.h"

typedef struct Rounds Rounds;

/* Lives in `arena`, borrows the others. Decides as far as the known runs allow. */
Rounds *rounds_create(Arena *arena, const PlanGrid *grid, const Results *results);
StudyWork rounds_work(Rounds *rounds);

const Selection *rounds_selection(const Rounds *rounds);
const SelectionProblem *rounds_problem(const Rounds *rounds);
const PlanNumbers *rounds_numbers(const Rounds *rounds);
/* [point_count] the replications that took part in decisions. In `arena`. */
const int32_t *rounds_used(Arena *arena, const Rounds *rounds);

#endif
