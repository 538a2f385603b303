/* Traces told in a test: a line for each record, columns separated by single spaces, times in whole
 * seconds ("12s") where that reads better than ns. A record's cause follows its kind:
 * "node_state:preemption". Read by trace_tsv_read, so what a test tells
 * its listeners is what a file would. */
#ifndef TESTS_SUPPORT_TRACE_STORY_H
#define TESTS_SUPPORT_TRACE_STORY_H

#include "sim/output/trace/row.h"
#include "sim/output/trace/tsv.h"

/* The text of a trace.tsv of the given records, ended by NULL. */
const char *trace_story_text(Arena *arena, const char *const *lines);
/* Tells `listener` the records; a test fails when one is not right. */
void trace_story_tell(Arena *arena, const char *const *lines, TraceListener listener);

/* Two nodes, one job that trains two epochs of two steps, one file left on a share. */
extern const char *const trace_story_training[];

#endif
