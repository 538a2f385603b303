/* A client that asks the same of an HTTP server over and over, on connections that stay open.
 *
 *     bench_http [-c CONNECTIONS] [-d SECONDS | -n REQUESTS] [-m METHOD] [-H 'NAME: VALUE']... [-b
 * BODY] URL
 *
 * "{n}" in the URL's path and in the body is the number of the request, from 0 on. Each connection
 * sends its next request when it has all of the answer to its last. Prints one line of JSON;
 * `refused` counts answers other than 2xx. Exit code 1 where there are such, 3 where the server
 * cannot be reached or says what this client does not understand (a body of unknown length). */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/arena.h"
#include "sim/base/memory.h"
#include "sim/base/text.h"
#include "sim/base/units.h"

enum { CONNECTIONS_MAX = 1000, ROOM = 64 << 10, EXIT_REFUSED = 1, EXIT_MACHINE = 3 };

typedef struct {
    int descriptor;
    int64_t sent_ns;
    char head[ROOM]; /* the received part of the answer */
    size_t head_bytes;
    int64_t body_left; /* -1: its head has not ended */
} Connection;

typedef struct {
    const char *host, *port, *target, *method, *body;
    Text headers;
    int64_t connections, seconds, requests;

    Connection *rows;
    int events;
    int64_t end_ns, sent, answered, refused, bytes;
    int64_t *took_ns;
    size_t took_room;
} Load;

static _Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("bench_http: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(EXIT_MACHINE);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* --- What is asked --- */

static void read_url(Load *load, char *url)
{
    static const char scheme[] = "http://";
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        fail("%s: expected http://HOST:PORT/PATH", url);
    char *host = url + sizeof scheme - 1, *path = strchr(host, '/'), *port = strchr(host, ':');
    if (!path || !port || port > path)
        fail("%s: expected http://HOST:PORT/PATH", url);
    static char target[ROOM / 4];
    snprintf(target, sizeof target, "%s", path);
    *port = *path = '\0';
    load->host = host;
    load->port = port + 1;
    load->target = target;
}

/* A number above 0. */
static int64_t read_number(const char *text, int64_t most)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    if (*end != '\0' || value < 1 || value > most)
        fail("%s: expected 1 to %" PRId64, text, most);
    return value;
}

static void read_options(Load *load, int argc, char **argv)
{
    *load = (Load){.method = "GET", .body = "", .connections = 1, .requests = INT64_MAX};
    for (int option; (option = getopt(argc, argv, "c:d:n:m:H:b:")) != -1;)
        switch (option) {
        case 'c':
            load->connections = read_number(optarg, CONNECTIONS_MAX);
            break;
        case 'd':
            load->seconds = read_number(optarg, 3600);
            break;
        case 'n':
            load->requests = read_number(optarg, INT64_MAX);
            break;
        case 'm':
            load->method = optarg;
            break;
        case 'H':
            text_printf(&load->headers, "%s\r\n", optarg);
            break;
        case 'b':
            load->body = optarg;
            break;
        default:
            exit(EXIT_MACHINE);
        }
    if (optind + 1 != argc || (load->seconds == 0) == (load->requests == INT64_MAX))
        fail("expected -d SECONDS or -n REQUESTS, and a URL");
    read_url(load, argv[optind]);
}

static void add_numbered(Text *to, const char *text, int64_t number)
{
    static const char mark[] = "{n}";
    for (const char *at; (at = strstr(text, mark)) != NULL; text = at + sizeof mark - 1) {
        text_append(to, text, (size_t)(at - text));
        text_printf(to, "%" PRId64, number);
    }
    text_add(to, text);
}

/* --- Connections --- */

static int connect_to(const Load *load)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    if (getaddrinfo(load->host, load->port, &wanted, &found) != 0)
        fail("%s: unknown host", load->host);
    const int descriptor = socket(found->ai_family, SOCK_STREAM, 0);
    if (descriptor < 0 || connect(descriptor, found->ai_addr, found->ai_addrlen) != 0)
        fail("%s:%s: %s", load->host, load->port, strerror(errno));
    freeaddrinfo(found);
    return descriptor;
}

static void send_next(Load *load, Connection *row)
{
    static Text target, body, request; // kept from request to request
    text_clear(&target);
    text_clear(&body);
    text_clear(&request);
    add_numbered(&target, load->target, load->sent);
    add_numbered(&body, load->body, load->sent++);
    text_printf(&request, "%s %s HTTP/1.1\r\nHost: %s:%s\r\n%s", load->method, text_string(&target),
                load->host, load->port, text_string(&load->headers));
    if (body.length > 0 || strcmp(load->method, "GET") != 0)
        text_printf(&request, "Content-Length: %zu\r\n", body.length);
    text_add(&request, "\r\n");
    text_append(&request, text_string(&body), body.length);
    row->head_bytes = 0;
    row->body_left = -1;
    row->sent_ns = now_ns();
    const char *bytes = text_string(&request);
    for (size_t done = 0; done < request.length;) {
        const ssize_t put =
            send(row->descriptor, bytes + done, request.length - done, MSG_NOSIGNAL);
        if (put < 0)
            fail("sending: %s", strerror(errno));
        done += (size_t)put;
    }
}

static void open_all(Load *load)
{
    load->rows = memory_zeroed((size_t)load->connections * sizeof *load->rows);
    load->events = epoll_create1(0);
    for (int64_t i = 0; i < load->connections; i++) {
        Connection *row = &load->rows[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = row};
        row->descriptor = connect_to(load);
        if (load->events < 0 ||
            epoll_ctl(load->events, EPOLL_CTL_ADD, row->descriptor, &event) != 0)
            fail("epoll: %s", strerror(errno));
    }
}

/* --- Answers --- */

static int64_t body_length(const char *head)
{
    static const char name[] = "content-length:";
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, sizeof name - 1) == 0)
            return strtoll(line + sizeof name - 1, NULL, 10);
    }
    if (strncmp(head, "HTTP/1.1 204", 12) != 0)
        fail("an answer without Content-Length: %.200s", head);
    return 0;
}

/* Sets how many of the `length` bytes after the head belong to the body; false: the body has not
 * ended. */
static bool take_head(Load *load, Connection *row, size_t length)
{
    row->head_bytes += length;
    row->head[row->head_bytes] = '\0';
    char *end = strstr(row->head, "\r\n\r\n");
    if (!end && row->head_bytes == ROOM - 1)
        fail("the head of an answer is too long");
    if (!end)
        return false;
    end[2] = '\0';
    const size_t head = (size_t)(end - row->head) + 4;
    load->refused += row->head[sizeof "HTTP/1.1 " - 1] != '2';
    row->body_left = body_length(row->head) - (int64_t)(row->head_bytes - head);
    return true;
}

static void note(Load *load, const Connection *row)
{
    if ((size_t)load->answered == load->took_room) {
        load->took_room = 2 * load->took_room + 4096;
        load->took_ns = memory_resized(load->took_ns, load->took_room * sizeof *load->took_ns);
    }
    load->took_ns[load->answered++] = now_ns() - row->sent_ns;
}

/* True when the answer is there. */
static bool hear(Load *load, Connection *row)
{
    static char rest[ROOM];
    const bool is_head = row->body_left < 0;
    const ssize_t got =
        is_head ? recv(row->descriptor, row->head + row->head_bytes, ROOM - 1 - row->head_bytes, 0)
                : recv(row->descriptor, rest, sizeof rest, 0);
    if (got <= 0)
        fail("the server closed a connection");
    load->bytes += got;
    if (is_head && !take_head(load, row, (size_t)got))
        return false;
    if (!is_head)
        row->body_left -= got;
    if (row->body_left < 0)
        fail("an answer is longer than it says");
    return row->body_left == 0;
}

/* --- All of it --- */

static void run(Load *load, int64_t begin_ns)
{
    enum { EVENTS = 64 };
    struct epoll_event events[EVENTS];
    load->end_ns = load->seconds > 0 ? begin_ns + load->seconds * NS_PER_S : INT64_MAX;
    for (int64_t i = 0; i < load->connections && load->sent < load->requests; i++)
        send_next(load, &load->rows[i]);
    while (load->answered < load->sent) {
        const int count = epoll_wait(load->events, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            Connection *row = events[i].data.ptr;
            if (!hear(load, row))
                continue;
            note(load, row);
            if (load->sent < load->requests && now_ns() < load->end_ns)
                send_next(load, row);
        }
    }
}

static int by_size(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static double quantile_ms(const Load *load, double share)
{
    return (double)load->took_ns[(int64_t)(share * (double)(load->answered - 1))] / NS_PER_MS;
}

int main(int argc, char **argv)
{
    Load load;
    read_options(&load, argc, argv);
    open_all(&load);
    const int64_t begin_ns = now_ns();
    run(&load, begin_ns);
    const double seconds = (double)(now_ns() - begin_ns) / NS_PER_S;
    qsort(load.took_ns, (size_t)load.answered, sizeof *load.took_ns, by_size);
    printf("{\"requests\": %" PRId64 ", \"refused\": %" PRId64
           ", \"seconds\": %.3f, \"per_s\": %.0f, \"bytes_per_s\": %.0f, \"p50_ms\": %.3f, "
           "\"p99_ms\": %.3f}\n",
           load.answered, load.refused, seconds, (double)load.answered / seconds,
           (double)load.bytes / seconds, quantile_ms(&load, 0.5), quantile_ms(&load, 0.99));
    return load.refused > 0 ? EXIT_REFUSED : 0;
}
