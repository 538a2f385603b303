#define _GNU_SOURCE // accept4
#include "emu/http/connections.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"

static const int64_t last_read_ns =
    NS_PER_S; // to read the bytes that a client sent before it ended

void connections_set_deadline(Connections *connections, int descriptor, int64_t from_now_ns)
{
    if (connections->table[descriptor].has_ended && from_now_ns != INT64_MAX)
        from_now_ns = last_read_ns;
    const int64_t at_ns = from_now_ns == INT64_MAX ? INT64_MAX : connections->now_ns + from_now_ns;
    connections->table[descriptor].deadline_ns = at_ns;
    if (at_ns < connections->deadline_ns)
        connections->deadline_ns = at_ns;
}

void connections_closed(Connections *connections, int descriptor)
{
    connections->table[descriptor].state = CONNECTION_NONE;
    connections->count--;
}

static void drop(Connections *connections, int descriptor)
{
    connections_closed(connections, descriptor);
    close(descriptor);
}

/* With epoll the library (0.9.75) misses the end of a client that comes together with its last
 * bytes. */
static void watch_end(const Connections *connections, int descriptor)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.fd = descriptor};
    epoll_ctl(connections->events, EPOLL_CTL_ADD, descriptor,
              &event); // otherwise it stays until its deadline
}

static void hand_over(Connections *connections, HttpListener to, int descriptor)
{
    Connection *connection = &connections->table[descriptor];
    connection->state = CONNECTION_HTTP;
    watch_end(connections, descriptor);
    // In any case the library closes the descriptor, and connection_changes in server.c is called
    // if it was accepted.
    if (MHD_add_connection(connections->listeners[to].daemon, descriptor,
                           (const struct sockaddr *)&connection->from,
                           connection->from_length) != MHD_YES &&
        connection->state == CONNECTION_HTTP)
        connections_closed(connections, descriptor);
}

/* --- The proxy's clients --- */

static void send_text(int descriptor, const char *text)
{
    // A few bytes into an empty socket: if they do not fit, there is no reader.
    const ssize_t sent = send(descriptor, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent;
}

static void unwatch(Connections *connections, int descriptor)
{
    epoll_ctl(connections->events, EPOLL_CTL_DEL, descriptor, NULL);
}

/* Reads the head of a CONNECT from the socket: the client's TLS follows. */
static bool take_head(int descriptor, size_t length)
{
    char head[PROXY_HEAD_MAX];
    return recv(descriptor, head, length, MSG_DONTWAIT) == (ssize_t)length;
}

static void open_tunnel(Connections *connections, HttpListener to, int descriptor,
                        size_t head_bytes)
{
    if (!take_head(descriptor, head_bytes)) {
        drop(connections, descriptor);
        return;
    }
    send_text(descriptor, "HTTP/1.1 200 Connection established\r\n\r\n");
    hand_over(connections, to, descriptor);
}

static void refuse_tunnel(Connections *connections, int descriptor, size_t head_bytes)
{
    static const char text[] = "This proxy leads to the emulator's own TLS and nowhere else.\n";
    char answer[256];
    snprintf(answer, sizeof answer,
             "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
             "Connection: close\r\n\r\n%s",
             sizeof text - 1, text);
    if (take_head(descriptor, head_bytes))
        send_text(descriptor, answer);
    drop(connections, descriptor);
}

/* The first bytes of a visitor; false if it has gone. */
static bool peek(int descriptor, char *room, size_t room_bytes, size_t *length)
{
    const ssize_t count = recv(descriptor, room, room_bytes, MSG_PEEK | MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK))
        return false;
    *length = count < 0 ? 0 : (size_t)count;
    return true;
}

static ProxyVerdict judge(const Connections *connections, const char *bytes, size_t length,
                          size_t *head_bytes)
{
    if (length == 0)
        return PROXY_UNDECIDED;
    return proxy_judge(connections->rules, bytes, length, head_bytes);
}

/* Handles a visitor's bytes. True if it is still a visitor: more bytes are needed and may come
 * (`has_ended`). */
static bool read_visitor(Connections *connections, int descriptor, bool is_new, bool has_ended)
{
    char bytes[PROXY_HEAD_MAX];
    size_t length, head_bytes = 0;
    const bool is_there = peek(descriptor, bytes, sizeof bytes, &length);
    const ProxyVerdict verdict =
        is_there ? judge(connections, bytes, length, &head_bytes) : PROXY_UNDECIDED;
    if (verdict == PROXY_UNDECIDED && is_there && !has_ended)
        return true;
    if (!is_new)
        unwatch(connections, descriptor);
    switch (verdict) {
    case PROXY_UNDECIDED:
        drop(connections, descriptor);
        break;
    case PROXY_NOT_MEANT:
        hand_over(connections, LISTENER_PLAIN, descriptor);
        break;
    case PROXY_TLS:
        open_tunnel(connections, LISTENER_TLS, descriptor, head_bytes);
        break;
    case PROXY_USERINFO:
        open_tunnel(connections, LISTENER_USERINFO, descriptor, head_bytes);
        break;
    case PROXY_REFUSED:
        refuse_tunnel(connections, descriptor, head_bytes);
        break;
    }
    return false;
}

void connections_receive(Connections *connections, int descriptor, bool has_ended)
{
    Connection *connection = &connections->table[descriptor];
    if (connection->state == CONNECTION_VISITOR) {
        read_visitor(connections, descriptor, false, has_ended);
    } else if (connection->state == CONNECTION_HTTP && has_ended) {
        connection->has_ended = true;
        connections->has_left = true;
        if (connection->deadline_ns != INT64_MAX) // otherwise its answer is still sent
            connections_set_deadline(connections, descriptor, last_read_ns);
    }
}

/* --- Letting in --- */

/* Peeked bytes stay in the socket, so only new ones are reported (EPOLLET). */
static void watch_visitor(Connections *connections, int descriptor)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = descriptor};
    if (epoll_ctl(connections->events, EPOLL_CTL_ADD, descriptor, &event) != 0)
        drop(connections, descriptor);
}

static void print_peer(Connection *connection)
{
    const int family = connection->from.ss_family;
    const void *address =
        family == AF_INET6
            ? (const void *)&((const struct sockaddr_in6 *)&connection->from)->sin6_addr
            : (const void *)&((const struct sockaddr_in *)&connection->from)->sin_addr;
    inet_ntop(family, address, connection->peer, sizeof connection->peer);
}

static void add_connection(Connections *connections, const Listener *listener, int descriptor,
                           const Connection *connection)
{
    if (descriptor >= FD_SETSIZE) { // more files are open than expected
        close(descriptor);
        return;
    }
    connections->table[descriptor] = *connection;
    print_peer(&connections->table[descriptor]);
    connections->count++;
    connections_set_deadline(connections, descriptor, connections->settings->head_s * NS_PER_S);
    if (listener->kind != LISTENER_PLAIN || !connections->settings->has_proxy)
        hand_over(connections, listener->kind, descriptor);
    else if (read_visitor(connections, descriptor, true, false))
        watch_visitor(connections, descriptor);
}

void connections_accept(Connections *connections, const Listener *listener)
{
    enum { AT_ONCE = 64, SHUT_NS = NS_PER_S / 10 };
    for (int32_t i = 0; i < AT_ONCE && connections->count < connections->settings->connections_max;
         i++) {
        Connection connection = {.state = CONNECTION_VISITOR,
                                 .from_length = sizeof connection.from};
        const int descriptor = accept4(listener->descriptor, (struct sockaddr *)&connection.from,
                                       &connection.from_length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) {
            if (errno != EAGAIN &&
                errno != EWOULDBLOCK) // a lack of descriptors or memory is temporary
                connections->shut_until_ns = connections->now_ns + SHUT_NS;
            return;
        }
        add_connection(connections, listener, descriptor, &connection);
    }
}

void connections_limit(Connections *connections, bool is_leaving)
{
    const bool is_shut = connections->count >= connections->settings->connections_max ||
                         connections->now_ns < connections->shut_until_ns || is_leaving;
    if (is_shut == connections->is_shut)
        return;
    connections->is_shut = is_shut;
    for (int32_t i = 0; i < LISTENER_COUNT; i++) {
        const int descriptor = connections->listeners[i].descriptor;
        struct epoll_event event = {.events = is_shut ? 0 : EPOLLIN, .data.fd = descriptor};
        if (descriptor >= 0)
            epoll_ctl(connections->events, EPOLL_CTL_MOD, descriptor, &event);
    }
}

/* --- Cutting off --- */

static void cut(Connections *connections, int descriptor)
{
    if (connections->table[descriptor].state == CONNECTION_VISITOR) {
        unwatch(connections, descriptor);
        drop(connections, descriptor);
        return;
    }
    connections->table[descriptor].deadline_ns = INT64_MAX;
    shutdown(descriptor, SHUT_RDWR); // the library sees the end and closes it
}

void connections_close_visitors(Connections *connections)
{
    for (int descriptor = 0; descriptor < FD_SETSIZE; descriptor++)
        if (connections->table[descriptor].state == CONNECTION_VISITOR)
            cut(connections, descriptor);
}

void connections_cut_late(Connections *connections)
{
    if (connections->now_ns < connections->deadline_ns)
        return;
    connections->deadline_ns = INT64_MAX;
    for (int descriptor = 0; descriptor < FD_SETSIZE; descriptor++) {
        const Connection *connection = &connections->table[descriptor];
        if (connection->state == CONNECTION_NONE)
            continue;
        if (connection->deadline_ns <= connections->now_ns)
            cut(connections, descriptor);
        else if (connection->deadline_ns < connections->deadline_ns)
            connections->deadline_ns = connection->deadline_ns;
    }
}
