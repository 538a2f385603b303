/* A page with the waits of a log next to those of a run of the same jobs, and the reasons why they
 * differ. One self-contained HTML file. */
#ifndef REPORTS_TRACE_WAITS_PAGE_H
#define REPORTS_TRACE_WAITS_PAGE_H

#include "sim/base/status.h"
#include "sim/study/waits/waits.h"

typedef struct {
    const char *path; /* of the page */
    const char *list; /* file name of the workload */
    const char *run;  /* folder of the run */
} WaitsPage;

/* When gnuplot is missing or fails, the page has a note in place of each plot, and `no_plots`,
 * which must be empty, gets the reason. STATUS_MACHINE when the page cannot be written. */
MUST_CHECK bool waits_page_write(Arena *arena, const WaitsPage *page,
                                 const WaitComparison *comparison, Status *no_plots,
                                 Status *status);

#endif
