/* Sockets: three listeners and the CONNECT proxy in front of whatever answers the
 * requests, in one thread.
 *
 * libmicrohttpd speaks HTTP, GnuTLS TLS; they are seen in emu/http/server.c, connections.c, requests.c and certificate.c
 * alone.
 *
 * What waits costs nothing: the process sleeps until a socket, a signal or the emulator has
 * something to do. All answers that were made while the store had writes to commit go out together
 * after one commit of all of them. */
#ifndef EMU_SERVER_H
#define EMU_SERVER_H

#include "emu/http/addresses.h"
#include "emu/http/certificate.h"
#include "emu/http/http.h"

enum {
    SERVER_CONNECTIONS_MAX = 400, /* select(2), which TLS needs, knows no descriptor above 1023: so
                                     many connections and as many open files fit below it */
    SERVER_HEADERS_MAX = 100,
    SERVER_TARGET_MAX = 8 * 1024, /* path and query */
    SERVER_HEAD_MAX = 32 * 1024,  /* all of a request but its body; the library zeroes as much for
                                     each request */
};

typedef struct {
    const char *address; /* "127.0.0.1"; anything but loopback needs `is_open` */
    int32_t tls_port, plain_port, userinfo_port; /* 0: any free one; userinfo -1: none */
    bool is_open;                                /* --i-know-this-is-not-secure */
    const char *own_name;       /* by which others call this machine where it is open; "" */
    const char *storage_suffix; /* "core.windows.net" */
    bool has_proxy;             /* CONNECT on the plain listener */
    bool is_verbose;            /* a line on stderr for each request */
    int64_t body_max;           /* bytes of one request's body */
    int32_t connections_max;    /* SERVER_CONNECTIONS_MAX at most; more of them wait outside */
    int64_t head_s; /* a request's head is there so long after its first line, and that of a
                       connection's first request so long after it came; it is closed otherwise */
    int64_t idle_s; /* so is one that is silent for so long between requests, and one whose body is
                       not there so long after its head; a body may take longer by a second for
                       each 16 KiB */
} ServerSettings;

/* 127.0.0.1, all ports free ones, core.windows.net, a proxy, 16 MiB, 400, 10 s, 60 s */
extern const ServerSettings server_defaults;

/* What answers the requests. */
typedef struct {
    void *owner; /* of the functions below */
    /* Called in each round, before any request is handled: the machine's monotonic clock and its
     * calendar. */
    void (*tick)(void *owner, int64_t machine_ns, int64_t unix_ms);
    int64_t (*next_ns)(void *owner); /* when something happens by itself; INT64_MAX: never */
    void (*handle)(void *owner, const HttpRequest *request, HttpResponse *response);
    bool (*is_dirty)(void *owner); /* there are writes to commit before answers may go out */
    bool (*commit)(void *owner, Status *status);
    /* Answers a request whose writes did not get to the disk. */
    void (*refuse)(void *owner, const HttpRequest *request, HttpResponse *response);
    int64_t (*now_ms)(void *owner); /* the Date of answers */
    /* GateRules.is_signed */
    bool (*is_signed)(const HttpRequest *request, const char *storage_suffix);
} ServerHandler;

typedef struct Server Server;

/* Binds its ports. Its clients may connect from here on; they wait for server_run. The settings are
 * copied. NULL with the problem. */
Server *server_open(const ServerSettings *settings, Status *status);
/* Reads or makes its certificate in `state_folder`, which exists; to be called before server_run.
 */
MUST_CHECK bool server_certify(Server *server, const char *state_folder, Status *status);
void server_addresses(const Server *server, Arena *arena, HttpAddresses *addresses);
const Certificate *server_certificate(const Server *server);
typedef enum {
    SERVER_ENDED,       /* SIGINT or SIGTERM came */
    SERVER_LOST_WRITES, /* a commit failed: whoever waited for it was answered 507. The server can
                           go on with another handler, to which its
                           clients connect again */
    SERVER_FAILED,      /* it did not even begin */
} ServerEnd;

/* Serves; status: of the failure. */
MUST_CHECK ServerEnd server_run(Server *server, ServerHandler handler, Status *status);
void server_close(Server *server); /* NULL is fine */

#endif
