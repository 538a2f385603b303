/* timeline.json: a run in Chrome's trace-event format, for https://ui.perfetto.dev and
 * chrome://tracing.
 *
 *     process          threads                      slices
 *     commands         -                            marks: commands applied, refused and skipped,
 *                                                   and groups that failed
 *     jobs             one for each job             queued, running, terminating; marks: stalled,
 *                                                   requeued, resumed, errors
 *                      counter "jobs"               how many wait, how many run
 *     cluster NAME     allocation                   resizing, steady; marks: errors, limits of
 *                                                   scaling
 *                      one for each node            state > job > stage, training > epoch,
 *                                                   evaluation, checkpoint; marks: errors, notices,
 *                                                   crashes, changes of speed, repair
 *                                                   crews
 *                      one for each slot of a       job > stage, training > epoch, evaluation,
 *                      node that jobs share, as     checkpoint: those on a job's first slot
 *                      many as are in use at once   of the node
 *                      one for each rank (level     steps, with their parts in "args"
 *                      steps)
 *                      counter "nodes"              how many nodes are in each state
 *                      counter "billed nodes"       their sum
 *     share NAME       as many as overlap           transfers; marks: slower, out, up again
 *     file servers     one for each                 its life, as billed
 *
 * Times are microseconds with three decimals, so ns are exact. All slices are complete ("X"),
 * and slices of a thread nest: of any two, one is inside the other or they do not overlap. An
 * outer slice precedes its inner slices in the file, also where both begin at once. Processes
 * and threads are named ("M") before they are first used. The file is written during the run.
 * Slices on a node are kept until the node changes its state, because the outer slice ends last.
 * The "args" of a state contain its cause and the reason in plain words, if it has them. */
#ifndef SIM_OUTPUT_TIMELINE_H
#define SIM_OUTPUT_TIMELINE_H

#include <stdio.h>

#include "sim/base/arena.h"
#include "sim/output/trace/row.h"

typedef struct TimelineWriter TimelineWriter;

/* `stream` is borrowed. Errors of writing are reported by ferror(stream). */
TimelineWriter *timeline_writer_create(Arena *arena, FILE *stream, TraceLevel level);
TraceListener timeline_writer_listener(TimelineWriter *timeline);
/* Closes open slices at the time of the last row, ends the JSON and frees the memory outside the
 * arena. The stream stays open. */
void timeline_writer_finish(TimelineWriter *timeline);

#endif
