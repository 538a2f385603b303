/* The plots of a report: for each, the facts that it shows as data for a gnuplot template.
 *
 * A figure is drawn twice, for a page and for a phone, because a drawing made smaller has letters
 * that nobody can read. Its script is a head ("width", "body": the height between legend and axis,
 * "narrow"), data, reports/plots/style.gp and reports/plots/TEMPLATE.gp, in this order. Data are
 * numbers in seconds, per cent and dollars, and names as quoted strings. */
#ifndef REPORTS_FIGURE_H
#define REPORTS_FIGURE_H

#include "reports/facts.h"
#include "sim/base/text.h"

/* Where in the page a figure stands. */
typedef enum {
    SECTION_NODES,
    SECTION_GANTT,
    SECTION_SPLIT,
    SECTION_LEARNING,
    SECTION_MONEY,
    SECTION_COST,
    SECTION_COUNT
} FigureSection;

typedef struct {
    int32_t width; /* pixels */
    bool is_narrow;
} FigureLayout;

typedef struct {
    FigureSection section;
    const char *file;  /* of plots/: "nodes" for nodes.svg and nodes-narrow.svg */
    const char *title; /* plain text */
    const char *note;  /* one or more sentences of plain text below it, or "" */
    bool is_half;      /* stands beside another where there is room */
    const char *wide;  /* script; NULL when there is nothing to draw and `note` says why */
    const char *narrow;
} Figure;

typedef struct {
    Arena *arena;
    Figure *items;
    uint32_t count;
    uint32_t capacity;
} Figures;

/* All figures of a run, in the order of the page; each section has at least one. */
Figures figures_of(Arena *arena, const Facts *facts);

/* --- For the modules that fill a section --- */

void figures_nodes(Figures *figures, const Facts *facts);
void figures_gantt(Figures *figures, const Facts *facts);
void figures_split(Figures *figures, const Facts *facts);
void figures_learning(Figures *figures, const Facts *facts);
void figures_money(Figures *figures, const Facts *facts);
void figures_cost(Figures *figures, const Facts *facts);

/* Prints the data that a template wants, for one layout. `subject` is the cluster's or job's index
 * where the figure is about one. */
typedef void (*FigureData)(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout);

/* Adds `figure` drawn by `template` (a file of plots/) from `data`; `body` pixels high, legend and
 * axis not counted. */
void figures_draw(Figures *figures, Figure figure, const char *template, FigureData data,
                  const Facts *facts, uint32_t subject, int32_t body);
/* The same from data that are printed already, for the wide layout of such a figure and for a
 * phone's: for figures of something else than a run. */
FigureLayout figure_layout(bool is_half, bool is_narrow);
void figures_draw_data(Figures *figures, Figure figure, const char *template, const char *wide_data,
                       const char *narrow_data, int32_t body);
/* Adds a figure that has nothing to draw; its note says why. */
void figures_missing(Figures *figures, Figure figure);

/* A kind of mark and its place in the legend. */
typedef struct {
    const char *name;
    int32_t rgb; /* 0xRRGGBB */
} Shade;
/* The legend: "kinds", "kind_name[]", "kind_rgb[]" for the `count` shades whose bit is set in
 * `used`, in order; "kind_x[]" and "kind_y[]", where they stand (pixels from the left and from the
 * top), and "key_height". gnuplot's own legend takes as many columns as the longest name allows. */
void key_print(Text *out, const Shade *shades, int32_t count, uint32_t used, FigureLayout layout);

/* The axis of simulated time from 0 to `end_ns`: "unit_s" (seconds in a unit), "x_end" and "x_step"
 * (in units), "x_label". */
void time_axis_print(Text *out, int64_t end_ns, FigureLayout layout);
/* A round step (1, 2 or 5 times a power of ten) that cuts `range` into at most `steps_max`. */
int64_t round_step(int64_t range, int64_t steps_max);

/* Colours of series that have no meaning of their own: distinguishable with any colour vision (P.
 * Tol, "Colour schemes", SRON/EPS/TN/09-002, scheme "bright"). */
enum { SERIES_MAX = 6 };
extern const int32_t series_rgb[SERIES_MAX];

#endif
