/* The output of a world: every trace record and every moment passes through the recorder. */
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

/* Whether the sink takes records of `kind`. If not, the caller need not make them. */
bool recorder_takes(const TraceRecorder *recorder, TraceKind kind);
/* Begins a record of `kind` at this instant, without a subject. The caller fills it in and emits it
 * before the next one begins. */
TraceRecord *recorder_begin(TraceRecorder *recorder, TraceKind kind);
/* Passes the record that has begun to the sink, which may read the world: change the world first,
 * then emit. */
void recorder_emit(TraceRecorder *recorder);
/* Emits the record for a state called `name` that begins now. The record's span is that of the
 * previous state, which began at `*since_ns`; `*since_ns` becomes the present time. */
void recorder_emit_change(TraceRecorder *recorder, const char *name, int64_t *since_ns);
/* Calls `announce` once, just before the next record is emitted. NULL cancels the call. */
void recorder_announce_first(TraceRecorder *recorder, void *context,
                             void (*announce)(void *context));
/* Notifies the sink that the instant has ended. */
void recorder_end_instant(TraceRecorder *recorder);

/* --- Moments --- */

/* Reports the moments in `moments`, a bit for each (1 << Moment), to `listener` from now on. */
void recorder_listen(TraceRecorder *recorder, uint32_t moments, MomentListener listener);
/* Whether any listener waits for moments of this kind. If not, the caller need not report them. */
bool recorder_awaits(const TraceRecorder *recorder, Moment moment);
/* Reports a moment. `subject` is the name of the cluster or job, `row` the index of its id. */
void recorder_moment(TraceRecorder *recorder, Moment moment, const char *subject, uint32_t row,
                     int64_t ordinal);
/* The lowest ordinal >= `from` for which any listener waits; INT64_MAX: none. */
int64_t recorder_next_awaited(const TraceRecorder *recorder, Moment moment, const char *subject,
                              int64_t from);

#endif
