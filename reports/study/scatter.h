/* A drawing of points by two values with their intervals, such as waiting time over cost. */
#ifndef REPORTS_STUDY_SCATTER_H
#define REPORTS_STUDY_SCATTER_H

#include "reports/figure/figure.h"

/* In the units of the axis. The ends are those of the bar; both are the value if it has
 * no bar. */
typedef struct {
    double value, low, high;
} ScatterValue;

typedef struct {
    ScatterValue x, y;
    int32_t rgb;
    const char *mark;          /* a letter: SCATTER_DOT, ... */
    const char *name, *number; /* in the drawing, NULL: none; the number on a phone, or if
                                  the name has no room */
    const char *const *cells;  /* of the table of numbers */
} ScatterPoint;

#define SCATTER_DOT "\xE2\x97\x8F"
#define SCATTER_CIRCLE "\xE2\x97\x8B"
#define SCATTER_DIAMOND "\xE2\x97\x86"
#define SCATTER_TRIANGLE "\xE2\x96\xB2"

typedef struct {
    Arena *arena;
    const ScatterPoint *points; /* those of more importance first: their names stay */
    int32_t count;              /* >= 1 */
    bool has_bars;              /* false: smaller marks */
    const char *x_label;
    const Shade *shades; /* the legend; shown if there are two */
    int32_t shade_count; /* at most 32 */
    /* A line across at a limit of y, and a band of values of x that count as equal; NAN: none. */
    double y_limit, x_band_low, x_band_high;
    const char *y_limit_name;    /* with y_limit */
    const char *const *headings; /* [column_count]; they live as long as the figures */
    int32_t column_count;
    int32_t row_count; /* how many points are in the table */
} Scatter;

/* Draws the points, with the table of their numbers. `figure` has section, file, title and note. */
void scatter_draw(Figures *figures, Figure figure, const Scatter *scatter);

#endif
