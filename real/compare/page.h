/* Writes the page of a comparison: compare.html, which needs no other file, and its plots. */
#ifndef REAL_COMPARE_PAGE_H
#define REAL_COMPARE_PAGE_H

#include "real/compare/compare.h"

/* Writes `folder`/compare.html and `folder`/plots; `folder` exists. `scenario` is the heading.
 * STATUS_MACHINE if a file cannot be written, or if gnuplot is missing or fails. Without gnuplot
 * the page is still written, but it has no plots. */
MUST_CHECK bool compare_page_write(Arena *arena, const Comparison *comparison, const char *scenario,
                                   const char *folder, Status *status);

#endif
