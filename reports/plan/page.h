/* report.html of a plan: the answer in two sentences, then why, how sure, and what would change it.
 */
#ifndef REPORTS_PLAN_PAGE_H
#define REPORTS_PLAN_PAGE_H

#include "reports/page/page.h"
#include "reports/plan/facts.h"

/* The page, in `arena`. `no_plots` says why drawings are missing; NULL where they are not. */
const char *plan_page(Arena *arena, const PlanFacts *facts, const Plot *plots, uint32_t plot_count,
                      const Status *no_plots);

/* Private to reports/plan: parts of the page. Each prints nothing if it has nothing to say. */
void section_answer(Text *html, const PlanFacts *facts);   /* sentences and key figures */
void section_compared(Text *html, const PlanFacts *facts); /* next best and baseline */
/* The best candidate at each level of the factors whose levels are words. */
void section_ways(Text *html, const PlanFacts *facts);
void section_others(Text *html, const PlanFacts *facts); /* why the others lose */
void section_why(Text *html, const PlanFacts *facts);
void section_flip(Text *html, const PlanFacts *facts);
void section_load(Text *html, const PlanFacts *facts);
void section_stranded(Text *html, const PlanFacts *facts);
void section_quota(Text *html, const PlanFacts *facts);
void section_closed_form(Text *html, const PlanFacts *facts);
void section_assumptions(Text *html, const PlanFacts *facts);
void section_jobs(Text *html, const PlanFacts *facts);       /* words below the waits */
void section_bad_runs(Text *html, const PlanFacts *facts);   /* words below the risk's figure */
void section_candidates(Text *html, const PlanFacts *facts); /* all of them, with commands */
void section_decision(Text *html, const PlanFacts *facts);   /* how it was decided */

#endif
