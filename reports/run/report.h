/* The report of a run: DIR/report.html and DIR/plots. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "reports/run/facts/facts.h"
#include "sim/base/status.h"

/* Writes `run_directory`/report.html, one self-contained page, and the same plots as files
 * in `run_directory`/plots. The same run gives the same bytes (with the same gnuplot). `rows` are
 * the rows of the run's trace, as `report_rows_listener` has kept them; they are taken over.
 *
 * When gnuplot is missing or fails, the page has a note in place of each plot, and `*no_plots`
 * says why; a status without error otherwise, which it must be before the call. STATUS_MACHINE when
 * something cannot be written. Allocates in `arena`, also the place of a failed status. */
MUST_CHECK bool report_write_run(Arena *arena, const char *run_directory, const Summary *summary,
                                 ReportRows *rows, const TraceHeader *header, Status *no_plots,
                                 Status *status);

/* The same from the files summary.json and trace.tsv in `run_directory`. `wait_target_ns` is the
 * longest time that jobs should wait; 0: the target of the run. Plots that are missing are a
 * failure, with STATUS_MACHINE, although the page is written. STATUS_NOT_FOUND or STATUS_BAD_INPUT
 * when a file is missing or broken: nothing is written then. */
MUST_CHECK bool report_write(Arena *arena, const char *run_directory, int64_t wait_target_ns,
                             Status *status);

#endif
