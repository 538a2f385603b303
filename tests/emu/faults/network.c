#define _GNU_SOURCE // accept4
#include "tests/emu/faults/network.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "emu/http/server.h"
#include "sim/base/units.h"
#include "tests/emu/faults/clients.h"
#include "tests/emu/faults/disk.h"

enum {
    CLIENTS = 6,
    NET_ROUNDS = 5,
    ANSWER_MAX = 1 << 17,
    QUIET = 30,    /* waits without any work after which the server has nothing left to do */
    STUCK = 20000, /* waits of a round after which a client is waiting in vain */
    TURNS_MOST = 100000,
    NO_CUT = INT32_MAX /* the client stays */
};

typedef enum {
    CLIENT_AWAY,     /* has no connection */
    CLIENT_WAITING,  /* to be accepted */
    CLIENT_SENDING,  /* its request, in pieces */
    CLIENT_READING,  /* its answer */
    CLIENT_ANSWERED, /* completely */
    CLIENT_LEFT,     /* before that */
} ClientState;

typedef struct {
    ClientState state;
    int descriptor; /* its side of the connection; -1 */
    int object;     /* that its request is about (clients.h) */
    Text request;
    size_t sent;
    size_t cut_sent; /* it leaves after so many bytes of its request; NO_CUT */
    char answer[ANSWER_MAX];
    size_t received;
    size_t cut_received; /* it leaves after so many bytes of its answer; NO_CUT */
    int32_t piece_max;   /* the most bytes that it sends or reads at once */
    bool is_noise;       /* what it sends is not a request */
    bool is_read;        /* of a file, whose bytes the answer must have */
    bool is_kept;        /* its connection serves another request later */
} Client;

static struct {
    bool is_on;
    int listener, events; /* the server's descriptors: the plain listener, and its epoll; -1 */
    int64_t now_ns;
    Client clients[CLIENTS];
    int waiting[CLIENTS], waiting_count; /* clients to be accepted, in order */
    Known before;                        /* the present round */
    int rounds, quiet, waits;
    int turns; /* of the server's loop without a wait */
} net;

/* --- The round --- */

static bool is_active(const Client *client)
{
    return client->state == CLIENT_WAITING || client->state == CLIENT_SENDING ||
           client->state == CLIENT_READING;
}

static void leave(Client *client, ClientState state)
{
    if (client->descriptor >= 0)
        close(client->descriptor);
    client->descriptor = -1;
    client->state = state;
}

static void begin_client(Client *client, int object)
{
    const bool is_new = client->descriptor < 0;
    client->object = object;
    client->request.length = 0;
    client->sent = client->received = 0;
    client->cut_sent = client->cut_received = NO_CUT;
    client->piece_max = disk_draw(3) == 0 ? 7 : 1 + (int32_t)disk_draw(20000);
    client->is_noise = object < 0;
    client->is_kept = disk_draw(3) == 0;
    if (client->is_noise)
        text_printf(&client->request, "%.*s", 1 + (int)disk_draw(60),
                    disk_draw(2) == 0
                        ? "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ........................"
                        : "\x16\x03\x01 not a request at all \r\n\r\n .......... \x01\x02");
    else
        clients_plan(&life.doubt, object, &client->request);
    client->is_read = strncmp(text_string(&client->request), "GET /acct", 9) == 0;
    if (client->is_noise || disk_draw(4) == 0)
        client->cut_sent = (size_t)disk_draw(client->request.length + 1);
    else if (disk_draw(4) == 0)
        client->cut_received = (size_t)disk_draw(400);
    client->state = is_new ? CLIENT_WAITING : CLIENT_SENDING;
    if (is_new)
        net.waiting[net.waiting_count++] = (int)(client - net.clients);
}

/* Requests about different objects: their order does not matter. */
static void begin_round(void)
{
    uint64_t order = disk_draw(UINT64_C(1) << 40);
    net.before = life.known;
    life.doubt = life.known;
    net.waits = net.quiet = 0;
    arena_reset(life.request);
    for (int i = 0; i < CLIENTS; i++) {
        const bool is_noise = disk_draw(5) == 0;
        begin_client(&net.clients[i], is_noise ? -1 : (int)((order + (uint64_t)i) % OBJECTS));
    }
    life_say("round %d", net.rounds);
}

static int32_t status_of(const Client *client)
{
    return strncmp(client->answer, "HTTP/1.1 ", 9) == 0 ? atoi(client->answer + 9) : 0;
}

/* Whether the answer to a read has the file, which no other client of the round changes. */
static bool has_file(const Client *client)
{
    const KnownFile *file = &net.before.files[client->object];
    const char *end = strstr(client->answer, "\r\n\r\n");
    const size_t length = end ? client->received - (size_t)(end + 4 - client->answer) : 0;
    return length == (size_t)file->length && memcmp(end + 4, file->bytes, length) == 0;
}

/* The effect of a request is known, or found out. */
static void judge(const Client *client)
{
    const int object = client->object;
    const bool is_whole = client->sent == client->request.length;
    const int32_t status = status_of(client);
    life_say("  %.40s: %zu of %zu bytes sent, %zu received, %s", text_string(&client->request),
             client->sent, client->request.length, client->received,
             client->state == CLIENT_ANSWERED ? "answered" : "left");
    if (client->is_noise)
        return;
    if (client->state == CLIENT_ANSWERED && (status < 200 || status >= 300))
        life_fail("%.60s: status %d", text_string(&client->request), status);
    if (client->state == CLIENT_ANSWERED && client->is_read && !has_file(client))
        life_fail("%.60s: other bytes", text_string(&client->request));
    const bool has_happened = clients_is(&life.doubt, object);
    if (client->state == CLIENT_ANSWERED ? !has_happened
                                         : !has_happened && !clients_is(&net.before, object))
        life_fail("%.60s: its object is half changed, or not as answered",
                  text_string(&client->request));
    if (!is_whole && !clients_is(&net.before, object))
        life_fail("%.60s: it happened without its last byte", text_string(&client->request));
    clients_take(&life.known, has_happened ? &life.doubt : &net.before, object);
}

/* Asks the server to end, as a user does. */
static void end_server(void)
{
    net.rounds = NET_ROUNDS;
    net.waits = 0;
    raise(SIGTERM);
}

static void end_round(void)
{
    for (int i = 0; i < CLIENTS && !life.has_failed; i++)
        judge(&net.clients[i]);
    if (!life.has_failed)
        clients_check(&life.known, false);
    if (++net.rounds < NET_ROUNDS && !life.has_failed)
        begin_round();
    else
        end_server();
}

/* --- Clients --- */

static size_t at_most(size_t wanted, size_t most)
{
    return wanted < most ? wanted : most;
}

static void send_piece(Client *client)
{
    const size_t end = at_most(client->request.length, client->cut_sent);
    const size_t length =
        at_most(end - client->sent, 1 + (size_t)disk_draw((uint64_t)client->piece_max));
    const ssize_t sent = length == 0 ? 0
                                     : send(client->descriptor, client->request.data + client->sent,
                                            length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) { // the server has ended the connection
        client->state = CLIENT_READING;
        return;
    }
    client->sent += sent > 0 ? (size_t)sent : 0;
    if (client->sent == client->cut_sent)
        leave(client, CLIENT_LEFT);
    else if (client->sent == client->request.length)
        client->state = CLIENT_READING;
}

/* Whether the answer has its last byte. */
static bool is_complete(Client *client)
{
    client->answer[client->received] = '\0';
    const char *end = strstr(client->answer, "\r\n\r\n");
    if (end == NULL)
        return false;
    const char *length = strcasestr(client->answer, "\r\nContent-Length:");
    const size_t body = length != NULL && length < end ? strtoul(length + 17, NULL, 10) : 0;
    return client->received >= (size_t)(end + 4 - client->answer) + body;
}

static void read_piece(Client *client)
{
    const size_t room = at_most(ANSWER_MAX - 1, client->cut_received) - client->received;
    const size_t most = at_most(room, 1 + (size_t)disk_draw((uint64_t)client->piece_max));
    const ssize_t got =
        room == 0 ? 0
                  : recv(client->descriptor, client->answer + client->received, most, MSG_DONTWAIT);
    if (got > 0)
        client->received += (size_t)got;
    if (got > 0 && is_complete(client)) {
        client->state = CLIENT_ANSWERED;
        if (!client->is_kept || client->is_noise)
            leave(client, CLIENT_ANSWERED);
        return;
    }
    if (room == 0)
        leave(client, CLIENT_LEFT);
    else if (got == 0 || (got < 0 && errno != EAGAIN)) {
        if (!client->is_noise)
            life_fail("%.60s: the server has cut the connection after %zu bytes of the answer",
                      text_string(&client->request), client->received);
        leave(client, CLIENT_LEFT);
    }
}

/* One client does what comes next. False: none has anything to do. */
static bool step(void)
{
    int active[CLIENTS], count = 0;
    for (int i = 0; i < CLIENTS; i++)
        if (net.clients[i].state == CLIENT_SENDING || net.clients[i].state == CLIENT_READING)
            active[count++] = i;
    if (count == 0)
        return net.waiting_count > 0;
    Client *client = &net.clients[active[disk_draw((uint64_t)count)]];
    if (client->state == CLIENT_SENDING)
        send_piece(client);
    else
        read_piece(client);
    return true;
}

/* Some clients have waited for so long that they wait in vain. */
static void fail_stuck(void)
{
    for (int i = 0; i < CLIENTS; i++)
        if (is_active(&net.clients[i]))
            life_fail("%.60s: no answer", text_string(&net.clients[i].request));
}

/* The server is to end, and does not. */
static void wait_for_end(void)
{
    if (++net.waits <= STUCK)
        return;
    printf("seed %" PRIu64 " failed: the server does not end; %s\n", life.seed, life.failure);
    fflush(stdout);
    abort();
}

static void server_waits(void)
{
    net.turns = 0;
    if (net.rounds >= NET_ROUNDS) {
        wait_for_end();
        return;
    }
    for (uint64_t i = 1 + disk_draw(4); i > 0 && !life.has_failed; i--)
        net.quiet = step() ? 0 : net.quiet + 1;
    if (net.quiet > QUIET && !life.has_failed)
        end_round();
    if (++net.waits > STUCK)
        fail_stuck();
    if (life.has_failed && net.rounds < NET_ROUNDS)
        end_server();
}

/* --- Replaced functions --- */

static struct sockaddr_in peer_of(int client)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)(50000 + client)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int accept_client(struct sockaddr *address, socklen_t *length)
{
    static const int errors[] = {EMFILE, ECONNABORTED, ENOBUFS};
    int sides[2], buffer = 1;
    if (net.waiting_count > 0 && disk_draw(20) == 0) {
        errno = errors[disk_draw(3)];
        return -1;
    }
    if (net.waiting_count == 0) {
        errno = EAGAIN;
        return -1;
    }
    const int number = net.waiting[0];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sides) != 0)
        return -1;
    memmove(net.waiting, net.waiting + 1, sizeof *net.waiting * (size_t)--net.waiting_count);
    if (disk_draw(2) == 0) // as little as the system allows: answers need many writes
        setsockopt(sides[0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    const struct sockaddr_in peer = peer_of(number);
    memcpy(address, &peer, sizeof peer);
    *length = sizeof peer;
    net.clients[number].descriptor = sides[1];
    net.clients[number].state = CLIENT_SENDING;
    return sides[0];
}

// Libraries find them here before those of the C library.
#pragma GCC visibility push(default)

/* The C library declares its parameters as a transparent union. */
int accept4(int descriptor, __SOCKADDR_ARG address, socklen_t *restrict length, int flags)
{
    if (net.is_on && descriptor == net.listener)
        return accept_client(address.__sockaddr__, length);
    int (*real)(int, struct sockaddr *, socklen_t *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "accept4");
    return real(descriptor, address.__sockaddr__, length, flags);
}

int epoll_ctl(int events, int operation, int descriptor, struct epoll_event *event)
{
    int is_listening = 0;
    socklen_t length = sizeof is_listening;
    if (net.is_on && net.listener < 0 &&
        getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &length) == 0 &&
        is_listening) {
        net.listener = descriptor;
        net.events = events;
    }
    static int (*real)(int, int, int, struct epoll_event *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "epoll_ctl");
    return real(events, operation, descriptor, event);
}

int epoll_wait(int events, struct epoll_event *found, int most, int timeout_ms)
{
    static int (*real)(int, struct epoll_event *, int, int);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "epoll_wait");
    int count = real(events, found, most, net.is_on ? 0 : timeout_ms);
    if (net.is_on && events == net.events && net.waiting_count > 0 && count >= 0 && count < most)
        found[count++] = (struct epoll_event){.events = EPOLLIN, .data.fd = net.listener};
    return count;
}

int pselect(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except,
            const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    static int (*real)(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
                       const sigset_t *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "pselect");
    if (!net.is_on)
        return real(count, read, write, except, timeout, mask);
    if (timeout == NULL || timeout->tv_sec > 0 || timeout->tv_nsec > 0)
        server_waits();
    else if (++net.turns > TURNS_MOST) { // it asks to be called again, without end
        printf("seed %" PRIu64 " failed: the server spins\n", life.seed);
        fflush(stdout);
        abort();
    }
    const struct timespec at_once = {0};
    int ready = real(count, read, write, except, &at_once, mask);
    net.now_ns += ready == 0 ? NS_PER_MS : NS_PER_US; // time passes even where there is work
    if (ready >= 0 && net.waiting_count > 0 && net.events >= 0 && !FD_ISSET(net.events, read)) {
        FD_SET(net.events, read);
        ready++;
    }
    return ready;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    if (!net.is_on)
        return real(clock, time);
    const int64_t calendar_ns =
        clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? CLIENTS_UNIX_MS * NS_PER_MS : 0;
    const int64_t ns = calendar_ns + net.now_ns;
    *time = (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    return 0;
}

#pragma GCC visibility pop

/* --- A life --- */

void network_live(void)
{
    Status status = {0};
    ServerSettings settings = server_defaults;
    settings.tls_port = settings.userinfo_port = -1;
    settings.has_proxy = disk_draw(2) == 0;
    settings.storage_suffix = "core.windows.net";
    net.is_on = true;
    net.listener = net.events = -1;
    net.now_ns = NS_PER_S;
    net.rounds = net.waiting_count = 0;
    for (int i = 0; i < CLIENTS; i++)
        leave(&net.clients[i], CLIENT_AWAY);
    Server *server = server_open(&settings, &status);
    if (server == NULL) {
        life_fail("server: %s", status.message);
    } else {
        begin_round();
        if (server_run(server, emulator_handler(life.emulator), &status) != SERVER_ENDED)
            life_fail("the server ends: %s", status.message);
        server_close(server);
    }
    for (int i = 0; i < CLIENTS; i++) {
        leave(&net.clients[i], CLIENT_AWAY);
        text_free(&net.clients[i].request);
        net.clients[i].request = (Text){0};
    }
    net.is_on = false;
}
