#define _GNU_SOURCE // accept4's flags for sockets
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "emu/http/requests.h"
#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"

static const int64_t tick_pause_ns = NS_PER_S / 20; // how often time advances without requests
static const int64_t end_limit_ns = NS_PER_S;       // for answers that are being sent at the end

const ServerSettings server_defaults = {
    .address = "127.0.0.1",
    .own_name = "",
    .storage_suffix = "core.windows.net",
    .has_proxy = true,
    .body_max = 16 << 20,
    .connections_max = SERVER_CONNECTIONS_MAX,
    .streams_max = SERVER_CONNECTIONS_MAX / 4,
    .head_s = 10,
    .idle_s = 60,
};

static int64_t real_unix_ms(void)
{
    return machine_unix_ns() / NS_PER_MS;
}

typedef struct {
    sigset_t mask;
    struct sigaction pipe;
} SignalsBefore;

struct Server {
    Arena *arena;
    ServerSettings settings;
    Certificate certificate;
    ProxyRules rules;
    Listener listeners[LISTENER_COUNT];
    int events;  /* epoll: listeners, visitors, signals, and what the plain daemon waits for */
    int signals; /* signalfd; -1: the signals are not taken */
    SignalsBefore before;
    Connections connections;
    Requests requests;
};

/* --- Listeners --- */

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} SocketAddress;

static bool is_six(const SocketAddress *address)
{
    return address->any.sa_family == AF_INET6;
}

static socklen_t length_of(const SocketAddress *address)
{
    return is_six(address) ? sizeof address->six : sizeof address->four;
}

static void set_port(SocketAddress *to, int32_t port)
{
    if (is_six(to))
        to->six.sin6_port = htons((uint16_t)port);
    else
        to->four.sin_port = htons((uint16_t)port);
}

/* The port of the socket, which the system chose for port 0. */
static int32_t port_of(int descriptor)
{
    SocketAddress own = {0};
    socklen_t length = sizeof own;
    invariant(getsockname(descriptor, &own.any, &length) == 0);
    return ntohs(is_six(&own) ? own.six.sin6_port : own.four.sin_port);
}

typedef enum { REACH_LOOPBACK, REACH_ONE_ADDRESS, REACH_ALL } Reach;

static Reach reach_of(const SocketAddress *address)
{
    if (is_six(address)) {
        const struct in6_addr *six = &address->six.sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(six)      ? REACH_LOOPBACK
               : IN6_IS_ADDR_UNSPECIFIED(six) ? REACH_ALL
                                              : REACH_ONE_ADDRESS;
    }
    const uint32_t four = ntohl(address->four.sin_addr.s_addr);
    return four >> 24 == IN_LOOPBACKNET ? REACH_LOOPBACK
           : four == INADDR_ANY         ? REACH_ALL
                                        : REACH_ONE_ADDRESS;
}

static bool read_address(const ServerSettings *settings, SocketAddress *to, Status *status)
{
    struct addrinfo *found;
    const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    if (getaddrinfo(settings->address, NULL, &wanted, &found) != 0) {
        status_fail(status, STATUS_BAD_INPUT, place_in("--listen", 0, 0),
                    "\"%s\" is not an address of IPv4 or IPv6", settings->address);
        return status_hint(status, "127.0.0.1 is what clients on this machine need");
    }
    memcpy(to, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (settings->is_open || reach_of(to) == REACH_LOOPBACK)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in("--listen", 0, 0),
                "other machines could reach the emulator at %s; it checks "
                "no passwords and can run programs",
                settings->address);
    return status_hint(status, "--i-know-this-is-not-secure allows it all the same");
}

static bool watch(const Server *server, int descriptor, Status *status)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    return epoll_ctl(server->events, EPOLL_CTL_ADD, descriptor, &event) == 0 ||
           status_fail(status, STATUS_MACHINE, place_in("server", 0, 0), "epoll_ctl failed: %s",
                       strerror(errno));
}

static bool fail_to_listen(const ServerSettings *settings, HttpListener kind, int32_t port,
                           Status *status)
{
    static const char *const options[LISTENER_COUNT] = {[LISTENER_TLS] = "--port",
                                                        [LISTENER_PLAIN] = "--plain-port",
                                                        [LISTENER_USERINFO] = "--listen"};
    const int reason = errno;
    status_fail(
        status, reason == EADDRINUSE || reason == EADDRNOTAVAIL ? STATUS_CONFLICT : STATUS_MACHINE,
        place_in(reason == EADDRINUSE ? options[kind] : "--listen", 0, 0),
        "listening on %s, port %" PRId32 " failed: %s", settings->address, port, strerror(reason));
    if (reason == EADDRINUSE)
        return status_hint(status, "another emulator may be running; --port, --plain-port and "
                                   "--state let a second one run next to it");
    return false;
}

static bool listen_on(Server *server, HttpListener kind, int32_t port, SocketAddress address,
                      Status *status)
{
    enum { BACKLOG = 511, ON = 1 };
    const int on = ON;
    Listener *listener = &server->listeners[kind];
    listener->descriptor = -1;
    listener->requests = &server->requests;
    listener->kind = kind;
    if (port < 0)
        return true;
    set_port(&address, port);
    listener->descriptor =
        socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener->descriptor < 0 ||
        setsockopt(listener->descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listener->descriptor, &address.any, length_of(&address)) != 0 ||
        listen(listener->descriptor, BACKLOG) != 0)
        return fail_to_listen(&server->settings, kind, port, status);
    listener->port = port_of(listener->descriptor);
    return watch(server, listener->descriptor, status);
}

static bool listen_on_all(Server *server, const SocketAddress *address, Status *status)
{
    const ServerSettings *settings = &server->settings;
    return listen_on(server, LISTENER_TLS, settings->tls_port, *address, status) &&
           listen_on(server, LISTENER_PLAIN, settings->plain_port, *address, status) &&
           listen_on(server, LISTENER_USERINFO, settings->userinfo_port, *address, status);
}

/* --- Life --- */

static CertificateNames names_of(const Server *server, Reach reach)
{
    const ServerSettings *settings = &server->settings;
    CertificateNames names = {.count = 3, .items = {"127.0.0.1", "::1", "localhost"}};
    static const char *const services[] = {"file", "blob"};
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        names.items[names.count++] =
            arena_printf(server->arena, "*.%s.%s", services[i], settings->storage_suffix);
    if (reach == REACH_ONE_ADDRESS)
        names.items[names.count++] = settings->address;
    if (settings->own_name[0] != '\0')
        names.items[names.count++] = settings->own_name;
    return names;
}

/* --- Signals --- */

static bool take_signals(Server *server, Status *status)
{
    if (server->signals >= 0)
        return true; // an earlier run is continued
    sigset_t ends;
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, &server->before.mask);
    sigaction(SIGPIPE, &ignore,
              &server->before.pipe); // a client that has gone is an error of its socket
    server->signals = signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC);
    if (server->signals < 0)
        return status_fail(status, STATUS_MACHINE, place_in("server", 0, 0), "signalfd failed: %s",
                           strerror(errno));
    return watch(server, server->signals, status);
}

static void give_signals_back(Server *server)
{
    struct signalfd_siginfo info;
    while (server->signals >= 0 && read(server->signals, &info, sizeof info) > 0)
        continue; // received signals are done
    if (server->signals >= 0)
        close(server->signals);
    server->signals = -1;
    sigaction(SIGPIPE, &server->before.pipe, NULL);
    sigprocmask(SIG_SETMASK, &server->before.mask, NULL);
}

/* --- Opening and closing --- */

static bool open_all(Server *server, Status *status)
{
    SocketAddress address = {0};
    server->events = server->connections.events = epoll_create1(EPOLL_CLOEXEC);
    if (server->events < 0)
        return status_fail(status, STATUS_MACHINE, place_in("server", 0, 0),
                           "epoll_create failed: %s", strerror(errno));
    return read_address(&server->settings, &address, status) &&
           listen_on_all(server, &address, status);
}

bool server_certify(Server *server, const char *state_folder, Status *status)
{
    SocketAddress address = {0};
    if (!read_address(&server->settings, &address, status))
        return false;
    const CertificateNames names = names_of(server, reach_of(&address));
    return certificate_open(server->arena, state_folder, &names, real_unix_ms() / 1000,
                            &server->certificate, status);
}

/* -1: there is no such listener. */
static int32_t userinfo_port(const Server *server)
{
    const Listener *listener = &server->listeners[LISTENER_USERINFO];
    return listener->descriptor >= 0 ? listener->port : -1;
}

Server *server_open(const ServerSettings *settings, Status *status)
{
    invariant(settings->connections_max <= SERVER_CONNECTIONS_MAX);
    Server *server = memory_zeroed(sizeof *server);
    server->arena = arena_create();
    server->settings = *settings;
    server->events = server->signals = -1;
    server->connections = (Connections){.settings = &server->settings,
                                        .rules = &server->rules,
                                        .listeners = server->listeners,
                                        .deadline_ns = INT64_MAX};
    server->requests = (Requests){.settings = &server->settings,
                                  .rules = &server->rules,
                                  .connections = &server->connections};
    for (int32_t i = 0; i < LISTENER_COUNT; i++)
        server->listeners[i].descriptor = -1;
    if (!open_all(server, status)) {
        server_close(server);
        return NULL;
    }
    server->rules = (ProxyRules){
        .gate = {.storage_suffix = settings->storage_suffix, .own_name = settings->own_name},
        .tls_port = server->listeners[LISTENER_TLS].port,
        .userinfo_port = userinfo_port(server),
        .plain_port = server->listeners[LISTENER_PLAIN].port,
    };
    return server;
}

void server_close(Server *server)
{
    if (!server)
        return;
    for (int32_t i = 0; i < LISTENER_COUNT; i++)
        if (server->listeners[i].descriptor >= 0)
            close(server->listeners[i].descriptor);
    if (server->events >= 0)
        close(server->events);
    if (server->signals >= 0)
        give_signals_back(server);
    requests_free_arenas(&server->requests);
    arena_destroy(server->arena);
    free(server);
}

const Certificate *server_certificate(const Server *server)
{
    return &server->certificate;
}

static const char *address_of(const Server *server, HttpListener kind, Arena *arena)
{
    const Listener *listener = &server->listeners[kind];
    const char *host = server->settings.address;
    if (listener->descriptor < 0)
        return "";
    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
        host = server->settings.own_name[0] != '\0' ? server->settings.own_name : "127.0.0.1";
    return arena_printf(arena, strchr(host, ':') ? "[%s]:%" PRId32 : "%s:%" PRId32, host,
                        listener->port);
}

void server_addresses(const Server *server, Arena *arena, HttpAddresses *addresses)
{
    *addresses = (HttpAddresses){.tls = address_of(server, LISTENER_TLS, arena),
                                 .plain = address_of(server, LISTENER_PLAIN, arena),
                                 .userinfo = address_of(server, LISTENER_USERINFO, arena)};
}

/* --- libmicrohttpd --- */

/* Targets and queries are decoded later, according to their meaning. */
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context, (void)connection;
    return strlen(text);
}

static void connection_changes(void *context, struct MHD_Connection *connection,
                               void **socket_context, enum MHD_ConnectionNotificationCode what)
{
    const Listener *listener = context;
    (void)socket_context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        connections_closed(
            listener->requests->connections,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
}

/* TLS uses select: with epoll and half a handshake the library (0.9.75) asks to be run again at
 * once, for ever. Without TLS epoll is a third faster. */
static unsigned flags_of(const Listener *listener)
{
    return MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK |
           (listener->kind == LISTENER_PLAIN ? MHD_USE_EPOLL : MHD_USE_TLS);
}

/* TLS 1.3, and 1.2 with forward secrecy and authenticated encryption (RFC 9325, 4.2): no CBC. */
static const char tls_priorities[] =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:"
    "+AES-128-GCM:-KX-ALL:+ECDHE-ECDSA:-MAC-ALL:+AEAD";

static bool start_daemon(Server *server, Listener *listener, Status *status)
{
    if (listener->descriptor < 0)
        return true;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)server->certificate.key_pem},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)server->certificate.certificate_pem},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)tls_priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    listener->daemon = MHD_start_daemon(
        flags_of(listener), 0, NULL, NULL, requests_continue, listener, MHD_OPTION_URI_LOG_CALLBACK,
        requests_begin, listener, MHD_OPTION_NOTIFY_COMPLETED, requests_end, listener,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changes, listener, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escaped, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVER_HEAD_MAX,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)server->settings.connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)server->settings.idle_s,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_ARRAY,
        listener->kind == LISTENER_PLAIN ? tls + 3 : tls, MHD_OPTION_END);
    return listener->daemon || status_fail(status, STATUS_MACHINE, place_in("server", 0, 0),
                                           "libmicrohttpd does not start");
}

/* The plain daemon waits on one descriptor, which is watched with the others. */
static bool start_daemons(Server *server, Status *status)
{
    for (int32_t i = 0; i < LISTENER_COUNT; i++)
        if (!start_daemon(server, &server->listeners[i], status))
            return false;
    const Listener *plain = &server->listeners[LISTENER_PLAIN];
    return !plain->daemon ||
           watch(server, MHD_get_daemon_info(plain->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
                 status);
}

static void stop_daemons(Server *server)
{
    connections_close_visitors(&server->connections);
    requests_retry_sources(&server->requests); // the library needs them back; they are cut
    for (int32_t i = 0; i < LISTENER_COUNT; i++) {
        if (server->listeners[i].daemon)
            MHD_stop_daemon(server->listeners[i].daemon);
        server->listeners[i].daemon = NULL;
    }
}

/* --- The loop --- */

typedef struct {
    fd_set read, write, except;
    int descriptor_max;
} WaitSet;

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The next time at which there is something to do without an event. */
static int64_t next_ns(const Server *server, int64_t ticked_ns)
{
    int64_t at_ns = server->requests.handler.next_ns(server->requests.handler.owner);
    if (at_ns < ticked_ns + tick_pause_ns)
        at_ns = ticked_ns + tick_pause_ns; // a request in between gets the exact time
    at_ns = earlier(at_ns, server->connections.deadline_ns);
    if (server->requests.waiting)
        at_ns = earlier(at_ns, server->requests.retry_ns);
    if (server->connections.is_shut &&
        server->connections.shut_until_ns > server->connections.now_ns)
        at_ns = earlier(at_ns, server->connections.shut_until_ns);
    for (int32_t i = 0; i < LISTENER_COUNT; i++) {
        MHD_UNSIGNED_LONG_LONG wait_ms;
        const Listener *listener = &server->listeners[i];
        if (listener->daemon && MHD_get_timeout(listener->daemon, &wait_ms) == MHD_YES)
            at_ns = earlier(at_ns, server->connections.now_ns + (int64_t)wait_ms * NS_PER_MS);
    }
    return at_ns;
}

static void fill(const Server *server, WaitSet *set)
{
    FD_ZERO(&set->read);
    FD_ZERO(&set->write);
    FD_ZERO(&set->except);
    FD_SET(server->events, &set->read);
    set->descriptor_max = server->events;
    for (int32_t i = 0; i < LISTENER_COUNT; i++) {
        const Listener *listener = &server->listeners[i];
        if (listener->daemon && listener->kind != LISTENER_PLAIN)
            MHD_get_fdset(listener->daemon, &set->read, &set->write, &set->except,
                          &set->descriptor_max);
    }
}

static void server_wait(Server *server, WaitSet *set, int64_t until_ns)
{
    fill(server, set);
    struct timespec time = {0};
    const int64_t wait_ns = until_ns - server->connections.now_ns;
    if (wait_ns > 0) {
        time.tv_sec = (time_t)(wait_ns / NS_PER_S);
        time.tv_nsec = (long)(wait_ns % NS_PER_S);
    }
    if (pselect(set->descriptor_max + 1, &set->read, &set->write, &set->except,
                until_ns == INT64_MAX ? NULL : &time, NULL) < 0) {
        FD_ZERO(&set->read); // interrupted: the sets are undefined
        FD_ZERO(&set->write);
        FD_ZERO(&set->except);
    }
}

static void serve_event(Server *server, int descriptor, uint32_t events)
{
    struct signalfd_siginfo info;
    if (descriptor == server->signals) {
        server->requests.is_ending =
            read(server->signals, &info, sizeof info) > 0 || server->requests.is_ending;
        return;
    }
    for (int32_t i = 0; i < LISTENER_COUNT; i++)
        if (server->listeners[i].descriptor == descriptor) {
            connections_accept(&server->connections, &server->listeners[i]);
            return;
        }
    connections_receive(&server->connections, descriptor,
                        events & (EPOLLRDHUP | EPOLLHUP |
                                  EPOLLERR)); // or the plain daemon's, which is run in any case
}

static void serve_events(Server *server)
{
    enum { EVENTS_MAX = 64 };
    struct epoll_event events[EVENTS_MAX];
    const int count = epoll_wait(server->events, events, EVENTS_MAX, 0);
    for (int i = 0; i < count; i++)
        serve_event(server, events[i].data.fd, events[i].events);
}

static void run_daemons(Server *server, const WaitSet *set)
{
    for (int32_t i = 0; i < LISTENER_COUNT; i++) {
        const Listener *listener = &server->listeners[i];
        if (listener->daemon && listener->kind == LISTENER_PLAIN)
            MHD_run(listener->daemon);
        else if (listener->daemon)
            MHD_run_from_select(listener->daemon, &set->read, &set->write, &set->except);
    }
}

/* Commits the writes of this round, or refuses the requests that wait for them. True if the daemons
 * must run again. */
static bool settle(Server *server, Status *status)
{
    const ServerHandler *handler = &server->requests.handler;
    if (handler->is_dirty(handler->owner) && !handler->commit(handler->owner, status)) {
        server->requests.has_failed = true;
        requests_refuse_held(&server->requests);
    }
    server->requests.is_over = handler->is_over != NULL && handler->is_over(handler->owner);
    bool again = requests_release_held(&server->requests);
    again = requests_have_cut(&server->requests) || again;
    if (server->requests.waiting &&
        (server->connections.now_ns >= server->requests.retry_ns || server->connections.has_left ||
         requests_are_leaving(&server->requests)))
        again = requests_retry_sources(&server->requests) || again;
    return again;
}

static void tick(Server *server, int64_t *ticked_ns)
{
    server->connections.now_ns = *ticked_ns = machine_clock_ns();
    server->requests.handler.tick(server->requests.handler.owner, server->connections.now_ns,
                                  real_unix_ms());
}

static void serve(Server *server, Status *status)
{
    WaitSet set;
    bool again = false;
    int64_t ticked_ns, end_ns = INT64_MAX;
    tick(server, &ticked_ns);
    while (!requests_are_leaving(&server->requests) || again ||
           (server->requests.answering_count > 0 && server->connections.now_ns < end_ns)) {
        connections_limit(&server->connections, requests_are_leaving(&server->requests));
        server_wait(server, &set, again ? 0 : earlier(end_ns, next_ns(server, ticked_ns)));
        tick(server, &ticked_ns);
        if (FD_ISSET(server->events, &set.read))
            serve_events(server);
        run_daemons(server, &set);
        again = settle(server, status);
        connections_cut_late(&server->connections);
        if (requests_are_leaving(&server->requests) && end_ns == INT64_MAX)
            end_ns = server->connections.now_ns + end_limit_ns;
    }
}

ServerEnd server_run(Server *server, ServerHandler handler, Status *status)
{
    server->requests.handler = handler;
    server->rules.gate.is_signed = handler.is_signed;
    server->requests.has_failed = server->requests.is_over = false;
    const bool has_begun = take_signals(server, status) && start_daemons(server, status);
    if (has_begun)
        serve(server, status);
    stop_daemons(server);
    const bool is_continued =
        server->requests.has_failed || (has_begun && !server->requests.is_ending);
    if (is_continued) // a signal waits for the next run
        return server->requests.has_failed ? SERVER_LOST_WRITES : SERVER_HANDED_OVER;
    give_signals_back(server);
    return has_begun ? SERVER_ENDED : SERVER_FAILED;
}
