/* The report of a run: DIR/report.html and DIR/plots, made from DIR/summary.json and
 * DIR/trace.tsv. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "sim/base/status.h"

/* Writes `run_directory`/report.html, one self-contained page, and the same plots as files
 * in `run_directory`/plots. The same run files give the same bytes (with the same gnuplot).
 *
 * STATUS_NOT_FOUND or STATUS_BAD_INPUT when the run's files are missing or broken: nothing is
 * written then.
 * STATUS_MACHINE when something cannot be written, or when gnuplot is missing or fails: the page is
 * then written nevertheless, with a note in place of each plot. Allocates in `arena`, also the
 * place of a failed status. */
MUST_CHECK bool report_write(Arena *arena, const char *run_directory, Status *status);

#endif
