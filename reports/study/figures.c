#include "reports/study/figures.h"

Figures study_figures(Arena *arena, const StudyFacts *facts)
{
    Figures figures = {.arena = arena};
    if (facts->lowest == NO_POINT)
        return figures; // no run has finished
    figures_tradeoff(&figures, facts);
    figures_levels(&figures, facts);
    figures_differences(&figures, facts);
    figures_effects(&figures, facts);
    return figures;
}
