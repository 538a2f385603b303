/* What the files of the server share. Private to emu/server*.c. */
#ifndef EMU_SERVER_PARTS_H
#define EMU_SERVER_PARTS_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "emu/http/proxy.h"
#include "emu/http/server.h"

enum { LISTENER_COUNT = LISTENER_USERINFO + 1 };

typedef enum {
    CONNECTION_NONE,    /* no such descriptor */
    CONNECTION_VISITOR, /* has not said yet whether it wants the proxy */
    CONNECTION_HTTP,    /* libmicrohttpd's */
} ConnectionState;

/* One for each descriptor, which is its index. */
typedef struct {
    ConnectionState state;
    int64_t deadline_ns; /* of the machine's clock: it is cut then. INT64_MAX: not */
    bool has_ended;      /* its client says nothing more, and may still hear */
    struct sockaddr_storage from;
    socklen_t from_length;
    char peer[INET6_ADDRSTRLEN]; /* `from` in words */
} Connection;

typedef struct {
    Server *server;
    HttpListener kind;
    int descriptor; /* it listens; -1: there is no such listener */
    int32_t port;
    struct MHD_Daemon *daemon; /* NULL before and after server_run */
} Listener;

typedef struct Request Request;

/* An arena whose first memory is kept from request to request: getting it from the heap and zeroing
 * all of it took a tenth of the time of a small request. */
typedef struct {
    Arena *arena;
    ArenaMark empty;
} RequestArena;

enum { SPARE_ARENAS_MAX = 64 };

struct Server {
    Arena *arena;
    ServerSettings settings;
    Certificate certificate;
    ProxyRules rules;
    Listener listeners[LISTENER_COUNT];
    int events; /* epoll: listeners, visitors, signals, and what the plain daemon waits for */
    int signals;
    ServerHandler handler; /* during server_run */
    int64_t now_ns;               /* the machine's clock in this round */

    Connection connections[FD_SETSIZE];
    int32_t connection_count;
    int32_t answering_count; /* requests under way whose answer has an end */
    int64_t deadline_ns;     /* no connection's is earlier */
    bool is_shut;            /* nobody else is let in ... */
    int64_t shut_until_ns;   /* ... at least until then */

    Request *held;  /* their answers wait for the commit */
    Request *dry;   /* their sources had nothing to tell the last time they were asked */
    int64_t dry_ns; /* when they are asked again */
    RequestArena spare_arenas[SPARE_ARENAS_MAX];
    int32_t spare_count;
    int64_t body_bytes; /* of all requests under way */
    bool is_ending;     /* a signal came */
    bool has_failed;    /* a commit has: whoever asks is refused until server_run returns */
};

/* --- server_accept.c --- */

/* Lets in who has connected to `listener`. */
void server_accept(Server *server, Listener *listener);
/* Shuts the door while there are as many as there may be. */
void server_mind_doors(Server *server);
/* A visitor has said something, or has gone; `has_ended`: it says nothing more. */
void server_hear(Server *server, int descriptor, bool has_ended);
void server_turn_visitors_away(Server *server);
void server_cut_late(Server *server);
/* The connection may take so long from now on; INT64_MAX: for ever. */
void server_set_deadline(Server *server, int descriptor, int64_t from_now_ns);

/* --- server_request.c --- */

/* libmicrohttpd's callbacks; `listener` is a Listener. */
void *server_request_begins(void *listener, const char *target, struct MHD_Connection *connection);
enum MHD_Result server_request_goes_on(void *listener, struct MHD_Connection *connection,
                                       const char *path, const char *method, const char *version,
                                       const char *data, size_t *length, void **request);
void server_request_ends(void *listener, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode how);
/* Answers that were held tell of nothing that is there: they say so instead. */
void server_refuse_held(Server *server);
/* Answers that were held go out with the next run of the daemons. True when there were any. */
bool server_let_go(Server *server);
/* Sources that had nothing to tell are asked again. */
bool server_ask_dry(Server *server);
void server_free_arenas(Server *server);

#endif
