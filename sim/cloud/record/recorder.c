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
    TraceRecord *record; /* the one that has begun */
    bool has_begun;
};

TraceRecorder *recorder_create(Arena *run, const Engine *engine, TraceSink sink)
{
    TraceRecorder *recorder = ARENA_NEW(run, TraceRecorder);
    *recorder =
        (TraceRecorder){.arena = run,
                        .engine = engine,
                        .sink = sink,
                        .record = sink.slot != NULL ? sink.slot : ARENA_NEW(run, TraceRecord)};
    return recorder;
}

/* --- Records --- */

bool recorder_takes(const TraceRecorder *recorder, TraceKind kind)
{
    return recorder->sink.record && trace_kind_level(kind) <= recorder->sink.level;
}

TraceRecord *recorder_begin(TraceRecorder *recorder, TraceKind kind)
{
    invariant(!recorder->has_begun);
    recorder->has_begun = true;
    TraceRecord *record = recorder->record;
    *record = (TraceRecord){.kind = kind};
    record->at_ns = record->since_ns = recorder->engine->now_ns;
    record->cluster.index = record->node.index = ID_NONE;
    record->job.index = record->share.index = ID_NONE;
    return record;
}

/* Before the first record. The announcement emits other records. */
static __attribute__((noinline)) void make_announcement(TraceRecorder *recorder)
{
    void (*const announce)(void *) = recorder->announce;
    const TraceRecord record = *recorder->record;
    recorder->announce = NULL;
    recorder->has_begun = false;
    announce(recorder->announce_context);
    *recorder->record = record;
}

void recorder_emit(TraceRecorder *recorder)
{
    invariant(recorder->has_begun);
    if (recorder_takes(recorder, recorder->record->kind)) {
        if (recorder->announce != NULL)
            make_announcement(recorder);
        recorder->sink.record(recorder->sink.listener, recorder->record);
    }
    recorder->has_begun = false;
}

void recorder_emit_change(TraceRecorder *recorder, const char *name, int64_t *since_ns)
{
    recorder->record->since_ns = *since_ns;
    recorder->record->name = name;
    *since_ns = recorder->engine->now_ns;
    recorder_emit(recorder);
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
