#include "reports/run/report.h"

#include <string.h>

#include "reports/figure/drawing.h"
#include "reports/run/facts/facts.h"
#include "reports/run/figures/figures.h"
#include "reports/run/page.h"
#include "sim/cli/files.h"

static bool write_all(Arena *arena, const char *directory, const Facts *facts, Status *status)
{
    const Figures figures = run_figures(arena, facts);
    Drawings drawings;
    const bool is_drawn = drawings_make(arena, &figures, &drawings, status);
    const char *page = run_page(arena, facts, drawings_plots(arena, &figures, &drawings),
                                figures.count, is_drawn ? NULL : status);
    Status page_status = {0};
    if (!file_write(arena_printf(arena, "%s/report.html", directory), page, strlen(page),
                    &page_status)) {
        *status = page_status;
        return false;
    }
    return is_drawn && drawings_write(arena, directory, &drawings, status);
}

bool report_write_run(Arena *arena, const char *run_directory, const Summary *summary,
                      ReportRows *rows, const TraceHeader *header, Status *status)
{
    return write_all(arena, run_directory, facts_join(summary, rows, header), status);
}

bool report_write(Arena *arena, const char *run_directory, int64_t wait_target_ns, Status *status)
{
    const Facts *read = facts_read(arena, run_directory, status);
    if (read == NULL)
        return false;
    Facts facts = *read;
    if (wait_target_ns > 0)
        facts.wait_target_ns = wait_target_ns;
    return write_all(arena, run_directory, &facts, status);
}
