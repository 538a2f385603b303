/* Writes the page of a comparison: compare.html, which needs no other file, and its plots. */
#ifndef REAL_COMPARE_PAGE_H
#define REAL_COMPARE_PAGE_H

#include "real/compare/compare.h"

/* Writes `folder`/compare.html and `folder`/plots; `folder` exists. `scenario` is the heading.
 * When gnuplot is missing or fails, the page has a note in place of each plot, and `no_plots`,
 * which must be empty, gets the reason. STATUS_MACHINE if a file cannot be written. */
MUST_CHECK bool compare_page_write(Arena *arena, const Comparison *comparison, const char *scenario,
                                   const char *folder, Status *no_plots, Status *status);

#endif
