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
    int64_t open_jobs;  /* that had not ended, so that their run times are lower bounds */
} FitPage;

/* When gnuplot is missing or fails, the page has a note in place of each plot, and `no_plots`,
 * which must be empty, gets the reason. STATUS_MACHINE when the page cannot be written. */
MUST_CHECK bool fit_page_write(Arena *arena, const FitPage *page, const WorkloadFit *fit,
                               Status *no_plots, Status *status);

#endif
