/* emu/http/gate.h: who is let in. */
#include <check.h>
#include <string.h>

#include "emu/files/auth/address.h"
#include "emu/http/gate.h"
#include "tests/support/suite.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* The status of the answer to a request with these two headers; 0: the request passes. */
static int32_t verdict_at(const char *target, HttpListener listener, HttpMethod method,
                          const char *host, const char *origin)
{
    static const GateRules rules = {.storage_suffix = "core.windows.net",
                                    .own_name = "builder",
                                    .is_signed = files_address_is_ours};
    const HttpField header = {"origin", origin};
    const HttpRequest request = {.arena = arena,
                                 .listener = listener,
                                 .method = method,
                                 .target = target,
                                 .host = host,
                                 .headers = &header,
                                 .header_count = origin ? 1 : 0};
    HttpResponse response = http_response(0);
    const bool passes = gate_passes(&rules, &request, &response);
    ck_assert_int_eq(passes, response.status == 0);
    return response.status;
}

static int32_t verdict(HttpListener listener, HttpMethod method, const char *host,
                       const char *origin)
{
    return verdict_at("/trainyard/clock", listener, method, host, origin);
}

START_TEST(only_names_of_its_own_are_answered)
{
    static const struct {
        const char *host;
        int32_t status;
    } rows[] = {
        {"localhost:8443", 0},
        {"127.0.0.1", 0},
        {"[::1]:1", 0},
        {"192.0.2.7:80", 0}, // no page can make a browser believe that its name is this address
        {"acct.file.core.windows.net", 0},
        {"acct.blob.core.windows.net:443", 0},
        {"Builder:10443", 0},
        {"evil.example.com", 421},
        {"localhost.example.com", 421},
        {"acct.file.core.windows.net.example.com", 421},
        {"", 400},
        {"a b", 400},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(verdict(LISTENER_TLS, HTTP_GET, rows[i].host, NULL) == rows[i].status,
                      "\"%s\"", rows[i].host);
}
END_TEST

START_TEST(pages_may_change_resources_of_their_own_origin)
{
    static const struct {
        HttpListener listener;
        HttpMethod method;
        const char *origin;
        int32_t status;
    } rows[] = {
        {LISTENER_PLAIN, HTTP_POST, NULL, 0},
        {LISTENER_PLAIN, HTTP_POST, "http://localhost:80", 0},
        {LISTENER_PLAIN, HTTP_POST, "HTTP://LOCALHOST:80", 0},
        {LISTENER_PLAIN, HTTP_POST, "https://localhost:80", 403},
        {LISTENER_TLS, HTTP_PUT, "https://localhost:80", 0},
        {LISTENER_TLS, HTTP_PUT, "http://localhost:80", 403},
        {LISTENER_PLAIN, HTTP_POST, "http://localhost:81", 403}, // another server of this machine
        {LISTENER_PLAIN, HTTP_DELETE, "http://example.com", 403},
        {LISTENER_PLAIN, HTTP_PATCH, "null", 403},
        {LISTENER_PLAIN, HTTP_METHOD_COUNT, "http://example.com", 403},
        {LISTENER_PLAIN, HTTP_GET, "http://example.com", 0}, // whose answer the page cannot see
        {LISTENER_PLAIN, HTTP_OPTIONS, "http://example.com", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(verdict(rows[i].listener, rows[i].method, "localhost:80", rows[i].origin) ==
                          rows[i].status,
                      "row %zu", i);
}
END_TEST

START_TEST(pages_may_write_files_which_is_signed)
{
    static const char page[] = "http://example.com";
    const char *const files[] = {"/account1/share/f", "/account1"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        ck_assert_int_eq(verdict_at(files[i], LISTENER_PLAIN, HTTP_PUT, "localhost:80", page), 0);
    ck_assert_int_eq(
        verdict_at("/f", LISTENER_TLS, HTTP_PUT, "account1.file.core.windows.net", page), 0);
    const char *const others[] = {"/", "/trainyard/clock", "/subscriptions/s", "/metadata/x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_int_eq(verdict_at(others[i], LISTENER_PLAIN, HTTP_PUT, "localhost:80", page),
                         403);
}
END_TEST

START_TEST(refusals_are_json)
{
    const HttpRequest request = {.arena = arena};
    HttpResponse response;
    ck_assert(!gate_refuse(&request, &response, 413, "Code", "a \"quoted\" %s", "word"));
    ck_assert_str_eq(response.body,
                     "{\"error\":{\"code\":\"Code\",\"message\":\"a \\\"quoted\\\" word\"}}");
    ck_assert_uint_eq(response.body_bytes, strlen(response.body));
    ck_assert_str_eq(http_get(&response, "Content-Type"), "application/json; charset=utf-8");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gate");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, only_names_of_its_own_are_answered);
    tcase_add_test(all, pages_may_change_resources_of_their_own_origin);
    tcase_add_test(all, pages_may_write_files_which_is_signed);
    tcase_add_test(all, refusals_are_json);
    suite_add_tcase(suite, all);
    return suite;
}
