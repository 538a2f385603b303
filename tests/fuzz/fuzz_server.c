/* Any bytes on a connection to the server of a whole emulator: the answer is HTTP and never a
 * failure of the server, and the next connection is served normally.
 *
 * The server runs in a separate thread, and the emulator has a group and a share. Bytes are sent at
 * once; those after the first 0xff follow after a pause in which the server reads the others. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "emu/http/server.h"
#include "sim/base/invariant.h"
#include "tests/emu/small_emulator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    SmallEmulator small;
    Server *server;
    uint16_t port;
    pthread_t thread;
} the;

static void *serve(void *unused)
{
    Status status = {0};
    (void)unused;
    const ServerEnd end = server_run(the.server, emulator_handler(the.small.emulator), &status);
    invariant(end == SERVER_ENDED);
    return NULL;
}

static void end(void)
{
    // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread,cert-pos44-c): the server reads its signals
    pthread_kill(the.thread, SIGTERM);
    pthread_join(the.thread, NULL);
    server_close(the.server);
    small_emulator_remove(&the.small);
}

static void begin(void)
{
    Status status = {0};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM); // the server's thread reads it from its descriptor
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    small_emulator_open(&the.small, "2018-06-06T21:06:02Z", "acct", 1);
    the.server = server_open(&server_defaults, &status);
    invariant(the.server != NULL && server_certify(the.server, the.small.folder, &status));
    HttpAddresses *addresses = &the.small.emulator->settings.addresses;
    server_addresses(the.server, the.small.arena, addresses);
    the.port = (uint16_t)strtol(strrchr(addresses->plain, ':') + 1, NULL, 10);
    invariant(pthread_create(&the.thread, NULL, serve, NULL) == 0);
    atexit(end);
}

static int connect_to_it(void)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(the.port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (;;) {
        const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        invariant(descriptor >= 0);
        if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0)
            return descriptor;
        invariant(errno == EINTR); // the fuzzer looks at its clock
        close(descriptor);
    }
}

static void say(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0)
            return; // it has heard enough
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* Reads the answer until the server ends the connection or is silent for the given time; returns
 * the bytes that fit. */
static size_t hear(int descriptor, char *room, size_t room_bytes, int silence_ms)
{
    size_t length = 0;
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    while (length < room_bytes) {
        const int has_come = poll(&wait, 1, silence_ms);
        if (has_come < 0 && errno == EINTR)
            continue;
        const ssize_t count =
            has_come == 1 ? recv(descriptor, room + length, room_bytes - length, 0) : 0;
        if (count <= 0)
            break;
        length += (size_t)count;
    }
    return length;
}

static void check_answer(const char *answer, size_t length)
{
    static const char version[] = "HTTP/1.";
    if (length == 0)
        return; // cut off
    invariant(length > sizeof "HTTP/1.1 200" && memcmp(answer, version, sizeof version - 1) == 0);
    const char *status = answer + sizeof "HTTP/1.1";
    invariant(memcmp(status, "500", 3) != 0 && memcmp(status, "507", 3) != 0);
}

enum { SILENCE_MS = 10, ANSWER_MS = 5000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char question[] =
        "GET /trainyard/clock HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char room[4096];
    const char *bytes = (const char *)data;
    const char *pause = memchr(bytes, 0xff, size);
    const size_t first = pause ? (size_t)(pause - bytes) : size;
    if (!the.server)
        begin();
    const int descriptor = connect_to_it();
    say(descriptor, bytes, first);
    if (pause) {
        const struct timespec moment = {.tv_nsec = 200000};
        nanosleep(&moment, NULL);
        say(descriptor, pause + 1, size - first - 1);
    }
    shutdown(descriptor, SHUT_WR);
    check_answer(room, hear(descriptor, room, sizeof room, SILENCE_MS));
    close(descriptor);
    const int next = connect_to_it();
    say(next, question, sizeof question - 1);
    const size_t length = hear(next, room, sizeof room, ANSWER_MS);
    invariant(length > 0);
    check_answer(room, length);
    close(next);
    return 0;
}
