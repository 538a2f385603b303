/* A drawing with a row for each point or factor: bars, intervals and marks along one axis. */
#ifndef REPORTS_STUDY_ROWS_H
#define REPORTS_STUDY_ROWS_H

#include "reports/figure/figure.h"
#include "reports/study/range.h"

typedef struct {
    Arena *arena;
    int32_t capacity; /* of rows */
    int32_t row_count;
    const char **labels;
    Text bars, spans, marks;
    Range range;
    double zero; /* where the upright line is */
    const char *x_label;
    const Shade *shades; /* the legend */
    int32_t shade_count;
    FigureNumbers *numbers; /* a row for each row */
} Rows;

/* `headings` as for numbers_create. At most `capacity` rows. */
Rows rows_begin(Arena *arena, int32_t capacity, double zero, const char *const *headings,
                int32_t column_count);
/* Begins the next row; `label` and `cells` are copied. */
void rows_add(Rows *rows, const char *label, const char *const *cells);
/* Marks in the row that was begun last. */
void rows_bar(Rows *rows, double from, double to, double below, double half_height, int32_t rgb);
void rows_span(Rows *rows, double low, double high);
void rows_mark(Rows *rows, double value, int32_t rgb);
/* Draws the rows, of which there is at least one; `rows` must not be used afterwards. */
void rows_draw(Figures *figures, Figure figure, Rows *rows);

#endif
