/* The data of plots/split.gp: a bar for each row, divided into parts that add up to a whole. */
#ifndef REPORTS_FIGURE_BARS_H
#define REPORTS_FIGURE_BARS_H

#include "reports/figure/figure.h"

/* A kind of part, and the ink of the number inside: a contrast of at least 4.5 to 1. */
typedef struct {
    Shade shade;
    int32_t ink_rgb;
} BarShade;

/* Properties common to all rows of a figure. */
typedef struct {
    const BarShade *shades;  /* [count] */
    int32_t count;           /* at most 32 */
    int64_t number_from_ppm; /* narrower parts have no room for a number */
    FigureLayout layout;
} BarStyle;

typedef struct {
    BarStyle style;
    Arena *arena;
    const char **labels; /* of the rows */
    uint32_t row;        /* number of rows so far */
    uint32_t used;       /* a bit for each kind of part that any of them has */
    Text parts, numbers;
} Bars;

/* Begins a figure of `rows` rows, each added with bars_add. */
Bars bars_begin(uint32_t rows, BarStyle style);
/* `amounts` [style.count] are >= 0 and not all 0. */
void bars_add(Bars *bars, const char *name, const int64_t *amounts);
/* Prints names of rows, legend and parts; `bars` must not be used afterwards. */
void bars_end(Text *out, Bars *bars);

/* The legend of the first `count` kinds of part, those in `used`. */
void bars_key_print(Text *out, const BarShade *shades, int32_t count, uint32_t used,
                    FigureLayout layout);

#endif
