/* The report of a run: DIR/report.html and DIR/plots, made from DIR/summary.json and
 * DIR/trace.tsv. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "sim/base/status.h"

/* Writes `run_directory`/report.html, one page that needs nothing else, and the same plots as files
 * in `run_directory`/plots. The same run files give the same bytes (with the same gnuplot).
 *
 * A failure's place is `run_directory`; its message begins with the file, line and column in it.
 * STATUS_BAD_INPUT when the run's files are missing or broken: nothing is written then.
 * STATUS_MACHINE when something cannot be written, or when gnuplot is missing or fails: the page is
 * then written all the same, with a note in place of each plot. */
MUST_CHECK bool report_write(const char *run_directory, Status *status);

#endif
