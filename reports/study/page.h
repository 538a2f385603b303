/* report.html of a study: the question, what the runs say, figures, points, and how to repeat a
 * run. */
#ifndef REPORTS_STUDY_PAGE_H
#define REPORTS_STUDY_PAGE_H

#include "reports/page/page.h"
#include "reports/study/facts.h"

/* The page, in `arena`. `no_plots` says why drawings are missing; NULL where they are not. */
const char *study_page(Arena *arena, const StudyFacts *facts, const Plot *plots,
                       uint32_t plot_count, const Status *no_plots);

/* Parts of the page; the page of a plan has some of them. */
void section_summary(Text *html, const StudyFacts *facts); /* sentences and tiles */
void section_idle(Text *html, const StudyFacts *facts);    /* nothing without idle levels */
void section_classes(Text *html, const StudyFacts *facts); /* nothing without tables of classes */
void section_points(Text *html, const StudyFacts *facts);
void section_settings(Text *html, const StudyFacts *facts); /* nothing without factors */
void section_repeat(Text *html, const StudyFacts *facts);
void section_method(Text *html, const StudyFacts *facts);
/* "poisson/scenario.json": the last two parts of the scenario's path. */
const char *study_short_path(const Study *study);
void study_foot_print(Text *html, const StudyFacts *facts); /* ends the page */

#endif
