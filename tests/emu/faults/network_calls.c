/* Private to tests/emu/faults: the functions of the C library and of GnuTLS that accept
 * connections, wait, read clocks and make random bytes, replaced for the whole process. */
#define _GNU_SOURCE // accept4
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>

#include "sim/base/units.h"
#include "tests/emu/faults/disk.h"
#include "tests/emu/faults/network_parts.h"

/* The function of the libraries; looked for once. */
#define REAL(name)                                                                                 \
    static __typeof__(&(name)) real;                                                               \
    if (real == NULL)                                                                              \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

static int waiting_count(void)
{
    return net.listeners[PLAIN].waiting_count + net.listeners[OVER_TLS].waiting_count;
}

static struct sockaddr_in peer_of(int client)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)(50000 + client)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int accept_client(ListenerKind kind, struct sockaddr *address, socklen_t *length)
{
    static const int errors[] = {EMFILE, ECONNABORTED, ENOBUFS};
    int sides[2], buffer = 1;
    int *waiting = net.listeners[kind].waiting, *count = &net.listeners[kind].waiting_count;
    if (*count > 0 && disk_draw(20) == 0) {
        errno = errors[disk_draw(3)];
        return -1;
    }
    if (*count == 0) {
        errno = EAGAIN;
        return -1;
    }
    const int number = waiting[0];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sides) != 0)
        return -1;
    memmove(waiting, waiting + 1, sizeof *waiting * (size_t)-- * count);
    if (disk_draw(2) == 0) // as little as the system allows: answers need many writes
        setsockopt(sides[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    const struct sockaddr_in peer = peer_of(number);
    memcpy(address, &peer, sizeof peer);
    *length = sizeof peer;
    connection_made(&net.clients[number], sides[1]);
    return sides[0];
}

/* The server watches its listeners in the order of their kinds. */
static void note_listener(int events, int operation, int descriptor,
                          const struct epoll_event *event)
{
    int is_listening = 0;
    socklen_t length = sizeof is_listening;
    if (operation == EPOLL_CTL_ADD &&
        getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &length) == 0 &&
        is_listening) {
        const bool is_tls = net.has_tls && net.events < 0;
        net.listeners[is_tls ? OVER_TLS : PLAIN].descriptor = descriptor;
        net.events = events;
    }
    for (int i = 0; i < LISTENERS; i++)
        if (net.listeners[i].descriptor == descriptor)
            net.listeners[i].is_open = event && event->events & EPOLLIN;
}

static bool can_accept(const int kind)
{
    return net.listeners[kind].is_open && net.listeners[kind].waiting_count > 0;
}

// Libraries find them here before those of the C library.
#pragma GCC visibility push(default)

/* The C library declares its parameters as a transparent union. */
int accept4(int descriptor, __SOCKADDR_ARG address, socklen_t *restrict length, int flags)
{
    REAL(accept4);
    for (int i = 0; net.is_on && i < LISTENERS; i++)
        if (descriptor == net.listeners[i].descriptor)
            return accept_client((ListenerKind)i, address.__sockaddr__, length);
    return real(descriptor, address, length, flags);
}

int epoll_ctl(int events, int operation, int descriptor, struct epoll_event *event)
{
    REAL(epoll_ctl);
    if (net.is_on)
        note_listener(events, operation, descriptor, event);
    return real(events, operation, descriptor, event);
}

int epoll_wait(int events, struct epoll_event *found, int most, int timeout_ms)
{
    REAL(epoll_wait);
    int count = real(events, found, most, net.is_on ? 0 : timeout_ms);
    for (int i = 0; net.is_on && i < LISTENERS; i++)
        if (events == net.events && can_accept(i) && count >= 0 && count < most)
            found[count++] =
                (struct epoll_event){.events = EPOLLIN, .data.fd = net.listeners[i].descriptor};
    return count;
}

/* Time passes while the server has work, too. Without work it passes up to the time at which the
 * server asks to be woken. */
static void pass_time(int ready, const struct timespec *timeout)
{
    const int64_t whole_ns =
        timeout ? timeout->tv_sec * NS_PER_S + timeout->tv_nsec : 50 * NS_PER_MS;
    const int64_t idle_ns = whole_ns < NS_PER_MS        ? NS_PER_MS
                            : whole_ns > 50 * NS_PER_MS ? 50 * NS_PER_MS
                                                        : whole_ns;
    net.now_ns += ready > 0 ? NS_PER_US : net.quiet > 0 ? idle_ns : NS_PER_MS;
}

int pselect(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except,
            const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    REAL(pselect);
    if (!net.is_on)
        return real(count, read, write, except, timeout, mask);
    network_turns();
    if (timeout == NULL || timeout->tv_sec > 0 || timeout->tv_nsec > 0)
        network_waits();
    const struct timespec at_once = {0};
    int ready = real(count, read, write, except, &at_once, mask);
    pass_time(ready, timeout);
    if (ready >= 0 && waiting_count() > 0 && net.events >= 0 && !FD_ISSET(net.events, read)) {
        FD_SET(net.events, read);
        ready++;
    }
    return ready;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    REAL(clock_gettime);
    if (!net.is_on)
        return real(clock, time);
    const int64_t calendar_ns =
        clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? CLIENTS_UNIX_MS * NS_PER_MS : 0;
    const int64_t ns = calendar_ns + net.now_ns;
    *time = (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    return 0;
}

/* Keys, signatures and all other random bytes of TLS repeat themselves. */
int gnutls_rnd(gnutls_rnd_level_t level, void *data, size_t length)
{
    (void)level;
    unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++) {
        uint64_t z = net.random += UINT64_C(0x9E3779B97F4A7C15);
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        bytes[i] = (unsigned char)((z ^ z >> 27) >> 24);
    }
    return 0;
}

#pragma GCC visibility pop
