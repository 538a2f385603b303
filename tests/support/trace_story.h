/* Traces written in a test: a line for each record, columns separated by single spaces, times in
 * whole seconds ("12s") where that reads better than ns. A record's cause follows its kind:
 * "node_state:preemption". Read by trace_tsv_read, so the listeners of a
 * test receive the same records as from a file. */
#ifndef TESTS_SUPPORT_TRACE_STORY_H
#define TESTS_SUPPORT_TRACE_STORY_H

#include "sim/output/trace/row.h"
#include "sim/output/trace/tsv.h"

/* The text of a trace.tsv of the given records, ended by NULL. */
const char *trace_story_text(Arena *arena, const char *const *lines);
/* Passes the records to `listener`; the test fails if a line is malformed. */
void trace_story_tell(Arena *arena, const char *const *lines, TraceListener listener);

/* Two nodes, one job that trains two epochs of two steps, one file left on a share. */
extern const char *const trace_story_training[];

#endif
