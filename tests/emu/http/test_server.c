/* emu/http/server.h, without TLS: the bytes of requests and answers. */
#define _GNU_SOURCE // memmem, MAP_ANONYMOUS
#include <gnutls/gnutls.h>

#include "tests/emu/http/served.h"
#include "tests/support/suite.h"

/* --- What the server takes --- */

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Time on a processor (Linux' schedstat: its first number, in ns). */
static double cpu_s(void)
{
    char path[64], line[128] = "";
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)served.process);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    fclose(file);
    return (double)strtoll(line, NULL, 10) / NS_PER_S;
}

/* A while in which the server has nothing to do. */
typedef struct {
    double from_s, cpu_s;
    int64_t ticks;
} Rest;

static Rest rest_from(void)
{
    return (Rest){.from_s = seconds(), .cpu_s = cpu_s(), .ticks = shared->ticks};
}

/* It has slept: who spins takes all of a processor, and ticks thousands of times a second. */
static void check_rest(const Rest *rest)
{
    ck_assert_double_lt(cpu_s() - rest->cpu_s, 0.2 * (seconds() - rest->from_s));
    ck_assert_int_le(shared->ticks - rest->ticks, 10);
}

static int64_t memory_kib(const char *what)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)served.process);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    int64_t found = -1;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0)
            found = strtoll(line + strlen(what) + 1, NULL, 10);
    fclose(file);
    return found;
}

/* --- A client --- */

enum { ANSWER_MAX = 1 << 16 };

typedef struct {
    int descriptor;
    char bytes[ANSWER_MAX]; /* received and not taken yet */
    size_t length;
} Client;

typedef struct {
    int status;
    char head[ANSWER_MAX];
    char body[ANSWER_MAX];
    int64_t length; /* Content-Length; -1: none */
} Answer;

static Client client_of(int port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    Client client = {.descriptor = socket(AF_INET, SOCK_STREAM, 0)};
    ck_assert_int_eq(connect(client.descriptor, (const struct sockaddr *)&to, sizeof to), 0);
    const struct timeval patience = {.tv_sec = 20};
    setsockopt(client.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return client;
}

static void say_bytes(const Client *client, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t sent = send(client->descriptor, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0)
            return; // the server has had enough: what it answered counts
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void say(const Client *client, const char *text)
{
    say_bytes(client, text, strlen(text));
}

/* False at the end. */
static bool hear_more(Client *client)
{
    ck_assert_uint_lt(client->length, sizeof client->bytes);
    const ssize_t count = recv(client->descriptor, client->bytes + client->length,
                               sizeof client->bytes - client->length, 0);
    ck_assert_msg(count >= 0 || errno == ECONNRESET, "recv: %s", strerror(errno));
    if (count <= 0)
        return false;
    client->length += (size_t)count;
    return true;
}

static void take(Client *client, char *to, size_t length)
{
    while (client->length < length)
        ck_assert_msg(hear_more(client), "the answer ends early");
    memcpy(to, client->bytes, length);
    to[length] = '\0';
    client->length -= length;
    memmove(client->bytes, client->bytes + length, client->length);
}

static bool hear_head(Client *client, Answer *answer)
{
    const char *end;
    *answer = (Answer){.length = -1};
    while (!(end = memmem(client->bytes, client->length, "\r\n\r\n", 4)))
        if (!hear_more(client))
            return false;
    take(client, answer->head, (size_t)(end - client->bytes) + 4);
    ck_assert_int_eq(strncmp(answer->head, "HTTP/1.1 ", 9), 0);
    answer->status = whole(answer->head + 9);
    const char *length = strstr(answer->head, "\r\nContent-Length: ");
    if (length)
        answer->length = strtoll(length + 18, NULL, 10);
    return true;
}

/* False when the connection ended without one. */
static bool hear(Client *client, Answer *answer, bool has_body)
{
    if (!hear_head(client, answer))
        return false;
    if (has_body && answer->length > 0)
        take(client, answer->body, (size_t)answer->length);
    return true;
}

/* Sends a request on a new connection, whose answer is expected. */
static Answer ask(const char *request)
{
    Answer answer;
    Client client = client_of(served.plain);
    say(&client, request);
    ck_assert_msg(hear(&client, &answer, strncmp(request, "HEAD", 4) != 0), "no answer to %s",
                  request);
    close(client.descriptor);
    return answer;
}

static void get_on(const Client *client, const char *target)
{
    char request[1024];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
    say(client, request);
}

static void write_on(const Client *client)
{
    say(client, "PUT /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
}

static bool ends(Client *client)
{
    while (hear_more(client))
        client->length = 0;
    return true;
}

/* --- Requests --- */

START_TEST(a_request_reaches_its_handler_as_it_was_sent)
{
    serve(&server_defaults);
    const Answer answer = ask("PUT /a%2Fb/c?x=%41&y HTTP/1.1\r\nHost: LocalHost:80\r\n"
                              "Content-Length: 3\r\nx-ms-meta-a: b\r\n\r\nabc");
    ck_assert_int_eq(answer.status, 200);
    ck_assert_str_eq(answer.body,
                     "PUT /a%2Fb/c query=x=%41&y host=LocalHost:80 peer=127.0.0.1 listener=1 "
                     "headers=3 body=3 sum=294");
}
END_TEST

START_TEST(a_whole_url_of_our_own_is_a_path)
{
    serve(&server_defaults);
    char request[128];
    snprintf(request, sizeof request,
             "GET http://127.0.0.1:%d/a/b?x=1 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", served.plain,
             served.plain);
    const Answer answer = ask(request);
    ck_assert_int_eq(answer.status, 200);
    ck_assert_int_eq(strncmp(answer.body, "GET /a/b query=x=1 ", 19), 0);
    ck_assert_int_eq(ask("GET http://example.com/ HTTP/1.1\r\nHost: localhost\r\n\r\n").status,
                     400);
}
END_TEST

START_TEST(a_chunked_body_is_put_together)
{
    serve(&server_defaults);
    const Answer answer = ask("POST /x HTTP/1.1\r\nHost: localhost\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n"
                              "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n");
    ck_assert_ptr_nonnull(strstr(answer.body, "body=3 sum=294"));
}
END_TEST

START_TEST(one_connection_serves_many_requests)
{
    serve(&server_defaults);
    Client client = client_of(served.plain);
    Answer answer;
    for (int i = 0; i < 100; i++) {
        get_on(&client, "/again");
        ck_assert(hear(&client, &answer, true));
        ck_assert_int_eq(answer.status, 200);
    }
    for (int i = 0; i < 20; i++) // and when they come faster than their answers
        get_on(&client, "/again");
    for (int i = 0; i < 20; i++)
        ck_assert(hear(&client, &answer, true));
    ck_assert_int_eq(shared->requests, 120);
    close(client.descriptor);
}
END_TEST

START_TEST(a_client_that_expects_100_continue_gets_it)
{
    serve(&server_defaults);
    Client client = client_of(served.plain);
    char interim[64];
    Answer answer;
    say(&client, "PUT /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
                 "Expect: 100-continue\r\n\r\n");
    take(&client, interim, strlen("HTTP/1.1 100 Continue\r\n\r\n"));
    ck_assert_str_eq(interim, "HTTP/1.1 100 Continue\r\n\r\n");
    say(&client, "abc");
    ck_assert(hear(&client, &answer, true));
    ck_assert_ptr_nonnull(strstr(answer.body, "body=3"));
    close(client.descriptor);
}
END_TEST

START_TEST(dates_are_simulated)
{
    serve(&server_defaults);
    const Answer answer = ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ck_assert_ptr_nonnull(strstr(answer.head, "\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
}
END_TEST

/* --- Answers --- */

START_TEST(head_reports_the_length_of_the_body_that_get_sends)
{
    serve(&server_defaults);
    Client client = client_of(served.plain);
    Answer answer;
    say(&client, "HEAD /file HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ck_assert(hear(&client, &answer, false));
    ck_assert_int_eq(answer.length, 1234);
    get_on(&client, "/behind"); // nothing of a body is in between
    ck_assert(hear(&client, &answer, true));
    ck_assert_int_eq(answer.status, 200);
    close(client.descriptor);
    ck_assert_int_eq(ask("HEAD /pattern?bytes=5000000000 HTTP/1.1\r\nHost: a\r\n\r\n").status, 421);
    ck_assert_int_eq(ask("HEAD /pattern?bytes=5000000000 HTTP/1.1\r\nHost: [::1]\r\n\r\n").length,
                     INT64_C(5000000000));
    ck_assert_int_eq(shared->freed_sources, 1);
}
END_TEST

START_TEST(a_failed_head_has_its_error_in_the_reason_phrase)
{
    serve(&server_defaults);
    const Answer head = ask("HEAD /missing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    static const char line[] = "HTTP/1.1 404 The specified resource does not exist.\r\n";
    ck_assert_int_eq(strncmp(head.head, line, strlen(line)), 0);
    ck_assert_ptr_nonnull(strstr(head.head, "\r\nx-ms-error-code: ResourceNotFound\r\n"));
    ck_assert_int_eq(head.length, 0);
    const Answer get = ask("GET /missing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ck_assert_int_eq(get.status, 404);
    ck_assert_str_eq(get.body, "The specified resource does not exist.");
}
END_TEST

static bool is_pattern(const char *bytes, int64_t first, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != pattern(first + (int64_t)i))
            return false;
    return true;
}

/* Bytes of the next answer, checked and thrown away. */
static void hear_pattern(Client *client, int64_t bytes)
{
    Answer answer;
    ck_assert(hear_head(client, &answer));
    ck_assert_int_eq(answer.length, bytes);
    for (int64_t got = 0; got < bytes;) {
        if (client->length == 0)
            ck_assert_msg(hear_more(client), "only %" PRId64 " of %" PRId64, got, bytes);
        const size_t length =
            (int64_t)client->length < bytes - got ? client->length : (size_t)(bytes - got);
        ck_assert_msg(is_pattern(client->bytes, got, length), "wrong from %" PRId64 " on", got);
        got += (int64_t)length;
        client->length -= length;
        memmove(client->bytes, client->bytes + length, client->length);
    }
}

START_TEST(contents_of_every_length_arrive_whole)
{
    static const int64_t lengths[] = {0, 1, 1024, 65536, 65537, 262144, 262145, 5000000};
    serve(&server_defaults);
    Client client = client_of(served.plain);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char target[64];
        snprintf(target, sizeof target, "/pattern?bytes=%" PRId64, lengths[i]);
        get_on(&client, target);
        hear_pattern(&client, lengths[i]);
        Answer answer;
        get_on(&client, "/");
        ck_assert(hear(&client, &answer, true));
        ck_assert_int_eq(shared->freed_sources, (int)i + 1);
    }
    close(client.descriptor);
}
END_TEST

START_TEST(a_source_that_is_dry_is_asked_again)
{
    serve(&server_defaults);
    Client client = client_of(served.plain);
    shared->drips_left = 3;
    get_on(&client, "/pattern?bytes=300000");
    hear_pattern(&client, 300000);
    shared->drips_left = 2;
    get_on(&client, "/pattern?bytes=10");
    hear_pattern(&client, 10);
    ck_assert_int_eq(shared->drips_left, 0);
    close(client.descriptor);
}
END_TEST

START_TEST(a_source_that_breaks_cuts_the_connection)
{
    serve(&server_defaults);
    Client client = client_of(served.plain);
    Answer answer;
    get_on(&client, "/broken?bytes=200000");
    ck_assert(hear_head(&client, &answer));
    ck_assert_int_eq(answer.length, 200000);
    size_t got = client.length;
    for (client.length = 0; hear_more(&client); client.length = 0)
        got += client.length;
    ck_assert_uint_le(got, 100000);
    close(client.descriptor);
    client = client_of(served.plain);
    get_on(&client, "/cut"); // and so does an answer without a status
    ck_assert(!hear_more(&client));
    close(client.descriptor);
}
END_TEST

static int64_t count_of(const Client *client, const char *what)
{
    int64_t count = 0;
    const char *at = client->bytes, *end = client->bytes + client->length;
    while ((at = memmem(at, (size_t)(end - at), what, strlen(what))) && ++count)
        at += strlen(what);
    return count;
}

START_TEST(events_are_sent_as_they_happen)
{
    serve(&server_defaults);
    Client client = client_of(served.plain);
    shared->events = 2;
    get_on(&client, "/events?bytes=0");
    while (count_of(&client, "data: ") < 2)
        ck_assert(hear_more(&client));
    ck_assert_int_eq(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200); // meanwhile
    shared->events = 3;
    while (count_of(&client, "data: 02") < 1)
        ck_assert(hear_more(&client));
    close(client.descriptor); // the server notices at its next write
    shared->events = 5;
    for (int i = 0; i < 1000 && shared->freed_sources == 0; i++) {
        sleep_ms(20);
        shared->events++;
    }
    ck_assert_int_eq(shared->freed_sources, 1);
}
END_TEST

START_TEST(four_gigabytes_take_no_memory)
{
    const int64_t bytes = INT64_C(4) << 30;
    serve(&server_defaults);
    Client client = client_of(served.plain);
    Answer answer;
    ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const int64_t before_kib = memory_kib("VmHWM:");
    get_on(&client, "/zeros?bytes=4294967296");
    ck_assert(hear_head(&client, &answer));
    ck_assert_int_eq(answer.length, bytes);
    int64_t got = (int64_t)client.length;
    while (got < bytes) {
        // MSG_TRUNC: thrown away without a copy (tcp(7))
        const ssize_t count = recv(client.descriptor, NULL, 1 << 24, MSG_TRUNC);
        ck_assert_int_gt(count, 0);
        got += count;
    }
    ck_assert_int_eq(got, bytes);
    ck_assert_int_lt(memory_kib("VmHWM:") - before_kib, 4096);
    close(client.descriptor);
}
END_TEST

/* --- Limits --- */

static void check_error(const Answer *answer, int status, const char *code)
{
    char member[64];
    snprintf(member, sizeof member, "\"code\":\"%s\"", code);
    ck_assert_int_eq(answer->status, status);
    ck_assert_msg(strstr(answer->body, member), "%s", answer->body);
}

/* libmicrohttpd 1 refuses some requests itself, with a page; earlier versions leave them to us. */
static void check_refused(const Answer *answer, const char *code)
{
    ck_assert_int_eq(answer->status, 400);
    if (strncmp(answer->body, "<html>", 6) != 0)
        check_error(answer, 400, code);
}

/* A client retries after a temporary refusal, and gives up if its request is too large. */
START_TEST(bodies_that_are_too_many_together_are_put_off)
{
    static const char chunked[] = "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
                                  "chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
    ServerSettings settings = server_defaults;
    settings.body_max = 300 << 20;
    serve(&settings);
    Client client = client_of(served.plain);
    Answer answer;
    // With the terminating NUL this is the most that the server reads at a time.
    say(&client, "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 268435455\r\n"
                 "Expect: 100-continue\r\n\r\n");
    ck_assert(hear_head(&client, &answer));
    ck_assert_int_eq(answer.status, 100);
    answer = ask(chunked);
    check_error(&answer, 503, "ServerBusy");
    answer = ask("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx");
    check_error(&answer, 503, "ServerBusy");
    close(client.descriptor);
    for (int i = 0; i < 1000 && answer.status == 503; i++) { // until the server has seen it
        sleep_ms(2);
        answer = ask(chunked);
    }
    ck_assert_int_eq(answer.status, 200);
}
END_TEST

START_TEST(requests_beyond_the_limits_are_refused)
{
    ServerSettings settings = server_defaults;
    settings.body_max = 1000;
    serve(&settings);
    static char request[256 * 1024];
    Answer answer = ask("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n"
                        "Expect: 100-continue\r\n\r\n");
    check_error(&answer, 413, "RequestBodyTooLarge");
    int used = snprintf(request, sizeof request,
                        "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 101; i++)
        used += snprintf(request + used, 32, "a\r\n0123456789\r\n");
    snprintf(request + used, 16, "0\r\n\r\n");
    answer = ask(request);
    check_error(&answer, 413, "RequestBodyTooLarge");

    used = snprintf(request, sizeof request, "GET /");
    memset(request + used, 'a', SERVER_TARGET_MAX);
    snprintf(request + used + SERVER_TARGET_MAX, 64, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    answer = ask(request);
    check_error(&answer, 414, "UriTooLong");

    used = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < SERVER_HEADERS_MAX; i++)
        used += snprintf(request + used, 32, "h%d: v\r\n", i);
    snprintf(request + used, 8, "\r\n");
    answer = ask(request);
    check_error(&answer, 431, "TooManyHeaders");

    used = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: localhost\r\nlong: ");
    memset(request + used, 'a', SERVER_HEAD_MAX);
    snprintf(request + used + SERVER_HEAD_MAX, 8, "\r\n\r\n");
    ck_assert_int_eq(ask(request).status, 431);
    ck_assert_int_eq(shared->requests, 0);
    // A body and headers just as large as they may be.
    used = snprintf(request, sizeof request,
                    "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n");
    for (int i = 2; i < SERVER_HEADERS_MAX; i++)
        used += snprintf(request + used, 32, "h%d: v\r\n", i);
    used += snprintf(request + used, 8, "\r\n");
    memset(request + used, 'a', 1000);
    request[used + 1000] = '\0';
    ck_assert_int_eq(ask(request).status, 200);
}
END_TEST

START_TEST(a_client_that_blocks_the_server_is_disconnected)
{
    ServerSettings settings = server_defaults;
    settings.head_s = settings.idle_s = 1;
    serve(&settings);
    const double begun_s = seconds();
    Client silent = client_of(served.plain), slow = client_of(served.plain),
           idle = client_of(served.plain), stalled = client_of(served.plain),
           tls = client_of(served.tls), proxied = client_of(served.plain);
    Answer answer;
    get_on(&idle, "/");
    ck_assert(hear(&idle, &answer, true));
    say(&stalled, "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n");
    say(&tls, "\x16\x03\x01\x02");
    say(&proxied, "CONNECT 127.0");
    say(&slow, "GET / HTTP/1.1\r\n");
    struct pollfd poll_slow = {.fd = slow.descriptor, .events = POLLIN};
    int lines = 0;
    for (; poll(&poll_slow, 1, 20) == 0; lines++) // a header every 20 ms, for ever
        say(&slow, "a: b\r\n");
    ck_assert_int_gt(lines, 1);
    ck_assert(ends(&slow) && ends(&silent) && ends(&idle) && ends(&stalled) && ends(&tls) &&
              ends(&proxied));
    ck_assert_double_lt(seconds() - begun_s, (double)server_defaults.idle_s);
    ck_assert_double_gt(seconds() - begun_s, 0.9);
    ck_assert_int_eq(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
    const int descriptors[] = {silent.descriptor,  slow.descriptor, idle.descriptor,
                               stalled.descriptor, tls.descriptor,  proxied.descriptor};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        close(descriptors[i]);
}
END_TEST

/* A connection may rest between requests for longer than one may take to be said. */
START_TEST(a_request_that_is_half_said_is_cut_off_sooner_than_one_that_is_awaited)
{
    ServerSettings settings = server_defaults;
    settings.head_s = 1;
    serve(&settings);
    const double begun_s = seconds();
    Client resting = client_of(served.plain), begun = client_of(served.plain),
           again = client_of(served.plain), tls = client_of(served.tls);
    Answer answer;
    get_on(&resting, "/");
    ck_assert(hear(&resting, &answer, true));
    get_on(&again, "/");
    ck_assert(hear(&again, &answer, true));
    say(&again, "GET / HTTP/1.1\r\nHost: loc");
    say(&begun, "GET / HT");
    ck_assert(ends(&again) && ends(&begun) && ends(&tls));
    ck_assert_double_gt(seconds() - begun_s, 0.9);
    ck_assert_double_lt(seconds() - begun_s, (double)settings.idle_s / 2);
    get_on(&resting, "/");
    ck_assert(hear(&resting, &answer, true));
    const int descriptors[] = {resting.descriptor, begun.descriptor, again.descriptor,
                               tls.descriptor};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        close(descriptors[i]);
}
END_TEST

START_TEST(a_client_that_reads_too_slowly_is_disconnected)
{
    ServerSettings settings = server_defaults;
    settings.idle_s = 3; // longer than a busy machine holds up the one who takes it steadily
    serve(&settings);
    static char block[1 << 20];
    const double begun_s = seconds();
    Client slow = client_of(served.plain);
    get_on(&slow, "/zeros?bytes=1000000000");
    while (shared->freed_sources == 0) { // what is on its way already is let go
        ck_assert_double_lt(seconds() - begun_s, (double)server_defaults.idle_s);
        ck_assert_int_gt(recv(slow.descriptor, block, 8192, 0), 0);
        sleep_ms(50);
    }
    close(slow.descriptor);
    // A client that keeps reading is served to the end, even if that takes longer than the idle
    // time.
    Client steady = client_of(served.plain);
    Answer answer;
    int64_t left = 80 << 20;
    get_on(&steady, "/zeros?bytes=83886080");
    ck_assert(hear_head(&steady, &answer));
    left -= (int64_t)steady.length;
    while (left > 0) {
        const ssize_t count = recv(steady.descriptor, block, sizeof block, 0);
        ck_assert_int_gt(count, 0);
        left -= count;
        sleep_ms(count * 50 / (1 << 20));
    }
    close(steady.descriptor);
}
END_TEST

START_TEST(more_connections_than_may_be_wait_their_turn)
{
    ServerSettings settings = server_defaults;
    settings.connections_max = 5;
    serve(&settings);
    static Client clients[8];
    Answer answer;
    for (int i = 0; i < 8; i++) {
        clients[i] = client_of(served.plain);
        get_on(&clients[i], "/");
    }
    for (int i = 0; i < 5; i++)
        ck_assert(hear(&clients[i], &answer, true));
    sleep_ms(100);
    ck_assert_int_eq(shared->requests, 5);
    const Rest rest = rest_from();
    sleep_ms(300);
    check_rest(&rest); // it does not ask in vain again and again
    for (int i = 0; i < 3; i++)
        close(clients[i].descriptor);
    for (int i = 5; i < 8; i++)
        ck_assert(hear(&clients[i], &answer, true));
    for (int i = 3; i < 8; i++)
        close(clients[i].descriptor);
}
END_TEST

START_TEST(clients_that_have_gone_make_room)
{
    enum { LISTENERS = 5 };
    ServerSettings settings = server_defaults;
    settings.connections_max = settings.streams_max = LISTENERS;
    serve(&settings);
    Answer answer;
    Client clients[LISTENERS];
    for (int i = 0; i < LISTENERS; i++) {
        clients[i] = client_of(served.plain);
        get_on(&clients[i], "/events?bytes=0");
        ck_assert(hear_head(&clients[i], &answer));
    }
    for (int i = 0; i < LISTENERS; i++)
        close(clients[i].descriptor);
    // So do those that end amid what they say, at once or after a while.
    static const char *const words[] = {
        "CONNECT acct", "GET / HTTP/1.1\r\nHost: loc",
        "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nbody"};
    for (int i = 0; i < 2 * LISTENERS; i++) {
        const Client client = client_of(served.plain);
        say(&client, words[i % 3]);
        sleep_ms(i % 2 * 20);
        close(client.descriptor);
    }
    const double begun_s = seconds();
    ck_assert_int_eq(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
    ck_assert_double_lt(seconds() - begun_s, (double)server_defaults.idle_s);
    // Who says all, and ends then, is answered.
    Client half = client_of(served.plain);
    get_on(&half, "/pattern?bytes=3000000");
    shutdown(half.descriptor, SHUT_WR);
    int64_t left = 3000000;
    ck_assert(hear_head(&half, &answer));
    for (left -= (int64_t)half.length; left > 0;) {
        static char block[65536];
        const ssize_t count = recv(half.descriptor, block, sizeof block, 0);
        ck_assert_int_gt(count, 0);
        left -= count;
    }
    close(half.descriptor);
}
END_TEST

/* So is a client whose answer waits for the disk or for its contents, and one with more requests.
 */
START_TEST(clients_that_send_nothing_more_get_their_answers)
{
    enum { WRITES = 3 };
    shared->commit_ms = 50;
    serve(&server_defaults);
    Answer answer;
    Client writer = client_of(served.plain), reader = client_of(served.plain);
    for (int i = 0; i < WRITES; i++)
        write_on(&writer);
    shutdown(writer.descriptor, SHUT_WR);
    for (int i = 0; i < WRITES; i++) {
        ck_assert(hear(&writer, &answer, true));
        ck_assert_int_eq(answer.status, 201);
    }
    ck_assert(ends(&writer));
    shared->drips_left = 3;
    get_on(&reader, "/pattern?bytes=1000");
    shutdown(reader.descriptor, SHUT_WR);
    ck_assert(hear(&reader, &answer, true));
    ck_assert_int_eq(answer.length, 1000);
    close(writer.descriptor);
    close(reader.descriptor);
}
END_TEST

/* All places are taken, no client sends anything more, and then all streams leave at once. */
START_TEST(streams_that_leave_make_room_at_once)
{
    enum { STREAMS = SERVER_CONNECTIONS_MAX - 1 };
    static int streams[STREAMS];
    ServerSettings settings = server_defaults;
    settings.streams_max = STREAMS;
    serve(&settings);
    Answer answer;
    Client idle = client_of(served.plain);
    get_on(&idle, "/");
    ck_assert(hear(&idle, &answer, true));
    for (int i = 0; i < STREAMS; i++) {
        Client client = client_of(served.plain);
        get_on(&client, "/events?bytes=0");
        ck_assert(hear_head(&client, &answer));
        ck_assert_int_eq(answer.status, 200);
        streams[i] = client.descriptor;
    }
    sleep_ms(300); // the server waits for events
    const double begun_s = seconds();
    for (int i = 0; i < STREAMS; i++)
        close(streams[i]);
    ck_assert_int_eq(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
    ck_assert_double_lt(seconds() - begun_s, 10); // long before the idle one is cut off
    for (int i = 0; i < 500 && shared->freed_sources < STREAMS; i++)
        sleep_ms(10);
    ck_assert_int_eq(shared->freed_sources, STREAMS);
    close(idle.descriptor);
}
END_TEST

START_TEST(streams_leave_places_for_others)
{
    enum { STREAMS = 3 };
    static Client streams[STREAMS];
    ServerSettings settings = server_defaults;
    settings.streams_max = STREAMS;
    serve(&settings);
    Answer answer;
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = client_of(served.plain);
        get_on(&streams[i], "/events?bytes=0");
        ck_assert(hear_head(&streams[i], &answer));
        ck_assert_int_eq(answer.status, 200);
    }
    answer = ask("GET /events?bytes=0 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    check_error(&answer, 503, "TooManyStreams");
    ck_assert_ptr_nonnull(strstr(answer.head, "\r\nRetry-After: 1\r\n"));
    ck_assert_int_eq(shared->freed_sources, 1);
    ck_assert_int_eq(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
    // Also one that has said more than its request: the end comes after bytes that are not read.
    get_on(&streams[0], "/");
    close(streams[0].descriptor);
    Client next = client_of(served.plain);
    const double begun_s = seconds();
    do {
        close(next.descriptor);
        next = client_of(served.plain);
        get_on(&next, "/events?bytes=0");
        ck_assert(hear_head(&next, &answer));
    } while (answer.status == 503 && seconds() - begun_s < 10);
    ck_assert_int_eq(answer.status, 200);
    close(next.descriptor);
    for (int i = 1; i < STREAMS; i++)
        close(streams[i].descriptor);
}
END_TEST

START_TEST(an_idle_server_sleeps)
{
    serve(&server_defaults);
    Client idle = client_of(served.plain), half = client_of(served.plain),
           tls = client_of(served.tls), proxied = client_of(served.plain);
    Answer answer;
    get_on(&idle, "/");
    ck_assert(hear(&idle, &answer, true));
    say(&half, "GET / HT");
    say(&tls, "\x16\x03\x01\x02"); // half a handshake: what makes epoll spin in the library
    say(&proxied, "CONNECT ");
    sleep_ms(100);
    const Rest rest = rest_from();
    sleep_ms(500);
    check_rest(&rest);
    close(idle.descriptor);
    close(half.descriptor);
    close(tls.descriptor);
    close(proxied.descriptor);
}
END_TEST

/* --- Who may ask --- */

START_TEST(pages_of_other_sites_get_nothing)
{
    serve(&server_defaults);
    Answer answer = ask("GET / HTTP/1.1\r\nHost: rebound.example.com\r\n\r\n");
    check_error(&answer, 421, "MisdirectedRequest");
    answer = ask("PUT / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://example.com\r\n"
                 "Content-Length: 0\r\n\r\n");
    check_error(&answer, 403, "CrossSiteRequest");
    answer = ask("GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.com\r\n\r\n");
    check_error(&answer, 400, "InvalidHeaderValue");
    answer = ask("PUT / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
                 "Origin: http://example.com\r\nContent-Length: 0\r\n\r\n");
    check_error(&answer, 400, "InvalidHeaderValue");
    answer = ask("GET http://example.com/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
    check_error(&answer, 400, "InvalidUri");
    answer = ask("GET /a\rHost: localhost HTTP/1.1\r\nHost: localhost\r\n\r\n");
    check_refused(&answer, "InvalidUri");
    answer = ask("GET /?a=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    check_error(&answer, 400, "InvalidQueryParameterValue");
    ck_assert_int_eq(shared->requests, 0);
}
END_TEST

/* If two servers disagree about the end of a request, one of them takes a part of it for another
 * request. */
START_TEST(after_a_request_whose_end_is_in_doubt_nothing_is_read)
{
    static const char *const heads[] = {
        "Content-Length: 0\r\nContent-Length: 37\r\n",
        "Content-Length: 37\r\nContent-Length: 0\r\n",
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Content-Length : 0\r\n",
        "X Y: 0\r\n",
    };
    serve(&server_defaults);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        Client client = client_of(served.plain);
        Answer answer;
        say(&client, arena_printf(arena,
                                  "PUT /?secret HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
                                  "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                  heads[i]));
        ck_assert_msg(hear(&client, &answer, true), "%s", heads[i]);
        check_refused(&answer, "InvalidHeaderValue");
        ck_assert_msg(ends(&client), "%s", heads[i]);
        close(client.descriptor);
    }
    ck_assert_int_eq(shared->requests, 0);
}
END_TEST

/* Whether a client that offers nothing else can make a connection over TLS. */
static bool tls_takes(const char *priorities)
{
    gnutls_session_t session;
    gnutls_certificate_credentials_t trust;
    const Client client = client_of(served.tls);
    ck_assert_int_eq(gnutls_init(&session, GNUTLS_CLIENT), 0);
    ck_assert_int_eq(gnutls_certificate_allocate_credentials(&trust), 0);
    ck_assert_int_eq(gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, trust), 0);
    ck_assert_int_eq(gnutls_priority_set_direct(session, priorities, NULL), 0);
    gnutls_transport_set_int(session, client.descriptor);
    int code;
    while ((code = gnutls_handshake(session)) < 0 && !gnutls_error_is_fatal(code))
        continue;
    gnutls_deinit(session);
    gnutls_certificate_free_credentials(trust);
    close(client.descriptor);
    return code == 0;
}

START_TEST(tls_is_authenticated_encryption_with_forward_secrecy)
{
#define OFFER(version, cipher) "NORMAL:-VERS-ALL:+VERS-" version ":-CIPHER-ALL:+" cipher
    static const struct {
        const char *offer;
        bool is_taken;
    } rows[] = {
        {OFFER("TLS1.3", "AES-128-GCM"), true},
        {OFFER("TLS1.3", "CHACHA20-POLY1305"), true},
        {OFFER("TLS1.2", "AES-128-GCM"), true},
        {OFFER("TLS1.2", "AES-256-GCM"), true},
        {OFFER("TLS1.2", "CHACHA20-POLY1305"), true},
        {OFFER("TLS1.2", "AES-128-CBC:+AES-256-CBC"), false},
        {OFFER("TLS1.2", "AES-128-GCM:-KX-ALL:+RSA"), false},
        {OFFER("TLS1.1", "AES-128-CBC"), false},
    };
#undef OFFER
    serve(&server_defaults);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(tls_takes(rows[i].offer) == rows[i].is_taken, "%s", rows[i].offer);
}
END_TEST

/* --- Commits --- */

START_TEST(answers_wait_for_the_commit_and_share_it)
{
    enum { WRITERS = 20 };
    static Client clients[WRITERS];
    shared->commit_ms = 50;
    serve(&server_defaults);
    for (int i = 0; i < WRITERS; i++)
        clients[i] = client_of(served.plain);
    for (int i = 0; i < WRITERS; i++)
        write_on(&clients[i]);
    for (int i = 0; i < WRITERS; i++) {
        Answer answer;
        ck_assert(hear(&clients[i], &answer, true));
        ck_assert_int_eq(answer.status, 201);
        ck_assert_int_ge(shared->committed, whole(answer.body));
        close(clients[i].descriptor);
    }
    ck_assert_int_eq(shared->writes, WRITERS);
    ck_assert_int_lt(shared->commits, WRITERS / 2);
}
END_TEST

START_TEST(a_request_that_cannot_be_committed_is_never_acknowledged)
{
    enum { ROUNDS = 5 };
    serve(&server_defaults);
    for (int round = 1; round <= ROUNDS; round++) {
        Client writer = client_of(served.plain), reader = client_of(served.plain),
               listener = client_of(served.plain);
        Answer answer;
        shared->commit_fails = false;
        write_on(&writer);
        ck_assert(hear(&writer, &answer, true));
        ck_assert_int_eq(answer.status, 201);
        ck_assert_int_eq(whole(answer.body), round);
        get_on(&listener, "/events?bytes=0");
        ck_assert(hear_head(&listener, &answer));
        shared->commit_fails = true;
        write_on(&writer);
        ck_assert(hear(&writer, &answer, true));
        ck_assert_int_eq(answer.status, 507);
        ck_assert(ends(&listener) && ends(&reader)); // all begin anew ...
        ck_assert_int_eq(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status,
                         200); // ... and may
        ck_assert_int_eq(shared->losses, round);
        ck_assert_int_eq(shared->committed, round);
        close(writer.descriptor);
        close(reader.descriptor);
        close(listener.descriptor);
    }
}
END_TEST

START_TEST(a_signal_ends_it_also_where_commits_fail)
{
    serve(&server_defaults);
    Client writer = client_of(served.plain);
    Answer answer;
    write_on(&writer);
    ck_assert(hear(&writer, &answer, true));
    shared->commit_fails = true;
    write_on(&writer);
    kill(served.process, SIGTERM);
    ck_assert(hear(&writer, &answer, true) ? answer.status == 507 : true);
    ck_assert_int_eq(end_server(0), 0);
    close(writer.descriptor);
}
END_TEST

START_TEST(a_signal_between_a_failed_commit_and_the_next_run_ends_it)
{
    shared->commit_fails = shared->ends_after_loss = true;
    serve(&server_defaults);
    Client writer = client_of(served.plain);
    Answer answer;
    write_on(&writer);
    ck_assert(hear(&writer, &answer, true));
    ck_assert_int_eq(answer.status, 507);
    ck_assert_int_eq(end_server(0), 0);
    close(writer.descriptor);
}
END_TEST

START_TEST(acknowledged_requests_are_committed_when_the_emulator_is_killed)
{
    enum { WRITERS = 4, KILLS = 10 };
    for (int kill_number = 0; kill_number < KILLS; kill_number++) {
        static Client clients[WRITERS];
        int acknowledged = 0;
        shared->commit_ms = kill_number % 3;
        serve(&server_defaults);
        for (int i = 0; i < WRITERS; i++) {
            clients[i] = client_of(served.plain);
            write_on(&clients[i]);
        }
        for (int round = 0; round < 3 + kill_number; round++)
            for (int i = 0; i < WRITERS; i++) {
                Answer answer;
                ck_assert(hear(&clients[i], &answer, true));
                if (whole(answer.body) > acknowledged)
                    acknowledged = whole(answer.body);
                write_on(&clients[i]);
            }
        end_server(SIGKILL);
        for (int i = 0; i < WRITERS; i++) { // what it had said before it died
            Answer answer;
            while (hear(&clients[i], &answer, true))
                if (whole(answer.body) > acknowledged)
                    acknowledged = whole(answer.body);
            close(clients[i].descriptor);
        }
        ck_assert_int_gt(acknowledged, 0);
        ck_assert_int_ge(shared->committed, acknowledged);
        shared->written = (int)shared->committed; // what the next one finds on disk
    }
}
END_TEST

START_TEST(asked_to_end_it_finishes_its_answers)
{
    shared->commit_ms = 200;
    serve(&server_defaults);
    Client writer = client_of(served.plain), listener = client_of(served.plain);
    Answer answer;
    get_on(&listener, "/events?bytes=0");
    ck_assert(hear_head(&listener, &answer));
    write_on(&writer);
    while (shared->writes == 0)
        sleep_ms(1);
    kill(served.process, SIGTERM);
    ck_assert(hear(&writer, &answer, true));
    ck_assert_int_eq(answer.status, 201);
    ck_assert_int_eq(end_server(0), 0);
    ck_assert(ends(&listener));
    close(writer.descriptor);
    close(listener.descriptor);
}
END_TEST

/* --- The proxy --- */

START_TEST(the_proxy_leads_nowhere_else)
{
    static const char *const others[] = {
        "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
        "CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n",
        "CONNECT pathacct.file.core.windows.net:80 HTTP/1.1\r\n\r\n",
        "CONNECT nonsense\r\n\r\n",
    };
    serve(&server_defaults);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_int_eq(ask(others[i]).status, 403);
    ServerSettings settings = server_defaults;
    settings.has_proxy = false;
    ck_assert_int_eq(end_server(SIGTERM), 0);
    serve(&settings);
    const Answer answer = ask("CONNECT a.file.core.windows.net:443 HTTP/1.1\r\n"
                              "Host: a.file.core.windows.net:443\r\n\r\n");
    ck_assert_int_ge(answer.status, 400);
}
END_TEST

/* --- Opening --- */

START_TEST(only_this_machine_is_listened_to)
{
    static const struct {
        const char *address;
        bool is_open, opens;
    } rows[] = {
        {"127.0.0.1", false, true}, {"127.1.2.3", false, true},       {"0.0.0.0", false, false},
        {"::", false, false},       {"192.0.2.1", false, false},      {"0.0.0.0", true, true},
        {"localhost", true, false}, {"::ffff:0.0.0.0", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Status status = {0};
        ServerSettings settings = server_defaults;
        settings.address = rows[i].address;
        settings.is_open = rows[i].is_open;
        Server *server = server_open(&settings, &status);
        ck_assert_msg((server != NULL) == rows[i].opens, "%s: %s", rows[i].address, status.message);
        server_close(server);
    }
}
END_TEST

START_TEST(a_port_that_is_taken_is_said_to_be)
{
    Status status = {0};
    ServerSettings settings = server_defaults;
    settings.userinfo_port = -1;
    Server *first = server_open(&settings, &status);
    ck_assert_ptr_nonnull(first);
    HttpAddresses addresses;
    server_addresses(first, arena, &addresses);
    ck_assert_str_eq(addresses.userinfo, "");
    settings.plain_port = port_in(addresses.plain);
    ck_assert_ptr_null(server_open(&settings, &status));
    ck_assert_int_eq(status.code, STATUS_CONFLICT);
    ck_assert_ptr_nonnull(strstr(status.message, "Address already in use"));
    server_close(first);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("server");
    TCase *all = tcase_create("plain");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_request_reaches_its_handler_as_it_was_sent);
    tcase_add_test(all, a_whole_url_of_our_own_is_a_path);
    tcase_add_test(all, a_chunked_body_is_put_together);
    tcase_add_test(all, one_connection_serves_many_requests);
    tcase_add_test(all, a_client_that_expects_100_continue_gets_it);
    tcase_add_test(all, dates_are_simulated);
    tcase_add_test(all, head_reports_the_length_of_the_body_that_get_sends);
    tcase_add_test(all, a_failed_head_has_its_error_in_the_reason_phrase);
    tcase_add_test(all, contents_of_every_length_arrive_whole);
    tcase_add_test(all, a_source_that_is_dry_is_asked_again);
    tcase_add_test(all, a_source_that_breaks_cuts_the_connection);
    tcase_add_test(all, events_are_sent_as_they_happen);
    tcase_add_test(all, four_gigabytes_take_no_memory);
    tcase_add_test(all, bodies_that_are_too_many_together_are_put_off);
    tcase_add_test(all, requests_beyond_the_limits_are_refused);
    tcase_add_test(all, a_client_that_blocks_the_server_is_disconnected);
    tcase_add_test(all, a_request_that_is_half_said_is_cut_off_sooner_than_one_that_is_awaited);
    tcase_add_test(all, a_client_that_reads_too_slowly_is_disconnected);
    tcase_add_test(all, more_connections_than_may_be_wait_their_turn);
    tcase_add_test(all, clients_that_have_gone_make_room);
    tcase_add_test(all, clients_that_send_nothing_more_get_their_answers);
    tcase_add_test(all, streams_that_leave_make_room_at_once);
    tcase_add_test(all, streams_leave_places_for_others);
    tcase_add_test(all, an_idle_server_sleeps);
    tcase_add_test(all, pages_of_other_sites_get_nothing);
    tcase_add_test(all, after_a_request_whose_end_is_in_doubt_nothing_is_read);
    tcase_add_test(all, tls_is_authenticated_encryption_with_forward_secrecy);
    tcase_add_test(all, answers_wait_for_the_commit_and_share_it);
    tcase_add_test(all, a_request_that_cannot_be_committed_is_never_acknowledged);
    tcase_add_test(all, a_signal_ends_it_also_where_commits_fail);
    tcase_add_test(all, a_signal_between_a_failed_commit_and_the_next_run_ends_it);
    tcase_add_test(all, acknowledged_requests_are_committed_when_the_emulator_is_killed);
    tcase_add_test(all, asked_to_end_it_finishes_its_answers);
    tcase_add_test(all, the_proxy_leads_nowhere_else);
    tcase_add_test(all, only_this_machine_is_listened_to);
    tcase_add_test(all, a_port_that_is_taken_is_said_to_be);
    suite_add_tcase(suite, all);
    return suite;
}
