/* Connections from the moment they are accepted: a client of the proxy is recognised by its first
 * bytes, and then libmicrohttpd takes over. Each has a deadline, after which it is cut. */
#ifndef EMU_CONNECTIONS_H
#define EMU_CONNECTIONS_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "emu/http/proxy.h"
#include "emu/http/server.h"

enum { LISTENER_COUNT = LISTENER_USERINFO + 1 };

typedef struct {
    struct Requests *requests; /* of the connections accepted here */
    HttpListener kind;
    int descriptor; /* the listening socket; -1: there is no such listener */
    int32_t port;
    struct MHD_Daemon *daemon; /* NULL before and after server_run */
} Listener;

typedef enum {
    CONNECTION_NONE,    /* not a connection */
    CONNECTION_VISITOR, /* may still be a client of the proxy */
    CONNECTION_HTTP,    /* handed over to libmicrohttpd */
} ConnectionState;

/* One for each descriptor, which is its index. */
typedef struct {
    ConnectionState state;
    int64_t deadline_ns; /* on the machine's clock; INT64_MAX: none */
    bool has_ended;      /* its client sends nothing more, but may still read */
    struct sockaddr_storage from;
    socklen_t from_length;
    char peer[INET6_ADDRSTRLEN]; /* the text of `from` */
} Connection;

typedef struct {
    const ServerSettings *settings;
    const ProxyRules *rules;
    const Listener *listeners;
    int events;     /* epoll: listeners, visitors and ends of clients */
    int64_t now_ns; /* the machine's clock in this round */
    Connection table[FD_SETSIZE];
    int32_t count;
    bool has_left;         /* a client ended while its answer was sent */
    int64_t deadline_ns;   /* no connection has an earlier one */
    bool is_shut;          /* no more connections are accepted ... */
    int64_t shut_until_ns; /* ... at least until then */
} Connections;

/* Accepts the waiting clients of `listener`. */
void connections_accept(Connections *connections, const Listener *listener);
/* Stops accepting while there are as many connections as allowed, or with `is_leaving`. */
void connections_limit(Connections *connections, bool is_leaving);
/* A visitor has sent bytes, or a client has gone. `has_ended`: it sends nothing more. */
void connections_receive(Connections *connections, int descriptor, bool has_ended);
/* libmicrohttpd has closed the connection. */
void connections_closed(Connections *connections, int descriptor);
void connections_close_visitors(Connections *connections);
void connections_cut_late(Connections *connections);
/* Sets the deadline of a connection; INT64_MAX: none. */
void connections_set_deadline(Connections *connections, int descriptor, int64_t from_now_ns);

#endif
