/* A record together with the names of what it concerns, so that whoever folds over a run needs no
 * world: rows come live from a world (trace_fan.h) or from a file (trace_tsv.h), and the same fold
 * runs over both.
 *
 * Ids are dense, numbered in order of creation (live) or of first appearance (file), which is the
 * same order for clusters, nodes and jobs: folds keep arrays indexed by them. Two jobs of one name,
 * the first deleted before the second is made, have two ids. */
#ifndef SIM_OUTPUT_TRACE_ROW_H
#define SIM_OUTPUT_TRACE_ROW_H

#include "sim/base/text.h"
#include "sim/cloud/record/trace_record.h"

typedef struct {
    TraceRecord record;
    const char *cluster; /* "workspace/cluster"; NULL where the record concerns none, as below */
    const char *node;    /* "tvm-..." */
    const char *job;     /* "workspace/experiment/job" */
    const char *share;   /* "account/share" */
} TraceRow;

/* Adds the name of a TRACE_NODE_ERROR without the part that repeats which node it is: of
 * "InternalError: node tvm-1: the disk is full" only "InternalError: the disk is full", which many
 * nodes may have in common. */
void trace_row_print_error(Text *out, const TraceRow *row);

/* Rows come in order of time. The row is borrowed for the call; its strings live as long as their
 * source (the world, or the arena given to the reader). */
typedef struct {
    void *listener;
    TraceLevel level; /* rows of kinds above it are not told */
    void (*row)(void *listener, const TraceRow *row);
    /* Optional: all that happens at `at_ns` has happened. Only live from a world, and at every
     * level. */
    void (*instant)(void *listener, int64_t at_ns);
} TraceListener;

#endif
