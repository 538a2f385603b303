/* The page of a comparison: compare.html, one file that needs no other, and its plots. */
#ifndef REAL_COMPARE_PAGE_H
#define REAL_COMPARE_PAGE_H

#include "real/compare/compare.h"

/* Writes `folder`/compare.html and `folder`/plots, where the folder exists. `scenario` is its
 * heading. STATUS_MACHINE when something cannot be written, or gnuplot is missing or fails: the
 * page is then written all the same, without plots. */
MUST_CHECK bool compare_page_write(Arena *arena, const Comparison *comparison, const char *scenario,
                                   const char *folder, Status *status);

#endif
