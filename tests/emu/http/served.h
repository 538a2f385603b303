/* A server with a few test paths in a separate process, and clients that can send any bytes. The
 * two processes exchange data in shared memory. */
#ifndef TESTS_EMU_HTTP_SERVED_H
#define TESTS_EMU_HTTP_SERVED_H

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emu/files/auth/address.h"
#include "emu/http/server.h"
#include "sim/base/units.h"
#include "tests/support/temporary_folder.h"

/* --- What both processes see --- */

typedef struct {
    atomic_int requests, writes, commits, freed_sources;
    atomic_int written, committed; /* of writes: how many are known, how many on disk */
    atomic_bool commit_fails;
    atomic_bool ends_after_loss; /* SIGTERM arrives while no run is under way */
    atomic_int losses;
    atomic_int commit_ms;  /* how long a commit takes */
    atomic_int drips_left; /* how often the next source has no data yet */
    atomic_int events;     /* how many events the stream sends */
    atomic_llong ticks;
} Shared;

static Shared *shared;

static void sleep_ms(int64_t ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS};
    nanosleep(&time, NULL);
}

/* --- What answers --- */

static bool is_dirty(void *owner)
{
    (void)owner;
    return shared->written != shared->committed;
}

static bool commit(void *owner, Status *status)
{
    (void)owner;
    if (shared->commit_fails)
        return status_fail(status, STATUS_MACHINE, place_in("store", 0, 0), "the disk is full");
    sleep_ms(shared->commit_ms);
    shared->committed = (int)shared->written;
    shared->commits++;
    return true;
}

static void tick(void *owner, int64_t machine_ns, int64_t unix_ms)
{
    (void)owner, (void)machine_ns, (void)unix_ms;
    shared->ticks++;
}

static int64_t next_ns(void *owner)
{
    (void)owner;
    return INT64_MAX;
}

static int64_t now_ms(void *owner)
{
    (void)owner;
    return INT64_C(784111777000); // the example of RFC 9110, 5.6.7
}

/* Byte n of every large content. */
static char pattern(int64_t n)
{
    return (char)(n * 7 + n / 251);
}

static int64_t read_pattern(void *owner, int64_t offset, char *room, size_t length)
{
    (void)owner;
    if (shared->drips_left > 0) {
        shared->drips_left--;
        return 0;
    }
    for (size_t i = 0; i < length; i++)
        room[i] = pattern(offset + (int64_t)i);
    return (int64_t)length;
}

/* Zeros as fast as they can be had: what counts is how many. */
static int64_t read_zeros(void *owner, int64_t offset, char *room, size_t length)
{
    (void)owner, (void)offset;
    memset(room, 0, length);
    return (int64_t)length;
}

static int64_t read_broken(void *owner, int64_t offset, char *room, size_t length)
{
    (void)owner, (void)length;
    if (offset >= 100000)
        return -1;
    memset(room, 'x', 1000);
    return 1000;
}

static int64_t read_events(void *owner, int64_t offset, char *room, size_t length)
{
    (void)owner;
    const int64_t told = offset / 10;
    if (told >= shared->events || length < 10)
        return 0;
    return snprintf(room, length, "data: %02" PRId64 "\n\n", told);
}

static void free_source(void *owner)
{
    (void)owner;
    shared->freed_sources++;
}

static int64_t number(const HttpRequest *request, const char *name)
{
    const char *text = http_query(request, name);
    return text ? strtoll(text, NULL, 10) : 0;
}

static void echo(const HttpRequest *request, HttpResponse *response)
{
    int64_t sum = 0;
    for (size_t i = 0; i < request->body_bytes; i++)
        sum += (unsigned char)request->body[i];
    const char *text = arena_printf(
        request->arena,
        "%s %s query=%s host=%s peer=%s listener=%d headers=%d body=%zu sum=%" PRId64,
        request->method_text, request->target, request->query_text, request->host, request->peer,
        request->listener, request->header_count, request->body_bytes, sum);
    http_body(response, "text/plain", text, strlen(text));
}

static void answer_source(const HttpRequest *request, HttpResponse *response,
                          int64_t (*read)(void *, int64_t, char *, size_t))
{
    response->source = (HttpSource){.owner = shared, .read = read, .free = free_source};
    response->source_bytes = number(request, "bytes");
}

static void refuse(void *owner, const HttpRequest *request, HttpResponse *response)
{
    (void)owner, (void)request;
    *response = http_response(507);
}

static void handle(void *owner, const HttpRequest *request, HttpResponse *response)
{
    static const char missing[] = "The specified resource does not exist.";
    (void)owner;
    shared->requests++;
    if (strcmp(request->target, "/write") == 0) {
        const int write = ++shared->written;
        shared->writes++;
        const char *text = arena_printf(request->arena, "%d", write);
        *response = http_response(201);
        http_body(response, "text/plain", text, strlen(text));
    } else if (strcmp(request->target, "/pattern") == 0) {
        answer_source(request, response, read_pattern);
    } else if (strcmp(request->target, "/zeros") == 0) {
        answer_source(request, response, read_zeros);
    } else if (strcmp(request->target, "/broken") == 0) {
        answer_source(request, response, read_broken);
    } else if (strcmp(request->target, "/events") == 0) {
        answer_source(request, response, read_events);
        http_set(response, "Content-Type", "text/event-stream");
        response->is_event_stream = true;
    } else if (strcmp(request->target, "/cut") == 0) {
        *response = http_response(0);
    } else if (strcmp(request->target, "/missing") == 0) {
        *response = http_response(404);
        response->reason = missing;
        http_set(response, "x-ms-error-code", "ResourceNotFound");
        if (request->method != HTTP_HEAD)
            http_body(response, "text/plain", missing, sizeof missing - 1);
    } else if (strcmp(request->target, "/file") == 0) {
        response->entity_bytes = 1234;
        http_set(response, "x-ms-type", "File");
    } else {
        echo(request, response);
    }
}

/* --- The server --- */

typedef struct {
    pid_t process;
    const char *folder;
    const char *ca_path;
    int tls, plain, userinfo; /* ports */
} Served;

static Arena *arena;
static Served served;

static int whole(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

static int port_in(const char *address)
{
    return address[0] == '\0' ? -1 : whole(strrchr(address, ':') + 1);
}

/* The exit status of the server's process. */
static int serve_in_child(Server *server)
{
    Status status = {0};
    const ServerHandler handler = {.tick = tick,
                                   .next_ns = next_ns,
                                   .handle = handle,
                                   .is_dirty = is_dirty,
                                   .commit = commit,
                                   .refuse = refuse,
                                   .now_ms = now_ms,
                                   .is_signed = files_address_is_ours};
    ServerEnd end;
    signal(SIGTERM, SIG_DFL); // not libcheck's, which ends the whole group
    while ((end = server_run(server, handler, &status)) == SERVER_LOST_WRITES) {
        if (strcmp(status.message, "the disk is full") != 0)
            return 4;
        shared->written = (int)shared->committed; // what another emulator finds on disk
        shared->losses++;
        if (shared->ends_after_loss)
            raise(SIGTERM);
    }
    server_close(server);
    arena_destroy(arena);
    return end == SERVER_ENDED ? 0 : 4;
}

/* On a busy machine a client may take long for its handshake: who does not ask about that waits. */
static void serve(const ServerSettings *asked)
{
    Status status = {0};
    ServerSettings settings = *asked;
    if (settings.head_s == server_defaults.head_s)
        settings.head_s = server_defaults.idle_s;
    Server *server = server_open(&settings, &status);
    ck_assert_msg(server && server_certify(server, served.folder, &status), "%s", status.message);
    HttpAddresses addresses;
    server_addresses(server, arena, &addresses);
    served.tls = port_in(addresses.tls);
    served.plain = port_in(addresses.plain);
    served.userinfo = port_in(addresses.userinfo);
    served.ca_path = arena_strdup(arena, server_certificate(server)->path);
    served.process = fork();
    ck_assert_int_ge(served.process, 0);
    if (served.process == 0)
        exit(serve_in_child(server));
    server_close(server);
}

static void set_up(void)
{
    arena = arena_create();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    served = (Served){.folder = temporary_folder_create(arena)};
}

/* Ends the server; what it ended with. */
static int end_server(int with_signal)
{
    int status = 0;
    if (with_signal)
        kill(served.process, with_signal);
    waitpid(served.process, &status, 0);
    served.process = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void tear_down(void)
{
    if (served.process > 0)
        ck_assert_int_eq(end_server(SIGTERM),
                         0); // a leak or a sanitizer's complaint ends with more
    temporary_folder_remove(served.folder);
    munmap(shared, sizeof *shared);
    arena_destroy(arena);
}

#endif
