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

/* STATUS_MACHINE when the page cannot be written; also, after it was written without its plot, when
 * gnuplot is missing. */
MUST_CHECK bool waits_page_write(Arena *arena, const WaitsPage *page,
                                 const WaitComparison *comparison, Status *status);

#endif
