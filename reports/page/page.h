/* The parts that every HTML page has: head, figures, contents. */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include "reports/figure/drawing.h"
#include "sim/base/status.h"
#include "sim/base/text.h"

/* From the first byte to the heading. `title`, `kicker` and `heading` are plain text. The header
 * element is still open. */
void page_begin(Text *html, const char *title, const char *kicker, const char *heading);
/* Ends the page after its last element. Each heading h2 gets an id, which is made of its words and,
 * after an equal one, of a number. A long page gets a list of links to them, after its first
 * section. */
void page_end(Text *html);
/* A figure. `no_plots` says why drawings are missing; NULL where they are not. */
void page_plot_print(Text *html, const Plot *plot, const Status *no_plots);

/* Prints on stderr that `page`, a path, was written without plots, and why; nothing if `no_plots`
 * is a status without error. Machines that only compute need no gnuplot, so missing plots are a
 * failure of `trainyard report` alone. */
void page_warn_of_plots(const char *page, const Status *no_plots);

#endif
