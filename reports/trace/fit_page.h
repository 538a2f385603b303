/* The goodness-of-fit page: an imported log compared with the distributions that were fitted to
 * it. One self-contained HTML file. */
#ifndef REPORTS_TRACE_FIT_PAGE_H
#define REPORTS_TRACE_FIT_PAGE_H

#include "sim/base/status.h"
#include "sim/study/fit/fit.h"

typedef struct {
    const char *path;   /* of the page */
    const char *list;   /* file name of the workload */
    const char *source; /* file name of the log */
    const char *zone;   /* of the hours in tables; NULL: the log has no calendar */
} FitPage;

/* STATUS_MACHINE when the page cannot be written; also, after it was written without plots, when
 * gnuplot is missing. */
MUST_CHECK bool fit_page_write(Arena *arena, const FitPage *page, const WorkloadFit *fit,
                               Status *status);

#endif
