/* The report of a study: DIR/report.html and DIR/plots. */
#ifndef REPORTS_STUDY_REPORT_H
#define REPORTS_STUDY_REPORT_H

#include "sim/study/outcome.h"

/* Writes `folder`/report.html, one self-contained page, and the same plots as files in
 * `folder`/plots. The same outcome gives the same bytes (with the same gnuplot); it may be that of
 * an unfinished study, which the page then says.
 *
 * When gnuplot is missing or fails, the page has a note in place of each plot, and `no_plots`,
 * which must be empty, gets the reason. STATUS_MACHINE when something cannot be written. */
MUST_CHECK bool study_report_write(Arena *arena, const char *folder, const StudyOutcome *outcome,
                                   Status *no_plots, Status *status);

#endif
