#include "reports/plan/figures.h"

/* The metrics of the goal over the levels of the factors. */
static void figures_goal(Figures *figures, const PlanFacts *facts)
{
    const Goal *goal = facts->outcome->goal;
    figures_levels_of(figures, facts->study, goal->metric);
    for (int32_t c = 0; c < goal->constraint_count && c < METRICS_DRAWN; c++)
        if (goal->constraints[c].metric != goal->metric)
            figures_levels_of(figures, facts->study, goal->constraints[c].metric);
}

Figures plan_figures(Arena *arena, const PlanFacts *facts)
{
    Figures figures = {.arena = arena};
    if (facts->study->lowest == NO_POINT)
        return figures; // no run has finished
    figures_front(&figures, facts);
    figures_pair(&figures, facts);
    figures_goal(&figures, facts);
    figures_why(&figures, facts);
    figures_flip(&figures, facts);
    figures_load(&figures, facts);
    figures_winner(&figures, facts);
    figures_risk(&figures, facts);
    return figures;
}
