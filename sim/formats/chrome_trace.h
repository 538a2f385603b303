/* Writes Chrome's trace-event format (JSON), event by event.
 *
 * Times are microseconds with three decimals, so ns are exact. `details` is the inside of the
 * event's "args" object, as JSON ("\"epoch\":3,\"step\":7"), or NULL. The format: "Trace Event
 * Format" (Google, document 1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU), phases M, X, i and C. */
#ifndef SIM_FORMATS_CHROME_TRACE_H
#define SIM_FORMATS_CHROME_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/base/text.h"

/* Where an event is drawn. Numbers start at 1: an all-zero track means no track. */
typedef struct {
    int32_t process, thread;
} ChromeTrack;

/* Its members are private to this module. */
typedef struct {
    FILE *stream; /* borrowed */
    Text piece;   /* not yet given to the stream */
    bool has_events;
    int32_t process_count, thread_count;
} ChromeTrace;

/* A failed write is shown by ferror(stream). */
ChromeTrace chrome_trace_begin(FILE *stream);

/* Name a new process, and a new thread of a process. Viewers keep the order in which they are
 * made. */
int32_t chrome_trace_process(ChromeTrace *trace, const char *name);
ChromeTrack chrome_trace_thread(ChromeTrace *trace, int32_t process, const char *name);

/* A period ("X"). Slices of one thread must nest. */
void chrome_trace_slice(ChromeTrace *trace, ChromeTrack track, const char *name, int64_t begin_ns,
                        int64_t end_ns, const char *details);
/* A moment ("i"). */
void chrome_trace_mark(ChromeTrace *trace, ChromeTrack track, const char *name, int64_t at_ns,
                       const char *details);
/* New values of a process' counter ("C"): `details` are its series. */
void chrome_trace_counter(ChromeTrace *trace, int32_t process, const char *name, int64_t at_ns,
                          const char *details);

/* Ends the JSON and frees the trace's memory; the stream stays open. */
void chrome_trace_end(ChromeTrace *trace);

#endif
