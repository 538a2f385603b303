/* Private to sim/output/trace: the marks of a timeline, which are moments on a thread. */
#ifndef SIM_OUTPUT_TRACE_TIMELINE_MARKS_H
#define SIM_OUTPUT_TRACE_TIMELINE_MARKS_H

#include "sim/output/trace/timeline_lines.h"

/* Marks the row's moment on a thread, called `name`, with its cause. */
void timeline_mark(TimelineWriter *timeline, ChromeTrack track, const TraceRow *row,
                   const char *name);
/* Writes the mark that records of the row's kind have on the line of their node, job or cluster. */
void timeline_mark_row(TimelineWriter *timeline, const TraceRow *row);

#endif
