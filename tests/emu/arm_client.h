/* Requests to the Resource Manager as a client makes them, for tests of its handlers. */
#ifndef TESTS_EMU_ARM_CLIENT_H
#define TESTS_EMU_ARM_CLIENT_H

#include <check.h>
#include <string.h>

#include "emu/emulator.h"
#include "tests/emu/operations_log.h"

typedef struct {
    int32_t status;
    HttpResponse response;
    const Json *body; /* NULL: none */
    const char *text; /* the body, unchanged; "" if there is none */
} Answer;

typedef struct {
    Arena *arena;
    Emulator *emulator;
} Client;

#define CLIENT_SUBSCRIPTION "/subscriptions/00000000-0000-0000-0000-000000000000"

/* `target` may have a query; "api-version=2018-05-01" is added where it names none. */
static inline Answer client_send(Client client, HttpMethod method, const char *target,
                                 const char *body, const HttpField *headers, int32_t header_count)
{
    Arena *arena = client.arena;
    const char *mark = strchr(target, '?');
    const char *query = mark ? mark + 1 : "";
    if (!strstr(query, "api-version"))
        query = arena_printf(arena, "%s%sapi-version=2018-05-01", query, *query ? "&" : "");
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_TLS,
                           .method = method,
                           .method_text =
                               method < HTTP_METHOD_COUNT ? http_method_name(method) : "X",
                           .target = arena_strndup(arena, target, strcspn(target, "?")),
                           .host = "127.0.0.1:8443",
                           .headers = headers,
                           .header_count = header_count,
                           .body = body ? body : "",
                           .body_bytes = body ? strlen(body) : 0};
    ck_assert(http_read_query(&request, query));
    Answer answer = {.response = http_response(200), .text = ""};
    client.emulator->arm.request = ++client.emulator->requests;
    arm_handle(&client.emulator->arm, &request, &answer.response);
    answer.status = answer.response.status;
    operations_log(&answer.response);
    if (!answer.response.body)
        return answer;
    Problems problems = problems_create(arena);
    answer.text = arena_strndup(arena, answer.response.body, answer.response.body_bytes);
    answer.body =
        json_parse(arena, "answer", answer.text, strlen(answer.text), JSON_STRICT, &problems);
    ck_assert_msg(answer.body != NULL, "%s", answer.text);
    ck_assert_str_eq(http_get(&answer.response, "Content-Type"), "application/json; charset=utf-8");
    return answer;
}

static inline Answer client_ask(Client client, HttpMethod method, const char *target,
                                const char *body)
{
    static const HttpField token = {"Authorization", "Bearer x"};
    return client_send(client, method, target, body, &token, 1);
}

/* The same below the subscription. */
static inline Answer client_do(Client client, HttpMethod method, const char *below,
                               const char *body)
{
    return client_ask(client, method, arena_printf(client.arena, CLIENT_SUBSCRIPTION "%s", below),
                      body);
}

/* The text at a JSON pointer of an answer; "" where there is none. */
static inline const char *answer_text(Answer answer, const char *pointer)
{
    const Json *found = json_find(answer.body, pointer);
    return found && found->text ? found->text : "";
}

#define ck_assert_status(answer, expected)                                                         \
    do {                                                                                           \
        const Answer checked = (answer);                                                           \
        ck_assert_msg(checked.status == (expected), "%d: %s", (int)checked.status, checked.text);  \
    } while (0)
#define ck_assert_error(answer, expected, code)                                                    \
    do {                                                                                           \
        const Answer refused = (answer);                                                           \
        ck_assert_status(refused, expected);                                                       \
        ck_assert_str_eq(answer_text(refused, "/error/code"), code);                               \
        ck_assert_str_ne(answer_text(refused, "/error/message"), "");                              \
        ck_assert_ptr_null(http_get(&refused.response, "Retry-After"));                            \
    } while (0)

#endif
