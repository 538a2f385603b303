#include "sim/cloud/record/recorder.h"

#include "sim/base/invariant.h"

typedef struct Subscription Subscription;
struct Subscription {
    uint32_t moments;
    MomentListener listener;
    const Subscription *next;
};

struct TraceRecorder {
    Arena *arena;
    const Engine *engine;
    TraceSink sink;
    void *announce_context;
    void (*announce)(void *context); /* before the next record; NULL */
    uint32_t moments;                /* of all subscriptions, a bit for each */
    const Subscription *first;
};

TraceRecorder *recorder_create(Arena *run, const Engine *engine, TraceSink sink)
{
    TraceRecorder *recorder = ARENA_NEW(run, TraceRecorder);
    *recorder = (TraceRecorder){.arena = run, .engine = engine, .sink = sink};
    return recorder;
}

/* --- Records --- */

bool recorder_takes(const TraceRecorder *recorder, TraceKind kind)
{
    return recorder->sink.record && trace_kind_level(kind) <= recorder->sink.level;
}

TraceRecord recorder_begin(const TraceRecorder *recorder, TraceKind kind)
{
    return (TraceRecord){.kind = kind,
                         .at_ns = recorder->engine->now_ns,
                         .since_ns = recorder->engine->now_ns,
                         .cluster = {ID_NONE},
                         .node = {ID_NONE},
                         .job = {ID_NONE},
                         .share = {ID_NONE}};
}

void recorder_emit(TraceRecorder *recorder, const TraceRecord *record)
{
    if (!recorder_takes(recorder, record->kind))
        return;
    void (*announce)(void *) = recorder->announce;
    recorder->announce = NULL;
    if (announce)
        announce(recorder->announce_context);
    recorder->sink.record(recorder->sink.listener, record);
}

void recorder_emit_change(TraceRecorder *recorder, TraceRecord record, const char *name,
                          int64_t *since_ns)
{
    record.since_ns = *since_ns;
    record.name = name;
    *since_ns = recorder->engine->now_ns;
    recorder_emit(recorder, &record);
}

void recorder_announce_first(TraceRecorder *recorder, void *context,
                             void (*announce)(void *context))
{
    recorder->announce_context = context;
    recorder->announce = announce;
}

void recorder_end_instant(TraceRecorder *recorder)
{
    if (recorder->sink.instant)
        recorder->sink.instant(recorder->sink.listener, recorder->engine->now_ns);
}

/* --- Moments --- */

void recorder_listen(TraceRecorder *recorder, uint32_t moments, MomentListener listener)
{
    Subscription *subscription = ARENA_NEW(recorder->arena, Subscription);
    *subscription =
        (Subscription){.moments = moments, .listener = listener, .next = recorder->first};
    recorder->first = subscription;
    recorder->moments |= moments;
}

static uint32_t bit_of(Moment moment)
{
    return UINT32_C(1) << moment;
}

bool recorder_awaits(const TraceRecorder *recorder, Moment moment)
{
    return (recorder->moments & bit_of(moment)) != 0;
}

void recorder_moment(TraceRecorder *recorder, Moment moment, const char *subject, uint32_t row,
                     int64_t ordinal)
{
    if (!recorder_awaits(recorder, moment))
        return; // the usual case
    const MomentNotice notice = {.moment = moment,
                                 .subject = subject,
                                 .row = row,
                                 .ordinal = ordinal,
                                 .at_ns = recorder->engine->now_ns};
    for (const Subscription *s = recorder->first; s; s = s->next)
        if (s->moments & bit_of(moment))
            s->listener.happened(s->listener.listener, &notice);
}

int64_t recorder_next_awaited(const TraceRecorder *recorder, Moment moment, const char *subject,
                              int64_t from)
{
    int64_t next = INT64_MAX;
    if (!(recorder->moments & bit_of(moment)))
        return next;
    for (const Subscription *s = recorder->first; s; s = s->next) {
        if (!(s->moments & bit_of(moment)) || !s->listener.next_awaited)
            continue;
        int64_t awaited = s->listener.next_awaited(s->listener.listener, moment, subject, from);
        next = awaited < next ? awaited : next;
    }
    return next;
}
