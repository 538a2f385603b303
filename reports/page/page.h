/* report.html: one page for people who decide. Answers first, then figures, plots, tables, what
 * happened when, and how the run can be had again. */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include "reports/facts.h"
#include "reports/figure/figure.h"
#include "sim/base/text.h"

typedef struct {
    const Figure *figure;
    const char *wide; /* SVG elements; NULL where there is nothing to draw, or no gnuplot */
    const char *narrow;
} PagePlot;

/* The page, in `arena`. `plots` come in the order of their sections. `no_plots` says why the plots
 * that should be there are not; NULL when they are. */
const char *page_of(Arena *arena, const Facts *facts, const PagePlot *plots, uint32_t plot_count,
                    const Status *no_plots);

/* --- For pages of something else --- */

/* From the first byte to the heading, all plain text; the header is still open then. */
void page_begin(Text *html, const char *title, const char *kicker, const char *heading);
/* A figure; `no_plots` as above. */
void page_plot_print(Text *html, const PagePlot *plot, const Status *no_plots);

/* --- For the modules that make a part of the page --- */

/* Questions and answers in plain words. */
void page_answers(Text *html, const Facts *facts);
/* The few numbers that matter, large. */
void page_key_figures(Text *html, const Facts *facts);
/* "An average step took 92.1 ms: ...", a paragraph for each job that trained. */
void page_split_words(Text *html, const Facts *facts);
/* "Of $3.60 for nodes, $2.10 (58.3 %) went to ...". */
void page_money_words(Text *html, const Facts *facts);
void page_jobs_table(Text *html, const Facts *facts);
/* The next two are empty where there are no such things. */
void page_workloads_table(Text *html, const Facts *facts);
void page_errors_table(Text *html, const Facts *facts);
void page_clusters_table(Text *html, const Facts *facts);
void page_nodes_table(Text *html, const Facts *facts);
/* Notable events with elapsed and simulated time. */
void page_events_table(Text *html, const Facts *facts);

/* The simulated clock at `at_ns`: "2018-07-18 17:47:02", and its second half alone;
 * rounded, so that start and span add up on the page. */
void clock_print(Text *out, const Facts *facts, int64_t at_ns);
void clock_time_print(Text *out, const Facts *facts, int64_t at_ns);

#endif
