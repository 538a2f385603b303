#include "reports/run/figures.h"

Figures run_figures(Arena *arena, const Facts *facts)
{
    Figures figures = {.arena = arena};
    figures_nodes(&figures, facts);
    figures_gantt(&figures, facts);
    if (facts_has(facts, TRACE_JOB_TRAINING)) {
        figures_split(&figures, facts);
        figures_learning(&figures, facts);
    }
    figures_money(&figures, facts);
    figures_cost(&figures, facts);
    return figures;
}
