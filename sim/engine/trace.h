/* How a world tells its listeners what happens.
 *
 * The trace file, the metrics, the timeline, the report and the triggers of commands are folds over
 * the world's records. The simulated world defines what a record contains
 * (sim/cloud/record/trace_record.h); the engine only passes it on. */
#ifndef SIM_ENGINE_TRACE_H
#define SIM_ENGINE_TRACE_H

#include <stdint.h>

/* How much is recorded. Each level includes the records of the levels before it. */
typedef enum { TRACE_LEVEL_JOBS, TRACE_LEVEL_EPOCHS, TRACE_LEVEL_STEPS } TraceLevel;

typedef struct TraceRecord TraceRecord;

/* Where a world sends its records, in order of time. */
typedef struct {
    void *listener;
    TraceLevel level; /* records of a higher level are not made */
    void (*record)(void *listener,
                   const TraceRecord *record); /* borrowed for the call; may be NULL */
    /* Everything that happens at `at_ns` has happened: between instants the state is consistent.
     * May be NULL. */
    void (*instant)(void *listener, int64_t at_ns);
} TraceSink;

#endif
