/* Two runs compared: the first difference of their traces, and the differences of their summaries.
 *
 *     The runs had different inputs:
 *
 *       A  param nodes=4
 *       B  param nodes=6
 *
 *     Records 1 to 411 are the same; record 412 differs:
 *        411    4 min 42 s   cluster_ready  batchaidev/nc6cluster  nodes=4
 *     A  412    4 min 44 s   job_state  ...  running
 *     B  412    4 min 45 s   job_state  ...  running
 *     The runs differ in: times, bills. They are the same in: events, nodes, jobs, files, draws.
 *
 *     Metric                        A      B    Change        %
 *     ----------------------  -------  -----  --------  -------
 *     jobs.cifar.run_s         3711.2   3698     -13.2     -0.4 */
#ifndef SIM_OUTPUT_RUN_DIFF_H
#define SIM_OUTPUT_RUN_DIFF_H

#include "sim/json/json.h"

/* The files of a run. `source` names the trace in messages. */
typedef struct {
    const char *source;
    const char *trace; /* all of trace.tsv */
    size_t trace_length;
    const Json *summary; /* NULL: made from the trace */
} RecordedRun;

/* Prints to `out` how `a` and `b` differ, or that they do not. `*is_same`: the traces have the
 * same records (their headers do not count; traces of two levels are compared at the coarser
 * one), the summaries have the same values, and their fingerprints, which include finer records,
 * have the same ingredients. False, with nothing printed, when a trace is not valid. */
MUST_CHECK bool run_diff_print(Arena *arena, const RecordedRun *a, const RecordedRun *b, Text *out,
                               bool *is_same, Problems *problems);

#endif
