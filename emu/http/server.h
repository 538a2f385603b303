/* The server: three listeners and the CONNECT proxy, in one thread.
 *
 * libmicrohttpd serves HTTP and GnuTLS TLS; only server.c, connections.c, requests.c and
 * certificate.c use them.
 *
 * The process sleeps until a socket, a signal or the handler has something to do. All answers that
 * were made while there were writes to commit go out together after one commit. */
#ifndef EMU_SERVER_H
#define EMU_SERVER_H

#include "emu/http/addresses.h"
#include "emu/http/certificate.h"
#include "emu/http/http.h"
#include "emu/http/request_counts.h"

enum {
    SERVER_CONNECTIONS_MAX = 400, /* select(2), which TLS needs, is limited to descriptors up to
                                     1023: so many connections and as many open files fit below */
    SERVER_HEADERS_MAX = 100,
    SERVER_TARGET_MAX = 8 * 1024, /* path and query */
    SERVER_HEAD_MAX =
        32 * 1024, /* a request without its body; the library zeroes this size for each request */
};

typedef struct {
    const char *address; /* "127.0.0.1"; anything but loopback needs `is_open` */
    int32_t tls_port, plain_port,
        userinfo_port;          /* 0: any free port; userinfo -1: no such listener */
    bool is_open;               /* --i-know-this-is-not-secure */
    const char *own_name;       /* the name of this machine, if it is open; "" */
    const char *storage_suffix; /* "core.windows.net" */
    bool has_proxy;             /* CONNECT on the plain listener */
    bool is_verbose;            /* logs each request on stderr */
    int64_t body_max;           /* the largest body of a request */
    int32_t connections_max; /* at most SERVER_CONNECTIONS_MAX; more clients wait to be accepted */
    int32_t streams_max;     /* event streams among them; more are answered 503 */
    int64_t head_s; /* the limit for a request's head after its first line, and for the head of a
                       connection's first request after connecting; then it is closed */
    int64_t idle_s; /* the limit for silence between requests, and for a body after its head, plus a
                       second for each 16 KiB */
} ServerSettings;

/* 127.0.0.1, any free ports, core.windows.net, a proxy, 16 MiB, 400, 100, 10 s, 60 s */
extern const ServerSettings server_defaults;

/* The functions that answer requests. */
typedef struct {
    void *owner; /* of the functions below */
    /* Called in each round, before any request is handled: the machine's monotonic clock and its
     * calendar. */
    void (*tick)(void *owner, int64_t machine_ns, int64_t unix_ms);
    int64_t (*next_ns)(void *owner); /* the time of its next event; INT64_MAX: none */
    void (*handle)(void *owner, const HttpRequest *request, HttpResponse *response);
    bool (*is_dirty)(void *owner); /* there are writes to commit before answers may go out */
    bool (*commit)(void *owner, Status *status);
    /* Another handler must replace this one (NULL: never), after the answers have gone out. */
    bool (*is_over)(void *owner);
    /* Answers a request whose writes could not be committed. */
    void (*refuse)(void *owner, const HttpRequest *request, HttpResponse *response);
    int64_t (*now_ms)(void *owner); /* the time in the Date header */
    RequestCounts *counts;          /* counts every answer; NULL: none */
    /* GateRules.is_signed */
    bool (*is_signed)(const HttpRequest *request, const char *storage_suffix);
} ServerHandler;

typedef struct Server Server;

/* Binds its ports. Clients may connect from here on and wait for server_run. The settings are
 * copied. NULL with the problem. */
Server *server_open(const ServerSettings *settings, Status *status);
/* Reads or makes its certificate in `state_folder`, which exists; called before server_run. */
MUST_CHECK bool server_certify(Server *server, const char *state_folder, Status *status);
void server_addresses(const Server *server, Arena *arena, HttpAddresses *addresses);
const Certificate *server_certificate(const Server *server);
typedef enum {
    SERVER_ENDED,       /* SIGINT or SIGTERM was received */
    SERVER_LOST_WRITES, /* a commit failed: clients that waited for it were answered 507. The server
                            can continue with another handler; its clients connect again. Until then
                            SIGINT and SIGTERM wait, and end the next run */
    SERVER_HANDED_OVER, /* the handler is over. The server can continue with another one, as above
                         */
    SERVER_FAILED,      /* it did not start */
} ServerEnd;

/* Serves until one of these ends; `status` is the failure. */
MUST_CHECK ServerEnd server_run(Server *server, ServerHandler handler, Status *status);
void server_close(Server *server); /* NULL is fine */

#endif
