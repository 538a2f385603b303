/* A figure of a run, from a function that prints its data for one layout. */
#ifndef REPORTS_RUN_FIGURE_DRAW_H
#define REPORTS_RUN_FIGURE_DRAW_H

#include "reports/figure/figure.h"
#include "reports/run/facts/facts.h"

/* Prints the data that a template needs. `subject` is the index of the cluster or job that the
 * figure is about, if it is about one. */
typedef void (*FigureData)(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout);

/* Adds `figure`, drawn by `template` from `data`, as figures_draw does. */
void figure_draw(Figures *figures, Figure figure, const char *template, FigureData data,
                 const Facts *facts, uint32_t subject, int32_t body);

#endif
