/* Private to sim/output/trace: the columns of trace.tsv (tsv.h). */
#ifndef SIM_OUTPUT_TRACE_TSV_COLUMNS_H
#define SIM_OUTPUT_TRACE_TSV_COLUMNS_H

#include "sim/base/text.h"

/* X(ENUM, name, meaning) */
#define TSV_COLUMNS(X)                                                                             \
    X(AT, "at_ns", "the time, ns since the start; lines are in order of time")                     \
    X(SINCE, "since_ns", "the begin of a span that ends at at_ns; at_ns for an instant")           \
    X(RECORD, "record", "what happened: a row of the next table")                                  \
    X(CLUSTER, "cluster", "WORKSPACE/CLUSTER")                                                     \
    X(NODE, "node", "the name of the node")                                                        \
    X(JOB, "job", "WORKSPACE/EXPERIMENT/JOB")                                                      \
    X(SHARE, "share", "ACCOUNT/SHARE, or ACCOUNT/blob:NAME of a blob container")                   \
    X(BYTES, "bytes", "of records of a share, and where it is not 0")                              \
    X(NAME, "name", "depends on the record")                                                       \
    X(VALUES, "values", "KEY=INTEGER pairs, separated by spaces")                                  \
    X(CAUSE, "cause", "why it happened; most records have none")

enum {
#define X(column, name, meaning) TSV_##column,
    TSV_COLUMNS(X)
#undef X
        TSV_COLUMN_COUNT
};

/* The line with their names. */
void trace_tsv_print_columns(Text *out);

#endif
