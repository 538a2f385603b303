#include "reports/plan/report.h"

#include <string.h>

#include "reports/plan/figures.h"
#include "reports/plan/page.h"
#include "sim/cli/files.h"
#include "sim/study/answer/worst_run.h"

bool plan_known_read(Arena *arena, FileSource files, const char *folder, const PlanOutcome *outcome,
                     PlanKnown *known, Problems *problems)
{
    WinnerJobs *jobs = ARENA_NEW(arena, WinnerJobs);
    FollowOutcome *follow = ARENA_NEW(arena, FollowOutcome);
    int64_t bytes;
    Status none = {0};
    if (!winner_jobs_read(arena, files, folder, jobs, problems) ||
        !follow_outcome_read(arena, files, folder, outcome->grid->study, follow, problems))
        return false;
    const char *worst = arena_printf(arena, "%s/" WORST_RUN_FOLDER "/report.html", folder);
    *known = (PlanKnown){.outcome = outcome,
                         .jobs = jobs,
                         .follow = follow->is_present ? follow : NULL,
                         .has_worst = files.size(files.context, worst, &bytes, &none)};
    return true;
}

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
