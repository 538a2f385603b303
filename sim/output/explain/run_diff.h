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
#include "sim/output/trace/fingerprint.h"

/* The files of a run. `source` names the trace in messages. */
typedef struct {
    const char *source;
    const char *trace; /* all of trace.tsv */
    size_t trace_length;
    const Json *summary; /* NULL: made from the trace */
} RecordedRun;

/* A line of a trace. */
typedef struct {
    int64_t number; /* from 1, among the records down to the compared level */
    int64_t at_ns;
    const char *text; /* as in the file, without its line end; NULL: the run is over */
} DiffRecord;

/* A value of the summaries that differs. */
typedef struct {
    const char *name;      /* "jobs.cifar.run_s" */
    const Json *a, *b;     /* NULL: absent */
    int64_t change_e9;     /* b - a in 10^-9; PLAIN_UNKNOWN: they are not quantities */
    int64_t change_tenths; /* in tenths of a percent of a; PLAIN_UNKNOWN: a is 0, or as above */
} DiffMetric;

enum { DIFF_CONTEXT_RECORDS = 3 };

typedef struct {
    /* The traces have the same records (their headers do not count; traces of two levels are
     * compared at the coarser one), the summaries have the same values, and their fingerprints,
     * which include finer records, have the same ingredients. */
    bool is_same;
    TraceLevel level_a, level_b;
    const char *const *inputs_a; /* inputs that the other run does not have */
    const char *const *inputs_b;
    uint32_t input_count_a, input_count_b;
    int64_t same_records; /* before the first difference */
    bool has_same_records;
    DiffRecord *before; /* the last of the same records, at most DIFF_CONTEXT_RECORDS */
    uint32_t before_count;
    DiffRecord a, b; /* the first that differ */
    FingerprintComparison fingerprints;
    DiffMetric *metrics;
    uint32_t metric_count;
} RunDiff;

/* Compares two runs; `diff` is in `arena` and refers to `a` and `b`. False when a trace is not
 * valid, with the problems of both. */
MUST_CHECK bool run_diff(Arena *arena, const RecordedRun *a, const RecordedRun *b, RunDiff *diff,
                         Problems *problems);
/* Prints how the runs differ, or that they do not. */
void run_diff_print(Arena *arena, const RunDiff *diff, Text *out);

#endif
