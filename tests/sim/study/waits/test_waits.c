#include "sim/study/waits/waits.h"

#include "sim/base/units.h"
#include "tests/support/suite.h"

static const int64_t submit_ns[] = {0, 0, 0, 0};
static const int64_t run_ns[] = {1, 1, 1, 1};
static const int32_t gpus[] = {1, 4, 8, 16};
static const int64_t recorded_ns[] = {100 * NS_PER_S, 30 * NS_PER_S, JOB_LIST_UNKNOWN, 0};

static void say(TraceListener listener, const char *job, const char *state, int64_t at_s)
{
    const TraceRow row = {
        .record = {.kind = TRACE_JOB_STATE, .at_ns = at_s * NS_PER_S, .name = state}, .job = job};
    listener.row(listener.listener, &row);
}

START_TEST(waits_of_a_run_are_set_against_those_of_the_log)
{
    Arena *arena = arena_create();
    const JobList list = {.count = 4,
                          .submit_ns = submit_ns,
                          .run_ns = run_ns,
                          .gpus = gpus,
                          .recorded_wait_ns = recorded_ns};
    Waits *waits = waits_create(arena, &list, "venus");
    const TraceListener listener = waits_listener(waits);
    for (int32_t i = 1; i <= 4; i++)
        say(listener, arena_printf(arena, "w/e/venus-%d", i), "queued", 1000);
    say(listener, "w/e/venus-1", "running", 1010);
    say(listener, "w/e/venus-1", "queued", 1500); // it lost its node
    say(listener, "w/e/venus-1", "running", 1600);
    say(listener, "w/e/venus-2", "running", 1060);
    say(listener, "w/e/venus-3", "running", 1020);
    say(listener, "w/e/other-4", "running", 1020);
    say(listener, "w/e/venus-5", "running", 1020);
    say(listener, "w/e/venus-x", "running", 1020);
    say(listener, "venus", "running", 1020);
    const WaitComparison *comparison = waits_compare(arena, waits);
    ck_assert(comparison->jobs == 4 && comparison->unrecorded == 1 && comparison->not_started == 1);
    const WaitClass *all = &comparison->classes[0];
    ck_assert_int_eq(all->jobs, 2);
    ck_assert(all->recorded.mean_s == 65 && all->simulated.mean_s == 35);
    ck_assert(all->recorded.p95_ns == 100 * NS_PER_S && all->simulated.p50_ns == 10 * NS_PER_S);
    // 10 s against 100 s is shorter; 60 s against 30 s is within a minute.
    ck_assert(all->shorter == 1 && all->longer == 0);
    ck_assert(comparison->classes[1].jobs == 1 && comparison->classes[2].jobs == 1);
    ck_assert(comparison->recorded_ns[0] == 30 * NS_PER_S);
    ck_assert(comparison->simulated_ns[WAIT_QUANTILES - 1] == 60 * NS_PER_S);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_log_without_waits_has_nothing_to_compare)
{
    Arena *arena = arena_create();
    const JobList list = {.count = 4, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
    const WaitComparison *comparison = waits_compare(arena, waits_create(arena, &list, "a"));
    ck_assert(comparison->unrecorded == 4 && comparison->classes[0].jobs == 0);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("waits");
    tcase_add_test(cases, waits_of_a_run_are_set_against_those_of_the_log);
    tcase_add_test(cases, a_log_without_waits_has_nothing_to_compare);
    Suite *suite = suite_create("waits");
    suite_add_tcase(suite, cases);
    return suite;
}
