/* The story of one job in sentences: what it waited for, where it ran, what it lost and how it
 * ended.
 *
 *     The story of job dev/exp/train:
 *
 *            2 min  submitted to cluster gpu, which had 2 nodes (2 preparing); no job waited before
 *                   it
 *       2 min 42 s  waited 42 s for 2 nodes:
 *                   - 2 nodes were prepared, the last at 2 min 40 s
 *       2 min 42 s  started on tvm-1_1-p, tvm-1_2-p
 *
 * It is a fold over records, live or read from a file. It keeps counts for every cluster and the
 * events of the job, so its memory does not grow with the run. All events of the job at one time
 * are printed together, in the order of cause and effect rather than that of the records. */
#ifndef SIM_OUTPUT_WHY_H
#define SIM_OUTPUT_WHY_H

#include "sim/base/status.h"
#include "sim/base/text.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct Why Why;

/* `job` is a job's name or its path, "workspace/experiment/name"; each job of that name has a
 * story. Borrowed. */
Why *why_create(Arena *run, const char *job);
TraceListener why_listener(Why *why);
/* Rows come from `world`, which knows how many nodes jobs need and their order in the queue, so
 * the story can divide the time of a wait. Without a world it cannot, and uses the order of
 * submission. */
void why_watch(Why *why, const World *world);
/* After the run. STATUS_NOT_FOUND, with the nearest name, when there was no such job. */
MUST_CHECK bool why_print(Text *out, Why *why, Status *status);

#endif
