/* The world's voice: every trace record and every moment leaves the world here. */
#ifndef SIM_CLOUD_RECORD_RECORDER_H
#define SIM_CLOUD_RECORD_RECORDER_H

#include "sim/base/arena.h"
#include "sim/cloud/record/moment.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/engine/engine.h"

typedef struct TraceRecorder TraceRecorder;

/* Lives as long as `run`. */
TraceRecorder *recorder_create(Arena *run, const Engine *engine, TraceSink sink);

/* --- Records --- */

/* Whether the sink takes records of that kind: if not, the caller need not make them. */
bool recorder_takes(const TraceRecorder *recorder, TraceKind kind);
/* A record of `kind` at this instant, without a subject. */
TraceRecord recorder_begin(const TraceRecorder *recorder, TraceKind kind);
/* Passes the record on. Listeners read the world too: change it first, then emit. */
void recorder_emit(TraceRecorder *recorder, const TraceRecord *record);
/* Emits `record` for a state that begins now and is called `name`. The record's span is that of the
 * state before it, which began at `*since_ns`; this becomes the present time. */
void recorder_emit_change(TraceRecorder *recorder, TraceRecord record, const char *name,
                          int64_t *since_ns);
/* Calls `announce` just before the next record is emitted, once. NULL: takes that back. */
void recorder_announce_first(TraceRecorder *recorder, void *context,
                             void (*announce)(void *context));
/* Notifies the sink that the instant has ended. */
void recorder_end_instant(TraceRecorder *recorder);

/* --- Moments --- */

/* `listener` hears from now on of the moments in `moments`, a bit for each (1 << Moment). */
void recorder_listen(TraceRecorder *recorder, uint32_t moments, MomentListener listener);
/* Reports a moment. `subject` is the name of the cluster or job, `row` the index of its id. */
void recorder_moment(TraceRecorder *recorder, Moment moment, const char *subject, uint32_t row,
                     int64_t ordinal);
/* The lowest ordinal from `from` on that a listener waits for; INT64_MAX: none. */
int64_t recorder_next_awaited(const TraceRecorder *recorder, Moment moment, const char *subject,
                              int64_t from);

#endif
