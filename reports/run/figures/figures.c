#include "reports/run/figures/figures.h"

Figures run_figures(Arena *arena, const Facts *facts)
{
    Figures figures = {.arena = arena};
    if (facts_are_of_many(facts)) {
        figures_queue(&figures, facts);
        figures_waits(&figures, facts);
    }
    figures_gpus(&figures, facts);
    figures_nodes(&figures, facts);
    figures_gantt(&figures, facts);
    if (facts_have_training(facts)) {
        figures_split(&figures, facts);
        if (facts_have_learning(facts))
            figures_learning(&figures, facts);
    }
    figures_money(&figures, facts);
    figures_cost(&figures, facts);
    return figures;
}
