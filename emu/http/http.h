/* Requests and answers as values, so that tests call handlers without sockets. The server
 * (emu/http/server.h) makes requests from bytes and bytes from answers. */
#ifndef EMU_HTTP_H
#define EMU_HTTP_H

#include "sim/base/arena.h"
#include "sim/base/status.h"
#include "sim/base/text.h"

/* X(ENUM) */
#define HTTP_METHODS(X) X(GET) X(HEAD) X(PUT) X(POST) X(PATCH) X(DELETE) X(OPTIONS)

typedef enum {
#define X(name) HTTP_##name,
    HTTP_METHODS(X)
#undef X
        HTTP_METHOD_COUNT /* any other */
} HttpMethod;

HttpMethod http_method(const char *text);
const char *http_method_name(HttpMethod method); /* "GET" */

typedef struct {
    const char *name;
    const char
        *value; /* of a header the bytes as received, of a query parameter decoded; never NULL */
} HttpField;

/* The listener of a request. */
typedef enum {
    LISTENER_TLS,      /* Resource Manager, login, files by host or path */
    LISTENER_PLAIN,    /* files by path, tokens, dashboard, control */
    LISTENER_USERINFO, /* files whose account is only in their signature */
} HttpListener;

/* Everything is borrowed for the call. */
typedef struct {
    Arena *arena; /* of this request and its answer */
    HttpListener listener;
    HttpMethod method;
    const char *method_text;
    const char *target;     /* path of the request line, still percent-encoded, without query */
    const char *query_text; /* after '?', still encoded; "" */
    const char *host;       /* the Host header, "127.0.0.1:8443"; "" */
    const char *peer;       /* the client's address, "127.0.0.1"; NULL: unknown */
    const HttpField *headers;
    int32_t header_count;
    const HttpField *query; /* in the order of the request */
    int32_t query_count;
    const char *body;
    size_t body_bytes;
} HttpRequest;

/* The first header called `name`, compared without letter case; NULL if there is none. */
const char *http_header(const HttpRequest *request, const char *name);
/* The first query parameter called `name`, compared without letter case; NULL if there is none. */
const char *http_query(const HttpRequest *request, const char *name);

/* The problem with the headers; NULL if they are valid. Names are tokens and values have no
 * control characters. Two readers must not find the end of the request in two places (RFC 9110, 5.5
 * and 5.6.2; RFC 9112, 5.1, 6.1 and 6.3): there is one Content-Length or Transfer-Encoding, and the
 * only coding is "chunked". Headers that decide whether the request is answered occur once: Host,
 * Origin, Authorization and dates. */
const char *http_headers_problem(const HttpRequest *request);

/* Splits and decodes "a=b&c=%20" into `request->query`, in its arena. False if an escape is broken
 * or encodes NUL. */
MUST_CHECK bool http_read_query(HttpRequest *request, const char *text);

/* `text` with each %XX as its byte, in `arena`; NULL if an escape is broken or encodes NUL. '+'
 * becomes a space only with `plus_is_space`. */
const char *http_decode(Arena *arena, const char *text, size_t length, bool plus_is_space);
/* Encodes all characters but letters, digits, "-._~" and those of `also`. */
const char *http_encode(Arena *arena, const char *text, const char *also);
/* Whether the body of the request has more than blanks. */
bool http_has_body(const HttpRequest *request);
/* Reads a number of a query, a path or a header: digits alone, up to INT64_MAX; false for any other
 * text. */
MUST_CHECK bool http_number(const char *text, int64_t *number);
/* The same for the digits at the start of `*text`, which moves to the text after them. */
MUST_CHECK bool http_take_number(const char **text, int64_t *number);

/* --- Answers --- */

/* Bytes that are read while they are sent. `read` puts up to `length` bytes from `offset` on into
 * `room` and returns their number; 0 if no bytes are there yet (it is called again soon); otherwise
 * one of these. */
enum {
    HTTP_SOURCE_FAILED = -1, /* cuts the connection */
    HTTP_SOURCE_ENDS = -2,   /* of a source of unknown length */
};
enum { HTTP_LENGTH_UNKNOWN = -1 }; /* the answer is sent in chunks */

typedef struct {
    void *owner;
    int64_t (*read)(void *owner, int64_t offset, char *room, size_t length);
    void (*free)(void *owner); /* called once, when the answer is sent or dropped; may be NULL */
} HttpSource;

/* More than any answer has, including all metadata of an entry. */
enum { HTTP_HEADERS_MAX = 128 };

typedef struct {
    int32_t status;        /* 0: the connection is cut without an answer */
    const char *operation; /* the operation's name in Azure's documents; NULL: unknown */
    const char *reason;    /* NULL: the standard phrase. Other phrases are sent for HEAD only, whose
                              answer has no body */
    HttpField headers[HTTP_HEADERS_MAX]; /* without Content-Length and Date */
    int32_t header_count;
    const char *body; /* in the request's arena, or static */
    size_t body_bytes;
    HttpSource source;    /* replaces `body` if `read` is not NULL ... */
    int64_t source_bytes; /* ... and has this length, or HTTP_LENGTH_UNKNOWN */
    int64_t entity_bytes; /* of HEAD: the Content-Length; -1: the length of the body */
    bool is_event_stream; /* the source has no end, and the connection stays open for its events
                             (text/event-stream) */
} HttpResponse;

/* An answer without a body. */
HttpResponse http_response(int32_t status);
/* Sets or replaces a header; `value` lives as long as the request's arena. A value with a line end,
 * which would begin another header, becomes empty. */
void http_set(HttpResponse *response, const char *name, const char *value);
const char *http_get(const HttpResponse *response, const char *name); /* NULL if it is not set */
/* Sets the body and its Content-Type. */
void http_body(HttpResponse *response, const char *type, const char *bytes, size_t length);

/* "Not Found" */
const char *http_phrase(int32_t status);

/* "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7). */
enum { HTTP_DATE = 32 };
void http_date_print(int64_t unix_ms, char out[HTTP_DATE]);
/* Reads this form only. */
bool http_date_parse(const char *text, int64_t *unix_ms);

#endif
