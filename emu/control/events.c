#include "emu/control/events.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/json/json.h"

/* A record, whose names outlive it, or a warning. */
typedef struct {
    TraceRow row;        /* of a warning: at_ns alone */
    const char *warning; /* its members as JSON; NULL: a record */
} SentEvent;

struct Events {
    Arena *arena;
    const Scenario *scenario;
    SentEvent *items; /* [EVENTS_KEPT], event n at n % EVENTS_KEPT */
    uint64_t last;
    uint64_t settled; /* up to here they are sent */
    const MomentWatch *watch;
    bool has_heard; /* the moment that `watch` waits for */
    bool is_undone; /* the session goes back, ... */
    bool is_undo_settled;
    uint64_t undone_last;
    int64_t undone_ns; /* ... to that event and time */
};

Events *events_create(Arena *arena, const Scenario *scenario)
{
    Events *events = ARENA_NEW(arena, Events);
    events->arena = arena;
    events->scenario = scenario;
    events->items = ARENA_ARRAY(arena, SentEvent, EVENTS_KEPT);
    return events;
}

static void on_row(void *listener, const TraceRow *row)
{
    Events *events = listener;
    events->items[++events->last % EVENTS_KEPT] = (SentEvent){.row = *row};
}

static void on_moment(void *listener, const MomentNotice *notice)
{
    Events *events = listener;
    if (events->watch != NULL && moment_watch_fits(events->watch, notice))
        events->has_heard = true;
}

void events_begin(Events *events, World *world)
{
    const MomentListener listener = {.listener = events, .happened = on_moment};
    world_listen(world, moment_watch_kinds(), listener);
}

TraceListener events_listener(Events *events)
{
    return (TraceListener){.listener = events, .level = TRACE_LEVEL_EPOCHS, .row = on_row};
}

void events_undo(Events *events, uint64_t last, int64_t at_ns)
{
    events->is_undone = true;
    events->undone_last = last;
    events->undone_ns = at_ns;
}

uint64_t events_last(const Events *events)
{
    return events->last;
}

void events_settle(Events *events)
{
    events->settled = events->last;
    events->is_undo_settled = events->is_undone;
}

void events_watch(Events *events, const MomentWatch *watch)
{
    events->watch = watch;
    events->has_heard = false;
}

bool events_heard(const Events *events)
{
    return events->has_heard;
}

/* --- As text --- */

static void print_member(Text *out, const char *key, const char *value)
{
    if (value == NULL)
        return;
    text_printf(out, ",\"%s\":", key);
    json_print_string(out, value);
}

static void print_values(Text *out, const TraceRecord *record)
{
    const TraceValue *values = trace_kind_values(record->kind);
    if (values[0].name == NULL)
        return;
    text_add(out, ",\"values\":{");
    for (int32_t i = 0; values[i].name != NULL; i++)
        text_printf(out, "%s\"%s\":%" PRId64, i > 0 ? "," : "", values[i].name,
                    record->in_order[i]);
    text_add(out, "}");
}

void events_warn(Events *events, int64_t at_ns, const char *name, const Status *warning)
{
    Text members = {0};
    print_member(&members, "record", "warning");
    print_member(&members, "name", name);
    print_member(&members, "message", warning->message);
    print_member(&members, "hint", warning->hint[0] != '\0' ? warning->hint : NULL);
    events->items[++events->last % EVENTS_KEPT] = (SentEvent){
        .row.record.at_ns = at_ns, .warning = arena_strdup(events->arena, text_string(&members))};
    text_free(&members);
}

static void print_event(Text *out, const Scenario *scenario, const SentEvent *event)
{
    char at[CIVIL_TEXT];
    const TraceRow *row = &event->row;
    const TraceRecord *record = &row->record;
    iso_time_print(scenario->start_unix_ms + record->at_ns / NS_PER_MS, at);
    text_printf(out, "{\"at\":\"%s\",\"at_ns\":%" PRId64, at, record->at_ns);
    if (event->warning != NULL) {
        text_printf(out, "%s}", event->warning);
        return;
    }
    if (record->since_ns != record->at_ns)
        text_printf(out, ",\"since_ns\":%" PRId64, record->since_ns);
    print_member(out, "record", trace_kind_name(record->kind));
    print_member(out, "cluster", row->cluster);
    print_member(out, "node", row->node);
    print_member(out, "job", row->job);
    print_member(out, "share", row->share);
    print_member(out, "name", record->name);
    if (record->bytes != 0)
        text_printf(out, ",\"bytes\":%" PRId64, record->bytes);
    print_values(out, record);
    if (record->cause != CAUSE_NONE)
        print_member(out, "cause", trace_cause_name(record->cause));
    text_add(out, "}");
}

/* Prints events after `since`, up to `until`. */
static uint64_t print_until(const Events *events, uint64_t since, uint64_t until, size_t bytes_max,
                            Text *out)
{
    uint64_t first = events->last >= EVENTS_KEPT ? events->last - EVENTS_KEPT + 1 : 1;
    uint64_t number = since + 1 > first ? since + 1 : first;
    for (; number <= until && out->length < bytes_max; number++) {
        text_printf(out, "id: %" PRIu64 "\ndata: ", number);
        print_event(out, events->scenario, &events->items[number % EVENTS_KEPT]);
        text_add(out, "\n\n");
    }
    return number - 1;
}

uint64_t events_print(const Events *events, uint64_t since, size_t bytes_max, Text *out)
{
    return print_until(events, since, events->last, bytes_max, out);
}

/* --- As a stream --- */

typedef struct {
    Arena *arena; /* its own: it outlives the request's */
    const Events *events;
    uint64_t since;
    bool follows;   /* it does not end with the last event so far */
    bool is_behind; /* the client knows later events, which have not happened: it is to hear that */
    bool has_ended;
    Text text;   /* printed ... */
    size_t sent; /* ... and sent so far */
} Stream;

static void print_undone(const Stream *stream, uint64_t last, int64_t at_ns, Text *out)
{
    char at[CIVIL_TEXT];
    iso_time_print(stream->events->scenario->start_unix_ms + at_ns / NS_PER_MS, at);
    text_printf(out,
                "id: %" PRIu64 "\ndata: {\"at\":\"%s\",\"at_ns\":%" PRId64
                ",\"record\":\"undone\"}\n\n",
                last, at, at_ns);
}

/* Prints what comes next, if there is something. */
static void print_next(Stream *stream)
{
    const Events *events = stream->events;
    if (stream->is_behind) {
        const SentEvent *last = &events->items[events->last % EVENTS_KEPT];
        print_undone(stream, events->last, last->row.record.at_ns, &stream->text);
        stream->is_behind = false;
    } else if (events->settled > stream->since) {
        stream->since = print_until(events, stream->since, events->settled, 1 << 16, &stream->text);
    } else if (events->is_undone && events->is_undo_settled && !stream->has_ended) {
        print_undone(stream, events->undone_last, events->undone_ns, &stream->text);
        stream->has_ended = true;
    }
}

static int64_t stream_read(void *owner, int64_t offset, char *room, size_t length)
{
    (void)offset; // it is read once, from front to back
    Stream *stream = owner;
    if (stream->sent == stream->text.length) {
        text_clear(&stream->text);
        stream->sent = 0;
        print_next(stream);
    }
    size_t left = stream->text.length - stream->sent;
    if (left == 0 && !stream->follows)
        return HTTP_SOURCE_ENDS;
    size_t count = left < length ? left : length;
    if (count > 0)
        memcpy(room, stream->text.data + stream->sent, count);
    stream->sent += count;
    return (int64_t)count;
}

static void stream_free(void *owner)
{
    Stream *stream = owner;
    text_free(&stream->text);
    arena_destroy(stream->arena);
}

void events_answer(const Events *events, uint64_t since, bool follows, HttpResponse *response)
{
    Arena *arena = arena_create();
    Stream *stream = ARENA_NEW(arena, Stream);
    stream->arena = arena;
    stream->events = events;
    stream->follows = follows;
    stream->is_behind = since > events->last;
    stream->since = stream->is_behind ? events->last : since;
    *response = http_response(200);
    http_set(response, "Content-Type", "text/event-stream");
    http_set(response, "Cache-Control", "no-store");
    response->is_event_stream = follows;
    response->source = (HttpSource){.owner = stream, .read = stream_read, .free = stream_free};
    response->source_bytes = HTTP_LENGTH_UNKNOWN;
}
