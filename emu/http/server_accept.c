/* From a connection that somebody makes to the one who serves it: the proxy's clients are told from
 * others by their first bytes, and then libmicrohttpd takes over. */
#define _GNU_SOURCE // accept4
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "emu/http/server_parts.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

static const int64_t rest_ns = NS_PER_S; // to read what a client has said before it ended

void server_set_deadline(Server *server, int descriptor, int64_t from_now_ns)
{
    if (server->connections[descriptor].has_ended && from_now_ns != INT64_MAX)
        from_now_ns = rest_ns;
    const int64_t at_ns = from_now_ns == INT64_MAX ? INT64_MAX : server->now_ns + from_now_ns;
    server->connections[descriptor].deadline_ns = at_ns;
    if (at_ns < server->deadline_ns)
        server->deadline_ns = at_ns;
}

static void turn_away(Server *server, int descriptor)
{
    server->connections[descriptor].state = CONNECTION_NONE;
    server->connection_count--;
    close(descriptor);
}

/* The library (0.9.75) with epoll misses the end of a client that comes together with its last
 * words. */
static void listen_for_end(const Server *server, int descriptor)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.fd = descriptor};
    epoll_ctl(server->events, EPOLL_CTL_ADD, descriptor, &event); // else it is idle for a while
}

static void hand_over(Server *server, HttpListener to, int descriptor)
{
    Connection *connection = &server->connections[descriptor];
    connection->state = CONNECTION_HTTP;
    listen_for_end(server, descriptor);
    // Whatever comes of it: the library closes the descriptor, and server_connection_changes hears
    // of it where it was taken.
    if (MHD_add_connection(server->listeners[to].daemon, descriptor,
                           (const struct sockaddr *)&connection->from,
                           connection->from_length) != MHD_YES &&
        connection->state == CONNECTION_HTTP) {
        connection->state = CONNECTION_NONE;
        server->connection_count--;
    }
}

/* --- The proxy's clients --- */

static void say(int descriptor, const char *text)
{
    // A few bytes into an empty socket: whatever does not fit has no reader.
    const ssize_t sent = send(descriptor, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent;
}

static void stop_listening_to(Server *server, int descriptor)
{
    epoll_ctl(server->events, EPOLL_CTL_DEL, descriptor, NULL);
}

/* Takes the head of a CONNECT off the socket: what follows is the client's TLS. */
static bool take_head(int descriptor, size_t length)
{
    char head[PROXY_HEAD_MAX];
    return recv(descriptor, head, length, MSG_DONTWAIT) == (ssize_t)length;
}

static void open_tunnel(Server *server, HttpListener to, int descriptor, size_t head_bytes)
{
    if (!take_head(descriptor, head_bytes)) {
        turn_away(server, descriptor);
        return;
    }
    say(descriptor, "HTTP/1.1 200 Connection established\r\n\r\n");
    hand_over(server, to, descriptor);
}

static void refuse_tunnel(Server *server, int descriptor, size_t head_bytes)
{
    static const char text[] = "This proxy leads to the emulator's own TLS and nowhere else.\n";
    char answer[256];
    snprintf(answer, sizeof answer,
             "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
             "Connection: close\r\n\r\n%s",
             sizeof text - 1, text);
    if (take_head(descriptor, head_bytes))
        say(descriptor, answer);
    turn_away(server, descriptor);
}

/* What there is of a visitor's first bytes. False when it has gone. */
static bool peek(int descriptor, char *room, size_t room_bytes, size_t *length)
{
    const ssize_t count = recv(descriptor, room, room_bytes, MSG_PEEK | MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK))
        return false;
    *length = count < 0 ? 0 : (size_t)count;
    return true;
}

static ProxyVerdict judge(const Server *server, const char *bytes, size_t length,
                          size_t *head_bytes)
{
    if (length == 0)
        return PROXY_UNDECIDED;
    return proxy_judge(&server->rules, bytes, length, head_bytes);
}

/* What a visitor has said. True when it is still one: it is to say more, and may (`has_ended`). */
static bool hear(Server *server, int descriptor, bool is_new, bool has_ended)
{
    char bytes[PROXY_HEAD_MAX];
    size_t length, head_bytes = 0;
    const bool is_there = peek(descriptor, bytes, sizeof bytes, &length);
    const ProxyVerdict verdict =
        is_there ? judge(server, bytes, length, &head_bytes) : PROXY_UNDECIDED;
    if (verdict == PROXY_UNDECIDED && is_there && !has_ended)
        return true;
    if (!is_new)
        stop_listening_to(server, descriptor);
    switch (verdict) {
    case PROXY_UNDECIDED:
        turn_away(server, descriptor);
        break;
    case PROXY_NOT_MEANT:
        hand_over(server, LISTENER_PLAIN, descriptor);
        break;
    case PROXY_TLS:
        open_tunnel(server, LISTENER_TLS, descriptor, head_bytes);
        break;
    case PROXY_USERINFO:
        open_tunnel(server, LISTENER_USERINFO, descriptor, head_bytes);
        break;
    case PROXY_REFUSED:
        refuse_tunnel(server, descriptor, head_bytes);
        break;
    }
    return false;
}

void server_hear(Server *server, int descriptor, bool has_ended)
{
    Connection *connection = &server->connections[descriptor];
    if (connection->state == CONNECTION_VISITOR) {
        hear(server, descriptor, false, has_ended);
    } else if (connection->state == CONNECTION_HTTP && has_ended) {
        connection->has_ended = true;
        if (connection->deadline_ns != INT64_MAX) // else it hears its answer
            server_set_deadline(server, descriptor, rest_ns);
    }
}

/* --- Letting in --- */

/* Bytes that were looked at stay in the socket, so only new ones count (EPOLLET). */
static void listen_to(Server *server, int descriptor)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = descriptor};
    if (epoll_ctl(server->events, EPOLL_CTL_ADD, descriptor, &event) != 0)
        turn_away(server, descriptor);
}

static void name_peer(Connection *connection)
{
    const int family = connection->from.ss_family;
    const void *address =
        family == AF_INET6
            ? (const void *)&((const struct sockaddr_in6 *)&connection->from)->sin6_addr
            : (const void *)&((const struct sockaddr_in *)&connection->from)->sin_addr;
    inet_ntop(family, address, connection->peer, sizeof connection->peer);
}

static void let_in(Server *server, const Listener *listener, int descriptor,
                   const Connection *connection)
{
    if (descriptor >= FD_SETSIZE) { // more files are open than were reckoned with
        close(descriptor);
        return;
    }
    server->connections[descriptor] = *connection;
    name_peer(&server->connections[descriptor]);
    server->connection_count++;
    server_set_deadline(server, descriptor, server->settings.head_s * NS_PER_S);
    if (listener->kind != LISTENER_PLAIN || !server->settings.has_proxy)
        hand_over(server, listener->kind, descriptor);
    else if (hear(server, descriptor, true, false))
        listen_to(server, descriptor);
}

void server_accept(Server *server, Listener *listener)
{
    enum { AT_ONCE = 64, SHUT_NS = NS_PER_S / 10 };
    for (int32_t i = 0; i < AT_ONCE && server->connection_count < server->settings.connections_max;
         i++) {
        Connection connection = {.state = CONNECTION_VISITOR,
                                 .from_length = sizeof connection.from};
        const int descriptor = accept4(listener->descriptor, (struct sockaddr *)&connection.from,
                                       &connection.from_length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) // no descriptors, no memory: not for ever
                server->shut_until_ns = server->now_ns + SHUT_NS;
            return;
        }
        let_in(server, listener, descriptor, &connection);
    }
}

void server_mind_doors(Server *server)
{
    const bool is_shut = server->connection_count >= server->settings.connections_max ||
                         server->now_ns < server->shut_until_ns || server->is_ending ||
                         server->has_failed;
    if (is_shut == server->is_shut)
        return;
    server->is_shut = is_shut;
    for (int32_t i = 0; i < LISTENER_COUNT; i++) {
        const int descriptor = server->listeners[i].descriptor;
        struct epoll_event event = {.events = is_shut ? 0 : EPOLLIN, .data.fd = descriptor};
        if (descriptor >= 0)
            epoll_ctl(server->events, EPOLL_CTL_MOD, descriptor, &event);
    }
}

/* --- Cutting off --- */

static void cut(Server *server, int descriptor)
{
    if (server->connections[descriptor].state == CONNECTION_VISITOR) {
        stop_listening_to(server, descriptor);
        turn_away(server, descriptor);
        return;
    }
    server->connections[descriptor].deadline_ns = INT64_MAX;
    shutdown(descriptor, SHUT_RDWR); // the library sees the end, and closes
}

void server_turn_visitors_away(Server *server)
{
    for (int descriptor = 0; descriptor < FD_SETSIZE; descriptor++)
        if (server->connections[descriptor].state == CONNECTION_VISITOR)
            cut(server, descriptor);
}

void server_cut_late(Server *server)
{
    if (server->now_ns < server->deadline_ns)
        return;
    server->deadline_ns = INT64_MAX;
    for (int descriptor = 0; descriptor < FD_SETSIZE; descriptor++) {
        const Connection *connection = &server->connections[descriptor];
        if (connection->state == CONNECTION_NONE)
            continue;
        if (connection->deadline_ns <= server->now_ns)
            cut(server, descriptor);
        else if (connection->deadline_ns < server->deadline_ns)
            server->deadline_ns = connection->deadline_ns;
    }
}
