#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/http/request.h"
#include "sim/base/civil_time.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"

enum {
    BODIES_MAX = 256 << 20,     // all requests together
    BODY_BYTES_PER_S = 1 << 14, // the slowest accepted rate
    ARENA_BYTES = 16 << 10,     // enough for most requests
};

/* --- Life --- */

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static RequestArena take_arena(Requests *requests)
{
    if (requests->spare_count > 0)
        return requests->spare_arenas[--requests->spare_count];
    Arena *arena = arena_create();
    arena_reserve(arena, ARENA_BYTES); // is kept
    return (RequestArena){.arena = arena, .empty = arena_mark(arena)};
}

static void give_arena_back(Requests *requests, RequestArena memory)
{
    if (requests->spare_count == SPARE_ARENAS_MAX) {
        arena_destroy(memory.arena);
        return;
    }
    arena_rewind(memory.arena, memory.empty);
    requests->spare_arenas[requests->spare_count++] = memory;
}

void requests_free_arenas(Requests *requests)
{
    while (requests->spare_count > 0)
        arena_destroy(requests->spare_arenas[--requests->spare_count].arena);
}

void *requests_begin(void *listener, const char *target, struct MHD_Connection *connection)
{
    Requests *requests = ((Listener *)listener)->requests;
    const RequestArena memory = take_arena(requests);
    Request *request = ARENA_NEW(memory.arena, Request);
    request->memory = memory;
    request->arena = memory.arena;
    request->requests = requests;
    request->listener = listener;
    request->connection = connection;
    request->descriptor = descriptor_of(connection);
    request->target = arena_strdup(request->arena, target);
    request->begun_ns = requests->connections->now_ns;
    request->response = http_response(0);
    connections_set_deadline(requests->connections, request->descriptor,
                             requests->settings->head_s * NS_PER_S);
    return request;
}

static void forget(Request **list, const Request *request)
{
    for (; *list; list = &(*list)->next)
        if (*list == request) {
            *list = request->next;
            return;
        }
}

/* Writes a path into a log line, as one word without control characters of terminals. */
static void log_path(Text *line, const char *path)
{
    for (; *path != '\0'; path++)
        if (*path > ' ' && *path < 0x7f && *path != '\\')
            text_append(line, path, 1);
        else
            text_printf(line, "\\x%02x", (unsigned char)*path);
}

/* Leaves out query and headers, which may contain signatures, tokens and keys. */
static void log_request(const Request *request)
{
    const Requests *requests = request->requests;
    Text line = {0};
    text_printf(&line, "info request=%.16s path=", request->http.method_text);
    log_path(&line, request->http.target);
    char now[CIVIL_TEXT];
    iso_time_print(requests->handler.now_ms(requests->handler.owner), now);
    text_printf(&line, " status=%" PRId32 " sim=%s took_us=%" PRId64, request->response.status, now,
                (machine_clock_ns() - request->begun_ns) / NS_PER_US);
    if (request->response.operation)
        text_printf(&line, " operation=\"%s\"", request->response.operation);
    text_add(&line, "\n");
    fputs(text_string(&line), stderr);
    text_free(&line);
}

void requests_end(void *listener, struct MHD_Connection *connection, void **context,
                  enum MHD_RequestTerminationCode how)
{
    Request *request = *context;
    (void)listener, (void)connection, (void)how;
    if (!request)
        return;
    *context = NULL;
    Requests *requests = request->requests;
    forget(&requests->held, request);
    forget(&requests->waiting, request);
    if (request->has_end)
        requests->answering_count--;
    if (request->is_stream)
        requests->stream_count--;
    requests->body_bytes -= (int64_t)request->body_room;
    if (requests->settings->is_verbose && request->http.target)
        log_request(request);
    request_release_source(request);
    free(request->body);
    connections_set_deadline(requests->connections, request->descriptor,
                             requests->settings->idle_s * NS_PER_S);
    give_arena_back(requests, request->memory);
}

/* --- The head --- */

typedef struct {
    HttpField *fields;
    int32_t count;
} Fields;

static enum MHD_Result take_field(void *context, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    Fields *fields = context;
    (void)kind;
    fields->fields[fields->count++] = (HttpField){name, value ? value : ""};
    return MHD_YES;
}

static bool refuse(Request *request, int32_t status, const char *code, const char *message)
{
    return gate_refuse(&request->http, &request->response, status, code, "%s", message);
}

/* If the end of a request is uncertain, the following bytes must not be read as another request. */
static bool refuse_last(Request *request, int32_t status, const char *code, const char *message)
{
    refuse(request, status, code, message);
    http_set(&request->response, "Connection", "close");
    return false;
}

static bool read_headers(Request *request)
{
    const int count = MHD_get_connection_values(request->connection, MHD_HEADER_KIND, NULL, NULL);
    if (count > SERVER_HEADERS_MAX)
        return refuse_last(request, 431, "TooManyHeaders", "The request has too many headers.");
    Fields fields = {.fields = ARENA_ARRAY(request->arena, HttpField, count)};
    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, take_field, &fields);
    request->http.headers = fields.fields;
    request->http.header_count = fields.count;
    const char *problem = http_headers_problem(&request->http);
    if (problem)
        return refuse_last(request, 400, "InvalidHeaderValue", problem);
    const char *host = http_header(&request->http, "Host");
    request->http.host = host ? host : "";
    return true;
}

/* Cuts off and returns the query; NULL if there is none. */
static char *split_target(Request *request)
{
    char *query = strchr(request->target, '?');
    if (query)
        *query++ = '\0';
    request->http.target = request->target;
    return query;
}

static bool read_target(Request *request, const char *query)
{
    if (strlen(request->target) + (query ? strlen(query) : 0) > SERVER_TARGET_MAX)
        return refuse(request, 414, "UriTooLong", "Path and query are too long.");
    if (request->http.listener == LISTENER_PLAIN)
        request->http.target += proxy_own_origin(request->requests->rules, request->target);
    if (strcspn(request->http.target, " \t\r") != strlen(request->http.target))
        return refuse_last(request, 400, "InvalidUri",
                           "The request line has more than three parts.");
    if (request->http.target[0] != '/')
        return refuse(
            request, 400, "InvalidUri",
            "The request's target is not a path: the emulator is not a proxy for http: URLs.");
    if (!http_read_query(&request->http, query ? query : ""))
        return refuse(request, 400, "InvalidQueryParameterValue",
                      "The query has a broken escape, or one for NUL.");
    return true;
}

static bool announces_too_much(const Request *request, int64_t *length)
{
    const char *text = http_header(&request->http, "Content-Length");
    char *end;
    *length = text ? strtoll(text, &end, 10) : 0;
    return *length > request->requests->settings->body_max;
}

static bool refuse_body(Request *request, BodyFate why)
{
    return why == BODY_IS_TOO_LARGE
               ? refuse(request, 413, "RequestBodyTooLarge",
                        "The body of the request is too large.")
               : refuse(request, 503, "ServerBusy", "Too many large requests at a time.");
}

/* False if all bodies together have no room for it. */
static bool grow_body(Request *request, size_t room)
{
    Requests *requests = request->requests;
    const int64_t more = (int64_t)room - (int64_t)request->body_room;
    if (requests->body_bytes + more > BODIES_MAX)
        return false;
    request->body = memory_resized(request->body, room);
    request->body_room = room;
    requests->body_bytes += more;
    return true;
}

static bool expect_body(Request *request)
{
    const Requests *requests = request->requests;
    int64_t length;
    if (announces_too_much(request, &length))
        return refuse_body(request, BODY_IS_TOO_LARGE);
    connections_set_deadline(request->requests->connections, request->descriptor,
                             (requests->settings->idle_s + length / BODY_BYTES_PER_S) * NS_PER_S);
    return length <= 0 || grow_body(request, (size_t)length + 1) ||
           refuse_body(request, BODY_IS_TOO_MUCH);
}

/* False if an answer is made already. */
static bool read_head(Request *request, const char *method)
{
    HttpRequest *http = &request->http;
    http->arena = request->arena;
    http->listener = request->listener->kind;
    http->method = http_method(method);
    http->method_text = method;
    const char *query = split_target(request);
    http->peer = request->requests->connections->table[request->descriptor].peer;
    http->query_text = http->host = http->body = "";
    return read_headers(request) && read_target(request, query) &&
           gate_passes(&request->requests->rules->gate, http, &request->response) &&
           expect_body(request);
}

/* --- The body --- */

/* Makes room for `length` more bytes. */
static BodyFate make_room(Request *request, size_t length)
{
    const size_t most = (size_t)request->requests->settings->body_max;
    const size_t needed = request->body_bytes + length + 1, twice = 2 * request->body_room;
    if (length > most - request->body_bytes)
        return BODY_IS_TOO_LARGE;
    return needed <= request->body_room || grow_body(request, needed > twice ? needed : twice)
               ? BODY_IS_KEPT
               : BODY_IS_TOO_MUCH;
}

static void take_body(Request *request, const char *data, size_t length)
{
    if (request->body_fate == BODY_IS_KEPT)
        request->body_fate = make_room(request, length);
    if (request->body_fate != BODY_IS_KEPT)
        return; // an answer can only be sent after its end
    memcpy(request->body + request->body_bytes, data, length);
    request->body_bytes += length;
    request->body[request->body_bytes] = '\0';
}

/* --- In order --- */

bool requests_are_leaving(const Requests *requests)
{
    return requests->is_ending || requests->has_failed || requests->is_over;
}

static void refuse_unwritten(Request *request)
{
    const ServerHandler *handler = &request->requests->handler;
    request_release_source(request);
    request->response = http_response(507);
    handler->refuse(handler->owner, &request->http, &request->response);
}

/* A stream keeps its connection, so that streams may use only a part of all. */
static void count_stream(Request *request)
{
    Requests *requests = request->requests;
    if (requests->stream_count < requests->settings->streams_max) {
        request->is_stream = true;
        requests->stream_count++;
        return;
    }
    request_release_source(request);
    refuse(request, 503, "TooManyStreams",
           "Too many clients wait for events; one of them has to leave first.");
    http_set(&request->response, "Retry-After", "1");
}

static void call_handler(Request *request)
{
    Requests *requests = request->requests;
    request->http.body = request->body ? request->body : "";
    request->http.body_bytes = request->body_bytes;
    request->response = http_response(200);
    if (request->body_fate != BODY_IS_KEPT)
        refuse_body(request, request->body_fate);
    else if (requests->has_failed)
        refuse_unwritten(request);
    else
        requests->handler.handle(requests->handler.owner, &request->http, &request->response);
    if (request->response.is_event_stream)
        count_stream(request);
}

/* An answer that depends on uncommitted writes must wait for the commit. The library asks for it
 * again in each run. A suspended connection would be read first when it is resumed, and closed
 * without its answer if its client has ended its side meanwhile. */
static void hold(Request *request)
{
    Requests *requests = request->requests;
    if (!requests->handler.is_dirty(requests->handler.owner))
        return;
    request->is_held = true;
    request->next = requests->held;
    requests->held = request;
}

enum MHD_Result requests_continue(void *listener, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *data, size_t *length, void **context)
{
    Request *request = *context;
    (void)listener, (void)connection, (void)path, (void)version;
    switch (request->stage) {
    case REQUEST_NEW:
        request->stage = REQUEST_READING;
        if (read_head(request, method))
            return MHD_YES;
        request->stage = REQUEST_ANSWERED;
        break;
    case REQUEST_READING:
        if (*length > 0) {
            take_body(request, data, *length);
            *length = 0;
            return MHD_YES;
        }
        request->stage = REQUEST_ANSWERED;
        call_handler(request);
        hold(request);
        break;
    case REQUEST_ANSWERED:
        break;
    }
    return request->is_held ? MHD_YES : request_answer(request);
}

/* --- Continuing --- */

void requests_refuse_held(Requests *requests)
{
    for (Request *request = requests->held; request; request = request->next)
        refuse_unwritten(request);
}

bool requests_release_held(Requests *requests)
{
    const bool any = requests->held != NULL;
    for (; requests->held; requests->held = requests->held->next)
        requests->held->is_held = false;
    return any;
}

bool requests_have_cut(Requests *requests)
{
    const bool has_cut = requests->has_cut;
    requests->has_cut = false;
    return has_cut;
}

bool requests_retry_sources(Requests *requests)
{
    Request *request = requests->waiting;
    const bool any = request != NULL;
    requests->connections->has_left = false;
    requests->waiting = NULL;
    while (request) {
        Request *next = request->next;
        MHD_resume_connection(request->connection);
        if (requests->is_over)
            request_await_end(request); // an event stream, too: its last events say why it ends
        request = next;
    }
    return any;
}
