#include "reports/run/report.h"

#include <string.h>

#include "reports/figure/drawing.h"
#include "reports/run/facts/facts.h"
#include "reports/run/figures/figures.h"
#include "reports/run/page.h"
#include "sim/cli/files.h"

static bool write_all(Arena *arena, const char *directory, const Facts *facts, Status *no_plots,
                      Status *status)
{
    const Figures figures = run_figures(arena, facts);
    Drawings drawings;
    const bool is_drawn = drawings_make(arena, &figures, &drawings, no_plots);
    const char *page = run_page(arena, facts, drawings_plots(arena, &figures, &drawings),
                                figures.count, is_drawn ? NULL : no_plots);
    return file_write(arena_printf(arena, "%s/report.html", directory), page, strlen(page),
                      status) &&
           (!is_drawn || drawings_write(arena, directory, &drawings, status));
}

bool report_write_run(Arena *arena, const char *run_directory, const Summary *summary,
                      ReportRows *rows, const TraceHeader *header, Status *no_plots, Status *status)
{
    return write_all(arena, run_directory, facts_join(summary, rows, header), no_plots, status);
}

bool report_write(Arena *arena, const char *run_directory, int64_t wait_target_ns, Status *status)
{
    Status no_plots = {0};
    const Facts *read = facts_read(arena, run_directory, status);
    if (read == NULL)
        return false;
    Facts facts = *read;
    if (wait_target_ns > 0)
        facts.wait_target_ns = wait_target_ns;
    if (!write_all(arena, run_directory, &facts, &no_plots, status))
        return false;
    if (no_plots.code != STATUS_OK)
        *status = no_plots;
    return no_plots.code == STATUS_OK;
}
