/* Private to reports/plan: the recommended candidate under more load. */
#include "reports/plan/figures.h"

/* The goal of the plan with the metrics of DIR/headroom, by their names; a constraint whose metric
 * the study lacks is left out. */
static const Goal *goal_of_load(const PlanFacts *facts, const Study *load)
{
    const Goal *goal = facts->outcome->goal;
    const Study *study = facts->outcome->grid->study;
    Goal *own = ARENA_NEW(facts->arena, Goal);
    GoalConstraint *constraints =
        ARENA_ARRAY(facts->arena, GoalConstraint, goal->constraint_count + 1);
    *own = *goal;
    own->metric = study_find_metric(load, study->metrics[goal->metric].name);
    own->constraints = constraints;
    own->constraint_count = own->weather_count = 0;
    for (int32_t c = 0; c < goal->constraint_count; c++) {
        const int32_t metric =
            study_find_metric(load, study->metrics[goal->constraints[c].metric].name);
        if (metric < 0)
            continue;
        constraints[own->constraint_count] = goal->constraints[c];
        constraints[own->constraint_count++].metric = metric;
    }
    return own;
}

void figures_load(Figures *figures, const PlanFacts *facts)
{
    if (facts->follow == NULL || !facts->follow->has[FOLLOW_HEADROOM])
        return;
    StudyOutcome *outcome = ARENA_NEW(facts->arena, StudyOutcome);
    Study *study = ARENA_NEW(facts->arena, Study);
    *outcome = facts->follow->studies[FOLLOW_HEADROOM];
    *study = *outcome->findings.study;
    study->goal = goal_of_load(facts, study);
    outcome->findings.study = study;
    const StudyFacts *load = study_facts(facts->arena, outcome);
    const uint32_t before = figures->count;
    for (int32_t c = 0; c < study->goal->constraint_count; c++)
        figures_levels_of(figures, load, study->goal->constraints[c].metric);
    if (study->goal->metric >= 0)
        figures_levels_of(figures, load, study->goal->metric);
    for (uint32_t i = before; i < figures->count; i++) { // separate files and section
        figures->items[i].section = PLAN_LOAD;
        figures->items[i].file = arena_printf(facts->arena, "headroom-%s", figures->items[i].file);
    }
}
