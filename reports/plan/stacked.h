/* A row for each candidate, divided into parts by cause, in amounts. Private to reports/plan. */
#ifndef REPORTS_PLAN_STACKED_H
#define REPORTS_PLAN_STACKED_H

#include "reports/figure/figure.h"

enum { STACKED_ROWS_MAX = 12 };

typedef struct {
    int32_t row_count, kind_count;
    const char *const *rows;  /* [row_count] labels */
    const char *const *names; /* [row_count] in the table of numbers */
    const char *const *kinds; /* [kind_count] names */
    const double *amounts;    /* [row * kind_count + kind] >= 0; NAN: unknown */
    const char *row_heading, *x_label;
    const char *(*words)(Arena *arena, double amount); /* of the numbers */
} Stacked;

/* Draws the rows; the kinds with the largest sums have separate colours, all others have one.
 * `figure` has section, file, title and note. Nothing without amounts. */
void stacked_draw(Figures *figures, Figure figure, const Stacked *stacked);

#endif
