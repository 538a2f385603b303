#include "reports/study/report.h"

#include <string.h>

#include "reports/study/figures.h"
#include "reports/study/page.h"
#include "sim/cli/files.h"

bool study_report_write(Arena *arena, const char *folder, const StudyOutcome *outcome,
                        Status *no_plots, Status *status)
{
    const StudyFacts *facts = study_facts(arena, outcome);
    const Figures figures = study_figures(arena, facts);
    Drawings drawings;
    const bool is_drawn = drawings_make(arena, &figures, &drawings, no_plots);
    const char *page = study_page(arena, facts, drawings_plots(arena, &figures, &drawings),
                                  figures.count, is_drawn ? NULL : no_plots);
    return file_write(arena_printf(arena, "%s/report.html", folder), page, strlen(page), status) &&
           (!is_drawn || drawings_write(arena, folder, &drawings, status));
}
