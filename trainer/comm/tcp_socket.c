#include "trainer/comm/tcp_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "trainer/record/timeline.h"

/* --- Settings --- */

static void set_number(int descriptor, int level, int name, int value)
{
    // Where a system does not have it, nothing is lost but speed or an early notice.
    (void)setsockopt(descriptor, level, name, &value, sizeof value);
}

/* Short messages leave at once. A machine that vanishes says no goodbye: after half a minute of
 * silence the system asks, and after a minute the connection is broken. */
static void prepare_connection(int descriptor)
{
    set_number(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
    set_number(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    set_number(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set_number(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set_number(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
}

static bool set_flags(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

void tcp_close(int *descriptor)
{
    const int error = errno;
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
    errno = error;
}

static int socket_for(const struct addrinfo *found)
{
    int descriptor = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (descriptor >= 0 && !set_flags(descriptor))
        tcp_close(&descriptor);
    return descriptor;
}

/* NULL when there is no such host; freeaddrinfo. */
static struct addrinfo *addresses_of(const char *host, int32_t port, int flags)
{
    const struct addrinfo wanted = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char service[16];
    snprintf(service, sizeof service, "%" PRId32, port);
    return getaddrinfo(host, service, &wanted, &found) == 0 ? found : NULL;
}

/* --- Listening --- */

static int32_t port_of(int descriptor)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage room;
    } address = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t length = sizeof address;
    if (getsockname(descriptor, &address.any, &length) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

static int listen_at(const struct addrinfo *found)
{
    int descriptor = socket_for(found);
    if (descriptor < 0)
        return -1;
    set_number(descriptor, SOL_SOCKET, SO_REUSEADDR, 1); // a port that was told stays usable
    if (bind(descriptor, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(descriptor, RANKS_MAX) != 0)
        tcp_close(&descriptor);
    return descriptor;
}

bool tcp_listen(const char *host, int32_t *port, int *descriptor, Status *status)
{
    struct addrinfo *found = addresses_of(host, *port, AI_PASSIVE);
    *descriptor = -1;
    errno = EADDRNOTAVAIL;
    for (const struct addrinfo *next = found; next && *descriptor < 0; next = next->ai_next)
        *descriptor = listen_at(next);
    if (found)
        freeaddrinfo(found);
    if (*descriptor < 0)
        return status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                           "rank 0 cannot listen at %s, port %" PRId32 ": %s",
                           host ? host : "this machine", *port, strerror(errno));
    *port = port_of(*descriptor);
    return true;
}

int tcp_accept(int listening)
{
    int descriptor = accept(listening, NULL, NULL);
    if (descriptor >= 0 && !set_flags(descriptor))
        tcp_close(&descriptor);
    if (descriptor >= 0)
        prepare_connection(descriptor);
    return descriptor;
}

/* --- Waiting --- */

int tcp_wait(struct pollfd *polled, int32_t count, int64_t until_ns)
{
    for (;;) {
        const int64_t left_ns = until_ns - timeline_clock_ns();
        const int64_t left_ms = left_ns <= 0 ? 0 : (left_ns - 1) / NS_PER_MS + 1;
        const int timeout_ms = until_ns == INT64_MAX ? -1
                               : left_ms > INT_MAX   ? INT_MAX
                                                     : (int)left_ms;
        const int ready = poll(polled, (nfds_t)count, timeout_ms);
        if (ready >= 0 || errno != EINTR)
            return ready;
    }
}

static bool wait_for(int descriptor, short events, int64_t until_ns)
{
    struct pollfd polled = {.fd = descriptor, .events = events};
    return tcp_wait(&polled, 1, until_ns) > 0;
}

/* --- Connecting --- */

/* True once the connection stands; false with errno. */
static bool await_connection(int descriptor, int64_t until_ns)
{
    int error = 0;
    socklen_t length = sizeof error;
    if (!wait_for(descriptor, POLLOUT, until_ns)) {
        errno = ETIMEDOUT;
        return false;
    }
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
        return false;
    errno = error;
    return error == 0;
}

static int connect_to(const struct addrinfo *found, int64_t until_ns)
{
    int descriptor = socket_for(found);
    if (descriptor < 0)
        return -1;
    const bool is_done = connect(descriptor, found->ai_addr, found->ai_addrlen) == 0 ||
                         (errno == EINPROGRESS && await_connection(descriptor, until_ns));
    if (is_done)
        prepare_connection(descriptor);
    else
        tcp_close(&descriptor);
    return descriptor;
}

int tcp_connect(const TcpAddress *address, int64_t until_ns)
{
    struct addrinfo *found = addresses_of(address->host, address->port, 0);
    int descriptor = -1;
    errno = EHOSTUNREACH;
    for (const struct addrinfo *next = found; next && descriptor < 0; next = next->ai_next)
        descriptor = connect_to(next, until_ns);
    const int error = errno;
    if (found)
        freeaddrinfo(found);
    errno = error;
    return descriptor;
}

/* --- Bytes --- */

static bool is_for_later(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

int64_t tcp_send_some(int descriptor, const void *data, int64_t bytes)
{
    const ssize_t sent = send(descriptor, data, (size_t)bytes, MSG_NOSIGNAL);
    if (sent >= 0)
        return sent;
    return is_for_later(errno) ? 0 : -1;
}

static int64_t take(int descriptor, void *data, int64_t bytes, int flags)
{
    const ssize_t taken = recv(descriptor, data, (size_t)bytes, flags);
    if (taken > 0)
        return taken;
    if (taken < 0 && is_for_later(errno))
        return 0;
    if (taken == 0)
        errno = 0;
    return -1;
}

int64_t tcp_take_some(int descriptor, void *data, int64_t bytes)
{
    return take(descriptor, data, bytes, 0);
}

int64_t tcp_peek_some(int descriptor, void *data, int64_t bytes)
{
    return take(descriptor, data, bytes, MSG_PEEK);
}

bool tcp_send_all(int descriptor, const void *data, int64_t bytes, int64_t until_ns)
{
    const uint8_t *next = data;
    while (bytes > 0) {
        const int64_t sent = tcp_send_some(descriptor, next, bytes);
        if (sent < 0 || (sent == 0 && !wait_for(descriptor, POLLOUT, until_ns)))
            return false;
        next += sent;
        bytes -= sent;
    }
    return true;
}

bool tcp_take_all(int descriptor, void *data, int64_t bytes, int64_t until_ns)
{
    uint8_t *next = data;
    while (bytes > 0) {
        const int64_t taken = tcp_take_some(descriptor, next, bytes);
        if (taken < 0 || (taken == 0 && !wait_for(descriptor, POLLIN, until_ns)))
            return false;
        next += taken;
        bytes -= taken;
    }
    return true;
}

const char *tcp_reason(int error)
{
    return error == 0 ? "its connection was closed" : strerror(error);
}
