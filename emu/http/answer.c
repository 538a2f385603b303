/* Private to this folder: how the answer to a request is sent (request.h). */
#include <gnutls/gnutls.h>
#include <inttypes.h>
#include <string.h>

#include "emu/http/request.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"

enum {
    WHOLE_MAX = 64 << 10,    // a source up to this size is sent with its head
    BLOCK_BYTES = 256 << 10, // of longer sources
};
static const int64_t retry_pause_ns = NS_PER_S / 10; // until an empty source is asked again
static const int64_t heartbeat_ns = 15 * NS_PER_S;   // of an event stream without events

void request_release_source(Request *request)
{
    const HttpSource *source = &request->response.source;
    if (source->free)
        source->free(source->owner);
    request->response.source = (HttpSource){0};
}

/* --- Answers that are sent by the library --- */

/* Whether a client that waits for events has gone: it sends nothing more, so the only possible byte
 * is the end. The library does not watch a suspended connection. */
static bool has_gone(const Request *request)
{
    char byte;
    return request->requests->connections->table[request->descriptor].has_ended ||
           recv(request->descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Cuts off an answer. With epoll the library (0.9.75) closes such a connection when its socket has
 * the next event, and a client that has gone causes none. Connections with a separate timeout
 * are looked at in each run, so the next run closes it. */
static ssize_t cut_off(const Request *request)
{
    enum { SECONDS = 1 };
    MHD_set_connection_option(request->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)SECONDS);
    request->requests->has_cut = true;
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

void request_await_end(Request *request)
{
    if (!request->has_end)
        request->requests->answering_count++;
    request->has_end = true;
}

static ssize_t wait_for_source(Request *request, char *room, size_t length)
{
    static const char heartbeat[] =
        ":\n\n"; // a comment, which shows whether the client is connected
    Requests *requests = request->requests;
    if (request->response.is_event_stream && requests_are_leaving(requests))
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (request->response.is_event_stream && has_gone(request))
        return cut_off(request);
    if (request->response.is_event_stream && length >= sizeof heartbeat &&
        requests->connections->now_ns - request->sent_ns >= heartbeat_ns) {
        request->sent_ns = requests->connections->now_ns;
        memcpy(room, heartbeat, sizeof heartbeat - 1);
        return sizeof heartbeat - 1;
    }
    if (!requests->waiting)
        requests->retry_ns = requests->connections->now_ns + retry_pause_ns;
    request->next = requests->waiting;
    requests->waiting = request;
    MHD_suspend_connection(request->connection);
    return 0;
}

static ssize_t read_source(void *context, uint64_t position, char *room, size_t length)
{
    Request *request = context;
    const HttpSource *source = &request->response.source;
    (void)position; // in a stream it includes heartbeats
    const int64_t count = source->read(source->owner, request->sent_bytes, room, length);
    if (count == HTTP_SOURCE_ENDS)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (count < 0)
        return cut_off(request);
    if (count == 0)
        return wait_for_source(request, room, length);
    request->sent_bytes += count;
    request->sent_ns = request->requests->connections->now_ns;
    return (ssize_t)count;
}

static ssize_t read_nothing(void *context, uint64_t position, char *room, size_t length)
{
    (void)context, (void)position, (void)room, (void)length;
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

/* Reads short contents into memory, so that they are sent in one piece with the head. */
static void read_whole(Request *request)
{
    HttpResponse *response = &request->response;
    if (!response->source.read || response->is_event_stream || response->source_bytes < 0 ||
        response->source_bytes > WHOLE_MAX)
        return;
    char *bytes = arena_alloc(request->arena, (size_t)response->source_bytes);
    int64_t used = 0;
    while (used < response->source_bytes) {
        const int64_t count = response->source.read(response->source.owner, used, bytes + used,
                                                    (size_t)(response->source_bytes - used));
        if (count <= 0)
            return; // slow or broken: it is read again while it is sent
        used += count;
    }
    response->body = bytes;
    response->body_bytes = (size_t)used;
    request_release_source(request);
}

/* The answer to HEAD: the length of the body, and no body. */
static struct MHD_Response *make_head_response(Request *request)
{
    const HttpResponse *response = &request->response;
    const int64_t bytes = response->entity_bytes >= 0 ? response->entity_bytes
                          : response->source.read     ? response->source_bytes
                                                      : (int64_t)response->body_bytes;
    request_release_source(request);
    return MHD_create_response_from_callback((uint64_t)bytes, 1, read_nothing, NULL, NULL);
}

static struct MHD_Response *make_response(Request *request)
{
    const HttpResponse *response = &request->response;
    if (request->http.method == HTTP_HEAD)
        return make_head_response(request);
    read_whole(request);
    if (!response->source.read)
        return MHD_create_response_from_buffer(response->body_bytes, (void *)response->body,
                                               MHD_RESPMEM_PERSISTENT);
    return MHD_create_response_from_callback(response->is_event_stream ||
                                                     response->source_bytes == HTTP_LENGTH_UNKNOWN
                                                 ? MHD_SIZE_UNKNOWN
                                                 : (uint64_t)response->source_bytes,
                                             BLOCK_BYTES, read_source, request, NULL);
}

static enum MHD_Result send_by_library(Request *request)
{
    HttpResponse *answer = &request->response;
    Requests *requests = request->requests;
    struct MHD_Response *response = make_response(request);
    if (!response)
        return MHD_NO;
    for (int32_t i = 0; i < answer->header_count; i++)
        MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value);
    MHD_add_response_header(response, "Date", request->date);
    const enum MHD_Result result =
        MHD_queue_response(request->connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    if (!answer->is_event_stream)
        request_await_end(request);
    request->sent_ns = requests->connections->now_ns;
    return result;
}

/* --- Answers with a special phrase --- */

/* The library only knows the standard phrases, and az prints the phrase of a failed HEAD, which has
 * nothing else to print. So such an answer is written here, and is the connection's last. */
static bool has_own_phrase(const Request *request)
{
    return request->http.method == HTTP_HEAD && request->response.reason &&
           strcmp(request->response.reason, http_phrase(request->response.status)) != 0;
}

static void send_bytes(const Request *request, const char *bytes, size_t length)
{
    // No other bytes are being sent: if these do not fit, there is no reader.
    ssize_t sent;
    if (request->listener->kind == LISTENER_PLAIN) {
        sent = send(request->descriptor, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
        gnutls_session_t session =
            MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
                ->tls_session;
        sent = gnutls_record_send(session, bytes, length);
    }
    (void)sent;
}

static void send_by_hand(const Request *request)
{
    const HttpResponse *answer = &request->response;
    const char *reason = answer->reason;
    Text head = {0};
    text_printf(&head, "HTTP/1.1 %" PRId32 " %.*s\r\n", answer->status,
                (int)strcspn(reason, "\r\n"), reason);
    for (int32_t i = 0; i < answer->header_count; i++)
        text_printf(&head, "%s: %s\r\n", answer->headers[i].name, answer->headers[i].value);
    text_printf(&head, "Date: %s\r\nContent-Length: %" PRId64 "\r\nConnection: close\r\n\r\n",
                request->date, answer->entity_bytes >= 0 ? answer->entity_bytes : 0);
    send_bytes(request, text_string(&head), head.length);
    text_free(&head);
}

/* --- Either --- */

enum MHD_Result request_answer(Request *request)
{
    const Requests *requests = request->requests;
    connections_set_deadline(request->requests->connections, request->descriptor, INT64_MAX);
    if (requests->handler.counts)
        request_counts_add(requests->handler.counts, request->response.operation,
                           request->response.status, machine_clock_ns() - request->begun_ns);
    if (request->response.status == 0)
        return MHD_NO; // cuts the connection
    http_date_print(requests->handler.now_ms(requests->handler.owner), request->date);
    if (!has_own_phrase(request))
        return send_by_library(request);
    send_by_hand(request);
    return MHD_NO;
}
