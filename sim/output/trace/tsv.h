/* trace.tsv, the golden format: one line for each record, integers and names only.
 *
 *     #trainyard-trace 2 level=epochs scenario=cifar10-horovod seed=7 start=2018-07-18T17:45:00Z
 *     #param nodes=4
 *     #file scenario.json 2dd7c6bb29ef5af8
 *     at_ns<TAB>since_ns<TAB>record<TAB>cluster<TAB>node<TAB>job<TAB>share<TAB>bytes<TAB>name<TAB>values<TAB>cause
 *     0<TAB>0<TAB>cluster_provisioning<TAB>dev/nc6<TAB>-<TAB>-<TAB>-<TAB>-<TAB>creating<TAB>-<TAB>-
 *     ...
 *
 * Each line that begins with '#', except the first, is an input of the run (given_lines() in
 * sim/cloud/spec/given.h); traces of earlier programs have none.
 *
 * tsv_columns.h has the columns, reference.h prints all of it for users.
 *
 * Times are ns since the start; `since_ns` is the begin of a span (at_ns for an instant). "-"
 * means that the record has no such value. `bytes` is given for records of a share and where it is
 * not 0. `values` are key=integer pairs in the order of trace_kind_values(); `cause` is a name of
 * trace_cause_name(). In names a tab is \t, a line end \n, a backslash \\, a space in the
 * scenario's name \s, and a name that is just "-" is \-. Every line ends with LF; a file that ends
 * in the middle of a line is refused.
 *
 * The number after "#trainyard-trace" is the version of the format. Version 1 had no causes and
 * did not count draws; only version 2 is read. A trace can be made again from its inputs, seed and
 * program version. */
#ifndef SIM_OUTPUT_TRACE_TSV_H
#define SIM_OUTPUT_TRACE_TSV_H

#include <stdio.h>

#include "sim/base/status.h"
#include "sim/base/text.h"
#include "sim/output/trace/row.h"

typedef struct {
    TraceLevel level;
    bool is_empty; /* "level=none": the file has no records; `level` is then not written */
    const char *scenario;
    uint64_t seed;
    int64_t start_unix_ms; /* simulated time 0 on the calendar */
    uint32_t given_count;
    const char *const *given; /* the inputs: "param nodes=4" */
} TraceHeader;

const char *trace_level_name(TraceLevel level); /* "jobs" */
extern const char trace_level_none[];           /* "none": no records */

/* --- Writing --- */

/* The lines before the first record. */
void trace_tsv_print_header(Text *out, const TraceHeader *header);
void trace_tsv_print_row(Text *out, const TraceRow *row);

/* A listener that writes during the run, in large pieces. */
typedef struct TraceTsvWriter TraceTsvWriter;

/* Writes the header. `stream` is borrowed. Errors of writing are reported by ferror(stream). */
TraceTsvWriter *trace_tsv_writer_create(Arena *arena, FILE *stream, const TraceHeader *header);
TraceListener trace_tsv_writer_listener(TraceTsvWriter *writer); /* listens at the header's level */
/* Writes the rest and frees the writer's memory. The stream stays open. */
void trace_tsv_writer_finish(TraceTsvWriter *writer);

/* --- Reading --- */

/* Reads `length` bytes of `text` and passes each row to `listener`; strings of rows live in
 * `arena`. Adds a problem with its place for every line that is not in the format above, and
 * returns false if there was one: the listener's result must then be discarded. */
MUST_CHECK bool trace_tsv_read(Arena *arena, const char *source, const char *text, size_t length,
                               TraceHeader *header, TraceListener listener, Problems *problems);

#endif
