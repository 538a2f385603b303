/* report.html: one page for people who decide. Answers come first, then figures, plots, tables,
 * what happened when, and how to reproduce the run. */
#ifndef REPORTS_RUN_PAGE_H
#define REPORTS_RUN_PAGE_H

#include "reports/page/page.h"
#include "reports/run/facts/facts.h"

/* The page, in `arena`. `plots` are in the order of their sections. `no_plots` says why drawings
 * are missing; NULL where they are not. */
const char *run_page(Arena *arena, const Facts *facts, const Plot *plots, uint32_t plot_count,
                     const Status *no_plots);

#endif
