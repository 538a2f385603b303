#include "reports/plan/report.h"

#include <string.h>

#include "reports/plan/figures.h"
#include "reports/plan/page.h"
#include "sim/cli/files.h"

bool plan_report_write(Arena *arena, const char *folder, const PlanKnown *known, Status *no_plots,
                       Status *status)
{
    const PlanFacts *facts = plan_facts(arena, known);
    const Figures figures = plan_figures(arena, facts);
    Drawings drawings;
    const bool is_drawn = drawings_make(arena, &figures, &drawings, no_plots);
    const char *page = plan_page(arena, facts, drawings_plots(arena, &figures, &drawings),
                                 figures.count, is_drawn ? NULL : no_plots);
    return file_write(arena_printf(arena, "%s/report.html", folder), page, strlen(page), status) &&
           (!is_drawn || drawings_write(arena, folder, &drawings, status));
}
