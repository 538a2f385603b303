/* A record with the names of its cluster, node, job and share, so that a fold over a run needs no
 * world. Rows come live from a world (fan.h) or from a file (tsv.h), and the same fold runs over
 * both.
 *
 * Ids are dense, numbered in order of creation (live) or of first appearance (file). Both
 * orders are the same for clusters, nodes and jobs, so folds keep arrays indexed by ids. Two
 * jobs of one name, the first deleted before the second is created, have two ids. */
#ifndef SIM_OUTPUT_TRACE_ROW_H
#define SIM_OUTPUT_TRACE_ROW_H

#include "sim/base/text.h"
#include "sim/cloud/record/trace_record.h"

typedef struct {
    TraceRecord record;
    const char
        *cluster;     /* "workspace/cluster"; NULL when the record has no cluster, likewise below */
    const char *node; /* "tvm-..." */
    const char *job;  /* "workspace/experiment/job" */
    const char *share; /* "account/share" */
} TraceRow;

/* Adds the name of a TRACE_NODE_ERROR without the name of the node: "InternalError: node tvm-1:
 * the disk is full" becomes "InternalError: the disk is full", which many nodes may have in
 * common. */
void trace_row_print_error(Text *out, const TraceRow *row);

/* A listener to rows, in order of time. A row is borrowed for the call. Its strings live as long
 * as their source: the world, or the arena given to the reader. */
typedef struct {
    void *listener;
    TraceLevel level; /* rows of kinds above this level are not passed on */
    /* The listener does not use the names of jobs of workloads. If no listener uses them, these
     * jobs have a common name, "workspace/experiment/day-*". After four bytes, so that the padding
     * of a listener in a session never looks like an address, which a snapshot would respect. */
    bool ignores_workload_names;
    void (*row)(void *listener, const TraceRow *row);
    /* Optional: everything that happens at `at_ns` has happened. Called only by a live world, at
     * every level. */
    void (*instant)(void *listener, int64_t at_ns);
} TraceListener;

#endif
