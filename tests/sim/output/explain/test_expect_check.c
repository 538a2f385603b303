#include <math.h>
#include <string.h>

#include "sim/output/explain/expect_check.h"
#include "tests/support/suite.h"

static Arena *arena;
static const Json *summary;

static void begin(void)
{
    static const char text[] = "{\"jobs\": {\"train\": {\"state\": \"succeeded\", \"run_s\": 60.5, "
                               "\"exit_code\": null}, \"a.b\": {\"run_s\": 2}}, "
                               "\"jobs.a\": {\"x\": 3}, "
                               "\"queue_s\": {\"p50\": 2, \"p95\": null, \"waiting\": 2}, "
                               "\"events\": 42}";
    arena = arena_create();
    Problems problems = problems_create(arena);
    summary = json_parse(arena, "s", text, sizeof text - 1, JSON_STRICT, &problems);
    ck_assert_ptr_nonnull(summary);
}

static void end(void)
{
    arena_destroy(arena);
}

START_TEST(a_metric_is_found_by_its_path)
{
    ck_assert_int_eq(summary_find(summary, "events")->integer, 42);
    ck_assert_str_eq(summary_find(summary, "jobs.train.state")->text, "succeeded");
    ck_assert_int_eq(summary_find(summary, "jobs.a.b.run_s")->integer, 2);
    ck_assert_int_eq(summary_find(summary, "jobs.a.x")->integer, 3);
    static const char *const missing[] = {"event", "events.x", "jobs.trai.state", "jobs.train.",
                                          "jobs..train"};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        ck_assert_msg(summary_find(summary, missing[i]) == NULL, "%s", missing[i]);
}
END_TEST

static const struct {
    const char *metric;
    double low, high;
    bool holds;
    const char *expected, *got;
} ranges[] = {
    {"jobs.train.run_s", 60, 61, true, "60 to 61", "60.5"},
    {"jobs.train.run_s", 60.5, 60.5, true, "60.5", "60.5"},
    {"jobs.train.run_s", 60.6, INFINITY, false, "at least 60.6", "60.5"},
    {"jobs.train.run_s", -INFINITY, 60, false, "at most 60", "60.5"},
    {"jobs.train.exit_code", 0, 0, false, "0", "null"},
    {"jobs.train.state", 0, 1, false, "0 to 1", "succeeded"},
    {"queue_s.p50", 0, 7200, true, "0 to 7200", "2"},
    {"queue_s.p95", -INFINITY, 7200, false, "at most 7200",
     "unknown, as 2 jobs still waited when the run ended"},
    {"jobs.other.run_s", 0, 1, false, "0 to 1", "no such metric"},
};

START_TEST(a_number_is_checked_against_its_bounds)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const ExpectAnswer answer =
            expect_between(arena, summary, ranges[i].metric, ranges[i].low, ranges[i].high);
        ck_assert_msg(answer.holds == ranges[i].holds, "row %zu", i);
        ck_assert_str_eq(answer.expected, ranges[i].expected);
        ck_assert_str_eq(answer.got, ranges[i].got);
    }
}
END_TEST

START_TEST(a_state_is_compared_as_text)
{
    ck_assert(expect_equals(arena, summary, "jobs.train.state", "succeeded").holds);
    const ExpectAnswer answer = expect_equals(arena, summary, "jobs.train.state", "failed");
    ck_assert(!answer.holds);
    ck_assert_str_eq(answer.expected, "failed");
    ck_assert_str_eq(answer.got, "succeeded");
    ck_assert(!expect_equals(arena, summary, "events", "42").holds);
    ck_assert(!expect_equals(arena, summary, "nothing", "").holds);
}
END_TEST

START_TEST(a_count_is_checked_against_its_bounds)
{
    ck_assert(expect_count(arena, 14, 14, 14).holds);
    ck_assert(!expect_count(arena, 13, 14, INFINITY).holds);
    ck_assert_str_eq(expect_count(arena, 13, 14, INFINITY).got, "13");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("expect_check");
    TCase *tests = tcase_create("expect_check");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_metric_is_found_by_its_path);
    tcase_add_test(tests, a_number_is_checked_against_its_bounds);
    tcase_add_test(tests, a_state_is_compared_as_text);
    tcase_add_test(tests, a_count_is_checked_against_its_bounds);
    suite_add_tcase(suite, tests);
    return suite;
}
