/* The parts of a run's page, one file each. */
#ifndef REPORTS_RUN_SECTIONS_H
#define REPORTS_RUN_SECTIONS_H

#include "reports/run/facts/facts.h"
#include "sim/base/text.h"

/* Questions and answers in plain words. */
void section_answers(Text *html, const Facts *facts);
/* The few numbers that matter, large. */
void section_key_figures(Text *html, const Facts *facts);
/* "An average step took 92.1 ms: ...", a paragraph for each job that trained. */
void section_split_words(Text *html, const Facts *facts);
/* "Of $3.60 for nodes, $2.10 (58.3 %) went to ...". */
void section_money_words(Text *html, const Facts *facts);
/* Empty where the scenario has no expectation. */
void section_expectations_table(Text *html, const Facts *facts);
void section_jobs_table(Text *html, const Facts *facts);
/* Empty where the run has no workload. */
void section_workloads_table(Text *html, const Facts *facts);
/* Empty where the run has no error. */
void section_errors_table(Text *html, const Facts *facts);
void section_clusters_table(Text *html, const Facts *facts);
void section_nodes_table(Text *html, const Facts *facts);
/* Notable events with elapsed and simulated time. */
void section_events_table(Text *html, const Facts *facts);

#endif
