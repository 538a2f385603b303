/* Figures drawn by gnuplot, for a page and as files. */
#ifndef REPORTS_DRAWING_H
#define REPORTS_DRAWING_H

#include "reports/figure/figure.h"
#include "sim/base/status.h"

/* A drawing of a figure and where it goes. */
typedef struct {
    const Figure *figure;
    bool is_narrow;
    char *drawing; /* as gnuplot wrote it; NULL: it did not */
} Drawing;

typedef struct {
    int32_t count;
    Drawing *items;
} Drawings;

/* A figure as elements of a page. */
typedef struct {
    const Figure *figure;
    const char *wide; /* SVG elements; NULL without data or without gnuplot */
    const char *narrow;
} Plot;

/* Draws those of `figures` that have data, each figure for a page and for a phone, in `arena`.
 * STATUS_MACHINE when gnuplot is missing or fails: `drawings` then has none, but can be used. */
MUST_CHECK bool drawings_make(Arena *arena, const Figures *figures, Drawings *drawings,
                              Status *status);
/* `directory`/plots/FILE.svg and FILE-narrow.svg; makes the folder. STATUS_MACHINE on failure. */
MUST_CHECK bool drawings_write(Arena *arena, const char *directory, const Drawings *drawings,
                               Status *status);
/* As elements of a page: one for each of `figures`, in their order. */
const Plot *drawings_plots(Arena *arena, const Figures *figures, const Drawings *drawings);

#endif
