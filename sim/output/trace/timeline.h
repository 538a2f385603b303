/* timeline.json: a run in Chrome's trace-event format, for https://ui.perfetto.dev and
 * chrome://tracing.
 *
 *     process          threads                      slices
 *     commands         -                            marks: what was asked, refused, never came,
 *                                                   and groups that were struck
 *     jobs             one for each job             queued, running, terminating; marks: stalled,
 *                                                   requeued, resumed, errors
 *                      counter "jobs"               how many wait, how many run
 *     cluster NAME     allocation                   resizing, steady; marks: errors, limits of
 *                                                   scaling
 *                      one for each node            state > job > stage, training > epoch,
 *                                                   evaluation, checkpoint; marks: errors, notices,
 *                                                   crashes, another speed
 *                      one for each rank (level     steps; their parts stand in "args"
 *                      steps)
 *                      counter "nodes"              how many nodes are in each state
 *                      counter "billed nodes"       their sum
 *     share NAME       as many as overlap           transfers; marks: slower, out, up again
 *     file servers     one for each                 its life, as it is billed
 *
 * Times are microseconds with three decimals, so ns are exact. All slices are complete ("X") and
 * those of a thread nest: of any two, one lies in the other or they do not overlap. An outer slice
 * stands in the file before those inside it, also where both begin at once. Processes and threads
 * are named ("M") before they are first used. Written as the run goes; what happens on a node is
 * kept until the node changes its state, because the outer slice ends last. A state that has a
 * cause says so in "args", with the reason in plain words where there is one. */
#ifndef SIM_OUTPUT_TIMELINE_H
#define SIM_OUTPUT_TIMELINE_H

#include <stdio.h>

#include "sim/base/arena.h"
#include "sim/output/trace/row.h"

typedef struct TimelineWriter TimelineWriter;

/* `stream` is borrowed; what it cannot take shows in ferror(stream). */
TimelineWriter *timeline_writer_create(Arena *arena, FILE *stream, TraceLevel level);
TraceListener timeline_writer_listener(TimelineWriter *timeline);
/* Closes what is open at the time of the last row, ends the JSON and frees the memory outside the
 * arena; the stream stays open. */
void timeline_writer_finish(TimelineWriter *timeline);

#endif
