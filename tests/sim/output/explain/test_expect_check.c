#include <math.h>
#include <string.h>

#include "sim/output/explain/expect_check.h"
#include "tests/support/suite.h"

static Arena *arena;
static SummaryJob train = {.name = "train",
                           .state = "succeeded",
                           .run_ns = 60500000000,
                           .exit_code = SUMMARY_NEVER,
                           .submitted_ns = 0};
static const char *bounds[] = {"p95", "max"};
static Summary summary;
static Scenario scenario;
static Command commands[1];

static void begin(void)
{
    arena = arena_create();
    summary = (Summary){.jobs = &train,
                        .job_count = 1,
                        .events = 42,
                        .queue = {.mean_ns = SUMMARY_NEVER,
                                  .p50_ns = 2000000000,
                                  .p95_ns = 3000000000,
                                  .p99_ns = SUMMARY_NEVER,
                                  .waiting = 2,
                                  .at_least = bounds,
                                  .at_least_count = 2}};
    commands[0] = (Command){.kind = COMMAND_JOB_CREATE,
                            .path = {.workspace = "w", .experiment = "e", .name = "train"}};
    scenario = (Scenario){.command_count = 1, .commands = commands};
}

static void end(void)
{
    arena_destroy(arena);
}

static const Metric *compiled(const char *name)
{
    Problems problems = problems_create(arena);
    return metric_compile_any(arena, metric_names_create(arena, &scenario), name,
                              place_in("s", 1, 1), &problems);
}

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
    {"jobs.train.exit_code", 0, 0, false, "0", "unknown"},
    {"jobs.train.state", 0, 1, false, "0 to 1", "unknown"},
    {"queue_s.p50", 0, 7200, true, "0 to 7200", "2"},
    {"queue_s.p95", -INFINITY, 7200, false, "at most 7200",
     "at least 3, as jobs still waited when the run ended; with a later \"until\" more of them "
     "start"},
    {"queue_s.p95", -INFINITY, 2, false, "at most 2",
     "at least 3, as jobs still waited when the run ended"},
    {"queue_s.p95", 2.5, INFINITY, true, "at least 2.5",
     "at least 3, as jobs still waited when the run ended"},
    {"queue_s.p99", -INFINITY, 7200, false, "at most 7200", "unknown"},
    {"jobs.other.run_s", 0, 1, false, "0 to 1", "unknown"},
};

START_TEST(a_number_is_checked_against_its_bounds)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const ExpectAnswer answer = expect_between(arena, compiled(ranges[i].metric), &summary,
                                                   ranges[i].low, ranges[i].high);
        ck_assert_msg(answer.holds == ranges[i].holds, "row %zu", i);
        ck_assert_str_eq(answer.expected, ranges[i].expected);
        ck_assert_str_eq(answer.got, ranges[i].got);
    }
}
END_TEST

START_TEST(a_state_is_compared_as_text)
{
    const Metric *state = compiled("jobs.train.state");
    ck_assert(expect_equals(arena, state, &summary, "succeeded").holds);
    const ExpectAnswer answer = expect_equals(arena, state, &summary, "failed");
    ck_assert(!answer.holds);
    ck_assert_str_eq(answer.expected, "failed");
    ck_assert_str_eq(answer.got, "succeeded");
    ck_assert(!expect_equals(arena, compiled("events"), &summary, "42").holds);
    ck_assert_str_eq(expect_equals(arena, compiled("events"), &summary, "42").got, "42");
    ck_assert(!expect_equals(arena, NULL, &summary, "").holds);
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
    tcase_add_test(tests, a_number_is_checked_against_its_bounds);
    tcase_add_test(tests, a_state_is_compared_as_text);
    tcase_add_test(tests, a_count_is_checked_against_its_bounds);
    suite_add_tcase(suite, tests);
    return suite;
}
