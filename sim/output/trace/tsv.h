/* trace.tsv, the golden format: one line per record, integers and names only.
 *
 *     #trainyard-trace 2 level=epochs scenario=cifar10-horovod seed=7 start=2018-07-18T17:45:00Z
 *     at_ns<TAB>since_ns<TAB>record<TAB>cluster<TAB>node<TAB>job<TAB>share<TAB>bytes<TAB>name<TAB>values<TAB>cause
 *     0<TAB>0<TAB>cluster_provisioning<TAB>dev/nc6<TAB>-<TAB>-<TAB>-<TAB>-<TAB>creating<TAB>-<TAB>-
 *     ...
 *
 * Times are ns since the start, `since_ns` where a span begins (at_ns for an instant). "-" stands
 * for what a record does not have; `bytes` is there where a share is, or where it is not 0.
 * `values` are key=integer pairs in the order of trace_kind_values(); `cause` is one of
 * trace_cause_name(). In names a tab is \t, a line end \n, a backslash \\, a space of the
 * scenario's name \s, and a name that is just "-" is \-. Every line ends with LF; a file cut off in
 * the middle of a line is refused.
 *
 * The number after "#trainyard-trace" is the format's: 1 had no causes and did not count draws.
 * Only 2 is read: a trace is made again from its scenario, seed and version. */
#ifndef SIM_OUTPUT_TRACE_TSV_H
#define SIM_OUTPUT_TRACE_TSV_H

#include <stdio.h>

#include "sim/base/status.h"
#include "sim/base/text.h"
#include "sim/output/trace/row.h"

typedef struct {
    TraceLevel level;
    const char *scenario;
    uint64_t seed;
    int64_t start_unix_ms; /* simulated time 0 on the calendar */
} TraceHeader;

const char *trace_level_name(TraceLevel level); /* "jobs" */

/* --- Writing --- */

/* The first two lines. */
void trace_tsv_print_header(Text *out, const TraceHeader *header);
void trace_tsv_print_row(Text *out, const TraceRow *row);

/* A listener that writes as the run goes, in large pieces. */
typedef struct TraceTsvWriter TraceTsvWriter;

/* Writes the header. `stream` is borrowed; what it cannot take shows in ferror(stream). */
TraceTsvWriter *trace_tsv_writer_create(Arena *arena, FILE *stream, const TraceHeader *header);
TraceListener trace_tsv_writer_listener(TraceTsvWriter *writer); /* of the header's level */
/* Writes what is left and frees the writer's memory; the stream stays open. */
void trace_tsv_writer_finish(TraceTsvWriter *writer);

/* --- Reading --- */

/* Reads `length` bytes of `text`, telling `listener` each row (its strings live in `arena`). Every
 * line that is not as above adds a problem with its place; false when there was one, and what the
 * listener has made of the other rows is then worth nothing. */
MUST_CHECK bool trace_tsv_read(Arena *arena, const char *source, const char *text, size_t length,
                               TraceHeader *header, TraceListener listener, Problems *problems);

#endif
