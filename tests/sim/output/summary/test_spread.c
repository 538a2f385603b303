#include <string.h>

#include "sim/base/units.h"
#include "sim/output/summary/percentile.h"
#include "sim/output/summary/spread.h"
#include "tests/support/suite.h"

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

static JobTimes waited(int64_t seconds, bool still_waits)
{
    return (JobTimes){.ns = {[JOB_TIME_QUEUE] = seconds * NS_PER_S,
                             [JOB_TIME_RUN] = INT64_MAX,
                             [JOB_TIME_TURNAROUND] = seconds * NS_PER_S},
                      .is_waiting = still_waits,
                      .outcome = still_waits ? OUTCOME_NONE : OUTCOME_SUCCEEDED};
}

static bool is_bound(const SummarySpread *spread, const char *key)
{
    for (uint32_t i = 0; i < spread->at_least_count; i++)
        if (strcmp(spread->at_least[i], key) == 0)
            return true;
    return false;
}

START_TEST(without_jobs_nothing_is_known)
{
    const SummarySpread spread = spread_of_jobs(arena, NULL, 0, JOB_TIME_QUEUE);
    ck_assert_int_eq(spread.mean_ns, INT64_MAX);
    ck_assert_int_eq(spread.p95_ns, INT64_MAX);
    ck_assert_int_eq(spread.waiting, INT64_MAX);
    ck_assert_uint_eq(spread.at_least_count, 0);
}
END_TEST

START_TEST(a_time_that_has_not_ended_makes_a_percentile_a_lower_bound_only_if_it_can_move_it)
{
    // Waits 1 to 9 s, and one job has waited 5 s so far: in order 1 2 3 4 5 5* 6 7 8 9. The median,
    // at place 5, is 5: five ended waits are at most 5. At place 6 (p60) only five are.
    JobTimes jobs[10];
    for (int i = 0; i < 9; i++)
        jobs[i] = waited(i + 1, false);
    jobs[9] = waited(5, true);
    const SummarySpread spread = spread_of_jobs(arena, jobs, 10, JOB_TIME_QUEUE);
    ck_assert_int_eq(spread.p50_ns, 5 * NS_PER_S);
    ck_assert(!is_bound(&spread, "p50"));
    ck_assert_int_eq(spread.p95_ns, 9 * NS_PER_S);
    ck_assert(is_bound(&spread, "p95") && is_bound(&spread, "max") && is_bound(&spread, "mean"));
    ck_assert_int_eq(spread.waiting, 1);
    const SpreadValue p60 = spread_percentile(&spread, 60 * PERCENT_PARTS);
    ck_assert_int_eq(p60.value, 5 * NS_PER_S);
    ck_assert(p60.is_lower_bound);
    ck_assert(!spread_percentile(&spread, 50 * PERCENT_PARTS).is_lower_bound);
}
END_TEST

START_TEST(a_wait_in_progress_counts_twice_in_the_completed_mean)
{
    // Waits of 1 and 3 s, and a job of minute 1 that has waited 8 s so far: (1 + 3 + 2 * 8) / 3.
    JobTimes jobs[] = {waited(1, false), waited(3, false), waited(8, true)};
    jobs[2].submitted_ns = 60 * NS_PER_S;
    SummarySpread spread = spread_of_jobs(arena, jobs, 3, JOB_TIME_QUEUE);
    SpreadValue mean = spread_mean_completed(&spread);
    ck_assert_int_eq(mean.value, 20 * NS_PER_S / 3);
    ck_assert(!mean.is_lower_bound);
    // Submitted after 7 s, it has waited for more than half of the run, and may never start.
    jobs[2].submitted_ns = 7 * NS_PER_S;
    mean = spread_mean_completed(&spread);
    ck_assert(mean.is_lower_bound);
    // Without it, it is the mean.
    spread = spread_of_jobs(arena, jobs, 2, JOB_TIME_QUEUE);
    ck_assert_int_eq(spread_mean_completed(&spread).value, spread.mean_ns);
    spread = spread_of_jobs(arena, NULL, 0, JOB_TIME_QUEUE);
    ck_assert_int_eq(spread_mean_completed(&spread).value, INT64_MAX);
}
END_TEST

START_TEST(a_share_counts_a_job_that_still_waits_as_not_within)
{
    // Two waits of 1 and 3 s; one job has waited 2 s, one 10 s. Within 5 s are two of four, and the
    // job with 2 s may still be within. Within 1 s is one, for certain.
    const JobTimes jobs[] = {waited(1, false), waited(3, false), waited(2, true), waited(10, true)};
    const SummarySpread spread = spread_of_jobs(arena, jobs, 4, JOB_TIME_QUEUE);
    const SpreadShare of_5_s = spread_within(&spread, 5 * NS_PER_S);
    ck_assert_int_eq(of_5_s.jobs, 4);
    ck_assert_int_eq(of_5_s.within, 2);
    ck_assert(of_5_s.is_lower_bound);
    const SpreadShare of_1_s = spread_within(&spread, NS_PER_S);
    ck_assert_int_eq(of_1_s.within, 1);
    ck_assert(!of_1_s.is_lower_bound);
}
END_TEST

START_TEST(unknown_times_are_not_counted)
{
    JobTimes jobs[] = {waited(1, false), waited(2, false)};
    jobs[0].ns[JOB_TIME_RUN] = 4 * NS_PER_S;
    const SummarySpread spread = spread_of_jobs(arena, jobs, 2, JOB_TIME_RUN);
    ck_assert_int_eq(spread.mean_ns, 4 * NS_PER_S);
    ck_assert_int_eq(spread_within(&spread, 5 * NS_PER_S).jobs, 1);
}
END_TEST

/* Whether `value` may be the true percentile of `spread`, given all true times. */
static void check_against(const SummarySpread *spread, const SummarySpread *truth, int32_t percent)
{
    const SpreadValue seen = spread_percentile(spread, percent * PERCENT_PARTS);
    const SpreadValue real = spread_percentile(truth, percent * PERCENT_PARTS);
    ck_assert(!real.is_lower_bound);
    if (seen.is_lower_bound)
        ck_assert_int_le(seen.value, real.value);
    else
        ck_assert_int_eq(seen.value, real.value);
}

START_TEST(whatever_the_jobs_that_wait_do_later_the_values_hold)
{
    enum { JOBS = 40, SEEDS = 300 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        JobTimes seen[JOBS], real[JOBS];
        uint64_t word = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
        for (int i = 0; i < JOBS; i++) {
            word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const bool waits = (word >> 33) % 4 == 0;
            const int64_t so_far = (int64_t)((word >> 40) % 20), more = (int64_t)((word >> 50) % 9);
            seen[i] = waited(so_far, waits);
            real[i] = waited(so_far + (waits ? more : 0), false);
        }
        const SummarySpread spread = spread_of_jobs(arena, seen, JOBS, JOB_TIME_QUEUE);
        const SummarySpread truth = spread_of_jobs(arena, real, JOBS, JOB_TIME_QUEUE);
        for (int32_t percent = 1; percent <= 100; percent++)
            check_against(&spread, &truth, percent);
        for (int64_t limit_s = 0; limit_s < 30; limit_s++) {
            const SpreadShare share = spread_within(&spread, limit_s * NS_PER_S);
            const SpreadShare of_truth = spread_within(&truth, limit_s * NS_PER_S);
            ck_assert_int_le(share.within, of_truth.within);
            ck_assert(share.is_lower_bound || share.within == of_truth.within);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("spread");
    TCase *tests = tcase_create("spread");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, without_jobs_nothing_is_known);
    tcase_add_test(
        tests, a_time_that_has_not_ended_makes_a_percentile_a_lower_bound_only_if_it_can_move_it);
    tcase_add_test(tests, a_wait_in_progress_counts_twice_in_the_completed_mean);
    tcase_add_test(tests, a_share_counts_a_job_that_still_waits_as_not_within);
    tcase_add_test(tests, unknown_times_are_not_counted);
    tcase_add_test(tests, whatever_the_jobs_that_wait_do_later_the_values_hold);
    suite_add_tcase(suite, tests);
    return suite;
}
