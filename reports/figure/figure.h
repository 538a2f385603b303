/* Figures: data for a gnuplot template, with a title and a note.
 *
 * A figure is drawn twice, for a page and for a phone, because letters in a scaled drawing become
 * too small to read. Its script is a head ("width", "body": the height between legend and axis,
 * "narrow", "plot_left"), data, reports/figure/plots/style.gp and reports/figure/plots/TEMPLATE.gp,
 * in this order. Data are numbers in seconds, per cent and dollars, and names as quoted strings. */
#ifndef REPORTS_FIGURE_H
#define REPORTS_FIGURE_H

#include <stdbool.h>

#include "reports/figure/numbers.h"
#include "sim/base/arena.h"
#include "sim/base/text.h"

typedef struct {
    int32_t width; /* pixels */
    bool is_narrow;
} FigureLayout;

typedef struct {
    int32_t section;   /* of the page; the page chooses the numbers */
    const char *file;  /* of plots/: "nodes" for nodes.svg and nodes-narrow.svg */
    const char *title; /* plain text */
    const char *note;  /* one or more sentences of plain text below it, or "" */
    bool is_half;      /* next to another where there is room */
    int32_t left,
        left_narrow;     /* pixels left of the plot's area, for templates that use plot_left */
    int32_t body_narrow; /* the height of the narrow drawing, if it has another; 0 */
    const FigureNumbers *numbers; /* NULL: none are shown */
    PlotArea area, area_narrow;   /* made by figures_draw, if there are numbers */
    const char *wide; /* script; NULL when there is nothing to draw and `note` says why */
    const char *narrow;
} Figure;

typedef struct {
    Arena *arena;
    Figure *items;
    uint32_t count;
    uint32_t capacity;
} Figures;

/* The layout of a figure, for a page or for a phone. */
FigureLayout figure_layout(bool is_half, bool is_narrow);
/* Adds `figure`, drawn by `template` (a file of plots/) from its printed data in both layouts;
 * `body` is the height in pixels without legend and axis. */
void figures_draw(Figures *figures, Figure figure, const char *template, const char *wide_data,
                  const char *narrow_data, int32_t body);
/* Adds a figure that has nothing to draw; its note says why. */
void figures_missing(Figures *figures, Figure figure);

/* A kind of mark and its place in the legend. */
typedef struct {
    const char *name;
    int32_t rgb; /* 0xRRGGBB */
} Shade;
/* The legend: "kinds", "kind_name[]", "kind_rgb[]" for the `count` shades whose bit is set in
 * `used`, in order; "kind_x[]" and "kind_y[]", their places (pixels from the left and from the
 * top), and "key_height". gnuplot's own legend takes as many columns as the longest name allows. */
void key_print(Text *out, const Shade *shades, int32_t count, uint32_t used, FigureLayout layout);

/* Names of rows, left of the plot's area, in one or two lines (reports/text/labels.h): "rows",
 * "row_label[]", "row_under[]". */
void row_labels_print(Text *out, const char *const *labels, int32_t count);
/* A string for gnuplot, in lines. */
void lines_print(Text *out, const char *lines);

/* The axis of simulated time from 0 to `end_ns`: "unit_s" (seconds in a unit), "x_end" and "x_step"
 * (in units), "x_label". */
void time_axis_print(Text *out, int64_t end_ns, FigureLayout layout);
/* A round step (1, 2 or 5 times a power of ten) that cuts `range` into at most `steps_max`. */
int64_t round_step(int64_t range, int64_t steps_max);

/* Black or white: the one that is read on `rgb`, with a contrast of at least 4.5 to 1. */
int32_t ink_on(int32_t rgb);

/* Colours of series without a fixed meaning: distinguishable with any colour vision, and as lines
 * and points on light and dark paper. tests/reports/run/figures/test_palette.c checks both. */
enum { SERIES_MAX = 6 };
extern const int32_t series_rgb[SERIES_MAX];

#endif
