/* emu/control/api_faults.h: the kind of fault between a client and the service. */
#include <string.h>

#include "emu/control/api_faults.h"
#include "sim/base/units.h"
#include "tests/support/suite.h"

static Arena *arena;
static ApiFaults *faults;
static int64_t machine_ns;

static void set_up(void)
{
    arena = arena_create();
    faults = api_faults_create(arena);
    machine_ns = 0;
}

static void tear_down(void)
{
    api_faults_destroy(faults);
    arena_destroy(arena);
}

static int64_t add(const char *text)
{
    Problems problems = problems_create(arena);
    const Json *rule = json_parse(arena, "rule", text, strlen(text), JSON_STRICT, &problems);
    int64_t number = api_faults_add(faults, rule, &problems);
    ck_assert_msg(number > 0, "%s: %s", text, problems.items ? problems.items[0].message : "");
    return number;
}

static HttpRequest request_of(HttpMethod method, const char *target)
{
    return (HttpRequest){.arena = arena,
                         .method = method,
                         .method_text = http_method_name(method),
                         .target = target,
                         .query_text = ""};
}

static ApiVerdict verdict_on(HttpMethod method, const char *target)
{
    const HttpRequest request = request_of(method, target);
    return api_faults_before(faults, &request);
}

/* The answer to a request that a handler would answer by 200 and `body`. */
static HttpResponse ask(HttpMethod method, const char *target, const char *body)
{
    HttpRequest request = request_of(method, target);
    HttpResponse response = http_response(200);
    const ApiVerdict verdict = api_faults_before(faults, &request);
    if (verdict.kind == API_FAULT_ERROR || verdict.kind == API_FAULT_RESET)
        return http_response(verdict.kind == API_FAULT_ERROR ? verdict.status : 0);
    http_body(&response, "text/plain", body, strlen(body));
    api_faults_after(faults, verdict, &request, &response, &machine_ns);
    return response;
}

static int32_t status_of(HttpMethod method, const char *target)
{
    return ask(method, target, "fine").status;
}

START_TEST(a_rule_is_about_its_method_and_path)
{
    add("{\"do\": \"api.error\", \"method\": \"PUT\", \"path\": \"*/jobs/*\", \"status\": 503}");
    ck_assert_int_eq(status_of(HTTP_PUT, "/a/jobs/j"), 503);
    ck_assert_int_eq(status_of(HTTP_GET, "/a/jobs/j"), 200);
    ck_assert_int_eq(status_of(HTTP_PUT, "/a/clusters/c"), 200);
}
END_TEST

START_TEST(an_error_has_a_code_and_a_retry_time)
{
    add("{\"do\": \"api.error\", \"status\": 429, \"path\": \"/default\"}");
    add("{\"do\": \"api.error\", \"status\": 503, \"retry_after\": \"1500ms\", \"code\": "
        "\"Busy\"}");
    ApiVerdict verdict = verdict_on(HTTP_GET, "/default");
    ck_assert_int_eq(verdict.kind, API_FAULT_ERROR);
    ck_assert_int_eq(verdict.status, 429);
    ck_assert_int_eq(verdict.retry_after_s, 1);
    ck_assert_str_eq(verdict.code, "TooManyRequests");
    verdict = verdict_on(HTTP_GET, "/other");
    ck_assert_int_eq(verdict.retry_after_s, 2); // whole seconds, rounded up
    ck_assert_str_eq(verdict.code, "Busy");
    ck_assert_str_eq(verdict.message, "Fault 2 of the emulator's rules.");
    api_faults_clear(faults);
    add("{\"do\": \"api.error\"}");
    verdict = verdict_on(HTTP_GET, "/");
    ck_assert_int_eq(verdict.status, 500);
    ck_assert_int_eq(verdict.retry_after_s, -1);
}
END_TEST

START_TEST(a_rule_waits_and_ends_by_count)
{
    add("{\"do\": \"api.reset\", \"skip\": 2, \"count\": 2}");
    static const int32_t expected[] = {200, 200, 0, 0, 200, 200};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_int_eq(status_of(HTTP_GET, "/"), expected[i]);
}
END_TEST

/* Chances are drawn by seed and number of the request, not by who asked before. */
START_TEST(the_same_requests_meet_the_same_faults)
{
    enum { REQUESTS = 2000 };
    bool first[REQUESTS];
    int32_t struck = 0, other = 0;
    add("{\"do\": \"api.error\", \"chance\": \"12.5%\", \"seed\": 7}");
    for (int i = 0; i < REQUESTS; i++)
        struck += first[i] = status_of(HTTP_GET, "/") == 500;
    // Binomial: 250 on average, standard deviation 14.8.
    ck_assert_int_gt(struck, 190);
    ck_assert_int_lt(struck, 310);
    api_faults_destroy(faults);
    faults = api_faults_create(arena);
    add("{\"do\": \"api.error\", \"chance\": \"12.5%\", \"seed\": 7}");
    for (int i = 0; i < REQUESTS; i++)
        ck_assert_int_eq(status_of(HTTP_GET, "/") == 500, first[i]);
    api_faults_destroy(faults);
    faults = api_faults_create(arena);
    add("{\"do\": \"api.error\", \"chance\": \"12.5%\", \"seed\": 8}");
    for (int i = 0; i < REQUESTS; i++)
        other += (status_of(HTTP_GET, "/") == 500) != first[i];
    ck_assert_int_gt(other, 100);
    api_faults_clear(faults);
    add("{\"do\": \"api.error\", \"chance\": \"0%\"}");
    for (int i = 0; i < REQUESTS; i++)
        ck_assert_int_eq(status_of(HTTP_GET, "/"), 200);
}
END_TEST

START_TEST(a_slow_body_comes_by_the_machines_clock)
{
    char room[64];
    add("{\"do\": \"api.slow\", \"rate\": \"10B/s\"}");
    HttpResponse response = ask(HTTP_GET, "/", "0123456789abcdefghij");
    ck_assert_int_eq(response.source_bytes, 20);
    HttpSource source = response.source;
    ck_assert_int_eq(source.read(source.owner, 0, room, sizeof room), 0);
    machine_ns = NS_PER_S / 2;
    ck_assert_int_eq(source.read(source.owner, 0, room, sizeof room), 5);
    ck_assert_int_eq(memcmp(room, "01234", 5), 0);
    ck_assert_int_eq(source.read(source.owner, 5, room, sizeof room), 0);
    machine_ns = 10 * NS_PER_S;
    ck_assert_int_eq(source.read(source.owner, 5, room, 4), 4);
    ck_assert_int_eq(source.read(source.owner, 9, room, sizeof room), 11);
    ck_assert_int_eq(memcmp(room, "9abcdefghij", 11), 0);
    source.free(source.owner);
    response = ask(HTTP_GET, "/", ""); // nothing to be slow with
    ck_assert(response.source.read == NULL);
}
END_TEST

/* 10^18 bytes a second for ten seconds are more than a number has. */
START_TEST(a_rate_above_all_bodies_is_no_limit)
{
    char room[64];
    add("{\"do\": \"api.slow\", \"rate\": \"1000000TB/s\"}");
    HttpSource source = ask(HTTP_GET, "/", "0123456789").source;
    machine_ns = 10 * NS_PER_S;
    ck_assert_int_eq(source.read(source.owner, 0, room, sizeof room), 10);
    source.free(source.owner);
}
END_TEST

static void check_body(HttpResponse response, const char *expected)
{
    ck_assert_uint_eq(response.body_bytes, strlen(expected));
    ck_assert_int_eq(memcmp(response.body, expected, response.body_bytes), 0);
}

START_TEST(a_stale_read_is_the_answer_before_the_last_change)
{
    int64_t number = add("{\"do\": \"api.stale\", \"skip\": 2}");
    check_body(ask(HTTP_GET, "/a", "one"), "one");
    check_body(ask(HTTP_GET, "/b", "other"), "other");
    check_body(ask(HTTP_GET, "/a", "one"), "one"); // nothing before it
    check_body(ask(HTTP_GET, "/a", "second"), "one");
    check_body(ask(HTTP_GET, "/a", "second"), "one");
    check_body(ask(HTTP_GET, "/b", "other"), "other");
    check_body(ask(HTTP_PUT, "/a", "written"), "written");
    check_body(ask(HTTP_GET, "/a", "third"), "second");
    ck_assert(api_faults_remove(faults, number));
    check_body(ask(HTTP_GET, "/a", "third"), "third");
}
END_TEST

START_TEST(invalid_rules_are_refused)
{
    static const struct {
        const char *text, *problem;
    } rows[] = {
        {"{}", "do"},
        {"{\"do\": \"api.error\", \"status\": 200}", "200"},
        {"{\"do\": \"api.error\", \"chance\": \"101%\"}", "not a chance"},
        {"{\"do\": \"api.error\", \"chance\": \"%\"}", "not a chance"},
        {"{\"do\": \"api.error\", \"chance\": \"99999999999999999999%\"}", "not a chance"},
        {"{\"do\": \"api.slow\", \"rate\": \"slow\"}", "slow"},
        {"{\"do\": \"api.slow\", \"rate\": \"0B/s\"}", "0"},
        {"{\"do\": \"api.error\", \"count\": 0}", "count"},
        {"{\"do\": \"api.error\", \"colour\": 1}", "colour"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Problems problems = problems_create(arena);
        const Json *rule =
            json_parse(arena, "rule", rows[i].text, strlen(rows[i].text), JSON_STRICT, &problems);
        ck_assert_int_eq(api_faults_add(faults, rule, &problems), 0);
        ck_assert_int_gt(problems.count, 0);
        ck_assert_msg(strstr(problems.items[0].message, rows[i].problem) != NULL, "%s: %s",
                      rows[i].text, problems.items[0].message);
    }
    for (int i = 0; i < 100; i++)
        add("{\"do\": \"api.error\"}");
    Problems problems = problems_create(arena);
    ck_assert_int_eq(api_faults_add(faults, json_object(arena), &problems), 0);
    ck_assert_int_eq(problems.items[0].code, STATUS_CONFLICT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("api_faults");
    TCase *tests = tcase_create("api_faults");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_rule_is_about_its_method_and_path);
    tcase_add_test(tests, an_error_has_a_code_and_a_retry_time);
    tcase_add_test(tests, a_rule_waits_and_ends_by_count);
    tcase_add_test(tests, the_same_requests_meet_the_same_faults);
    tcase_add_test(tests, a_slow_body_comes_by_the_machines_clock);
    tcase_add_test(tests, a_rate_above_all_bodies_is_no_limit);
    tcase_add_test(tests, a_stale_read_is_the_answer_before_the_last_change);
    tcase_add_test(tests, invalid_rules_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
