/* Workloads: jobs that the simulator creates at random times. */
#include <math.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/model/week_hours.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/world_fixture.h"

static void begin_with_cluster(void)
{
    begin();
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
}

/* The factors of these hours on each of these weekdays; NULL: 1 in all hours, or on all days. */
static int64_t *factors_of(const int64_t *hour_ppm, const int64_t *weekday_ppm)
{
    int64_t *factors = ARENA_ARRAY(arena, int64_t, HOURS_A_WEEK);
    for (int32_t hour = 0; hour < HOURS_A_WEEK; hour++)
        factors[hour] = (hour_ppm != NULL ? hour_ppm[hour % HOURS_A_DAY] : PPM) *
                        (weekday_ppm != NULL ? weekday_ppm[hour / HOURS_A_DAY] : PPM);
    return factors;
}

/* `per_day` jobs of one node and ten seconds a day, until 1,000 have been created. */
static Workload *workload(const char *name, int64_t per_day)
{
    const JobSpec **specs = ARENA_ARRAY(arena, const JobSpec *, 2);
    int64_t *probability_ppm = ARENA_ARRAY(arena, int64_t, 2);
    specs[0] = plain_job(arena, 1, plain_fixed_program(arena, 10 * NS_PER_S, 0));
    probability_ppm[0] = PPM;
    Workload *made = ARENA_NEW(arena, Workload);
    *made = (Workload){.name = name,
                       .path = {.group = "g", .workspace = "w", .experiment = "e"},
                       .cluster = {.group = "g", .workspace = "w", .name = "c"},
                       .end_ns = INT64_MAX,
                       .jobs_max = 1000,
                       .arrivals = ARRIVALS_POISSON,
                       .rate = {per_day * PPM, NS_PER_DAY},
                       .spec_count = 1,
                       .specs = specs,
                       .probability_ppm = probability_ppm};
    return made;
}

static World *run(const Workload *workloads, int32_t count, uint64_t seed)
{
    Scenario *scenario = scenario_of(&list, seed);
    scenario->workloads = workloads;
    scenario->workload_count = count;
    recording.count = 0;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_run(world);
    return world;
}

/* The number of jobs of workload `index`; their times of creation go to `times_ns`. */
static int32_t arrivals(const World *world, int32_t index, int64_t times_ns[2000])
{
    int32_t count = 0;
    for (uint32_t j = 0; j < world_job_count(world); j++)
        if (world_job(world, (JobId){j})->workload == index)
            times_ns[count++] = world_job(world, (JobId){j})->created_ns;
    return count;
}

START_TEST(jobs_of_a_workload_are_numbered_and_run_like_others)
{
    const World *world = run(workload("load", 2400), 1, 1);
    ck_assert_uint_eq(world_job_count(world), 1000);
    ck_assert_str_eq(world_job(world, (JobId){0})->path.name, "load-1");
    ck_assert_str_eq(world_job(world, (JobId){999})->path.name, "load-1000");
    ck_assert_int_eq(world_job(world, (JobId){999})->workload, 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "succeeded"), 1000);
}
END_TEST

START_TEST(a_job_created_by_a_command_belongs_to_no_workload)
{
    commands_create_job(&list, "own", 0, "c",
                        plain_job(arena, 1, plain_fixed_program(arena, NS_PER_S, 0)));
    const World *world = run(NULL, 0, 1);
    ck_assert_int_eq(world_job(world, (JobId){0})->workload, -1);
}
END_TEST

START_TEST(poisson_gaps_have_the_mean_and_spread_of_the_exponential)
{
    // 2,400 a day: 36 s on average, with a standard deviation of as much. Over 20,000 gaps the mean
    // is within 3 * 36 / sqrt(20000) = 0.76 s; the variance (36^2 = 1296) within 3 * 1296 * sqrt(8
    // / 20000) = 78 (the fourth central moment of the exponential is 9 times its variance squared).
    double sum = 0, squares = 0, n = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static int64_t times_ns[2000];
        int32_t count = arrivals(run(workload("load", 2400), 1, seed), 0, times_ns);
        for (int32_t i = 0; i < count; i++) {
            double gap_s = (double)(times_ns[i] - (i > 0 ? times_ns[i - 1] : 0)) / NS_PER_S;
            sum += gap_s;
            squares += gap_s * gap_s;
            n++;
        }
    }
    ck_assert_double_eq_tol(sum / n, 36, 0.76);
    ck_assert_double_eq_tol(squares / n - sum / n * (sum / n), 1296, 78);
}
END_TEST

START_TEST(each_period_has_exactly_the_count_of_arrivals)
{
    static int64_t times_ns[2000];
    Workload *exact = workload("load", 1);
    exact->rate = (ArrivalRate){0};
    exact->count = 200;
    exact->within_ns = 7 * NS_PER_DAY;
    exact->begin_ns = NS_PER_HOUR;
    exact->end_ns = NS_PER_HOUR + 21 * NS_PER_DAY;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ck_assert_int_eq(arrivals(run(exact, 1, seed), 0, times_ns), 600);
        for (int32_t i = 0; i < 600; i++) {
            ck_assert(i == 0 || times_ns[i] >= times_ns[i - 1]);
            ck_assert_int_eq((times_ns[i] - exact->begin_ns) / exact->within_ns, i / 200);
        }
        ck_assert_int_ne(times_ns[0] + exact->within_ns, times_ns[200]); // drawn anew
    }
    exact->end_ns = INT64_MAX;
    exact->jobs_max = 250;
    ck_assert_int_eq(arrivals(run(exact, 1, 1), 0, times_ns), 250);
    // A period that is cut short loses the arrivals after its end, and no others.
    exact->jobs_max = INT64_MAX;
    exact->end_ns = times_ns[99] + 1;
    ck_assert_int_eq(arrivals(run(exact, 1, 1), 0, times_ns), 100);
}
END_TEST

START_TEST(an_exact_count_of_bursts_or_of_diurnal_arrivals)
{
    static int64_t times_ns[2000];
    Workload *exact = workload("load", 1);
    exact->count = 30;
    exact->within_ns = NS_PER_DAY;
    exact->end_ns = NS_PER_DAY;
    exact->arrivals = ARRIVALS_BURSTS;
    exact->burst_jobs = 4;
    ck_assert_int_eq(arrivals(run(exact, 1, 1), 0, times_ns), 120);
    ck_assert_int_eq(times_ns[0], times_ns[3]);
    exact->arrivals = ARRIVALS_DIURNAL;
    exact->factors = factors_of((const int64_t[HOURS_A_DAY]){[9] = PPM, [20] = 3 * PPM}, NULL);
    exact->count = 1000;
    const World *world = run(exact, 1, 1);
    ck_assert_int_eq(arrivals(world, 0, times_ns), 1000);
    int32_t in_hour[24] = {0};
    for (int32_t i = 0; i < 1000; i++) {
        const int64_t unix_s = world_unix_ms(world, times_ns[i]) / 1000;
        in_hour[unix_s / 3600 % 24]++;
    }
    // A quarter of 1,000 with a standard deviation of sqrt(1000 * 0.25 * 0.75) = 13.7.
    ck_assert_int_eq(in_hour[9] + in_hour[20], 1000);
    ck_assert_int_ge(in_hour[9], 250 - 3 * 14);
    ck_assert_int_le(in_hour[9], 250 + 3 * 14);
}
END_TEST

START_TEST(another_workload_changes_nothing_in_the_first)
{
    static int64_t alone_ns[2000], beside_ns[2000];
    Workload both[2];
    both[0] = *workload("a", 500);
    both[1] = *workload("b", 3000);
    int32_t alone = arrivals(run(both, 1, 7), 0, alone_ns);
    const World *world = run(both, 2, 7);
    ck_assert_int_eq(alone, arrivals(world, 0, beside_ns));
    ck_assert_mem_eq(alone_ns, beside_ns, (size_t)alone * sizeof alone_ns[0]);
    ck_assert_int_eq(arrivals(world, 1, beside_ns), 1000);
}
END_TEST

START_TEST(no_job_is_created_before_the_beginning_or_at_the_end)
{
    static int64_t times_ns[2000];
    Workload *limited = workload("load", 24000); // 1,000 an hour
    limited->begin_ns = NS_PER_HOUR;
    limited->end_ns = 2 * NS_PER_HOUR;
    limited->jobs_max = INT64_MAX;
    int32_t count = arrivals(run(limited, 1, 3), 0, times_ns);
    ck_assert_int_ge(times_ns[0], NS_PER_HOUR);
    ck_assert_int_lt(times_ns[count - 1], 2 * NS_PER_HOUR);
    // Poisson with mean 1,000: within 5 standard deviations of 31.6.
    ck_assert_int_gt(count, 842);
    ck_assert_int_lt(count, 1158);
}
END_TEST

START_TEST(the_jobs_of_a_burst_are_created_together_and_the_last_burst_is_cut)
{
    static int64_t times_ns[2000];
    Workload *bursts = workload("load", 240);
    bursts->arrivals = ARRIVALS_BURSTS;
    bursts->burst_jobs = 30;
    int32_t count = arrivals(run(bursts, 1, 3), 0, times_ns);
    ck_assert_int_eq(count, 1000);
    for (int32_t i = 0; i < count; i++)
        ck_assert(times_ns[i] == times_ns[i / 30 * 30]);
    ck_assert_int_lt(times_ns[29], times_ns[30]);
}
END_TEST

START_TEST(diurnal_rates_follow_the_hour_of_the_day)
{
    // The scenario starts at 17:45. The rate is tripled from 18:00 to 19:00, plain from 19:00 to
    // 20:00, and 0 otherwise. From 1,000 jobs 750 are created in the first hour, with a standard
    // deviation of sqrt(1000 * 0.75 * 0.25) = 13.7 (and a little more for the day that is cut).
    static int64_t times_ns[2000];
    Workload *daily = workload("load", 240);
    daily->arrivals = ARRIVALS_DIURNAL;
    daily->factors = factors_of((const int64_t[HOURS_A_DAY]){[18] = 3 * PPM, [19] = PPM}, NULL);
    int32_t count = arrivals(run(daily, 1, 3), 0, times_ns), in_first = 0;
    ck_assert_int_eq(count, 1000);
    for (int32_t i = 0; i < count; i++) {
        int64_t minute = (17 * 60 + 45 + times_ns[i] / NS_PER_MIN) % (24 * 60);
        ck_assert_int_ge(minute, 18 * 60);
        ck_assert_int_lt(minute, 20 * 60);
        in_first += minute < 19 * 60;
    }
    ck_assert_int_gt(in_first, 750 - 5 * 14);
    ck_assert_int_lt(in_first, 750 + 5 * 14);
    // 40 a day: the 1,000th comes after about 25 days.
    ck_assert_int_gt(times_ns[count - 1], 20 * NS_PER_DAY);
    ck_assert_int_lt(times_ns[count - 1], 30 * NS_PER_DAY);
}
END_TEST

/* Jobs of each hour of the week in runs of four whole weeks. */
static int64_t count_by_hour(const Workload *load, int32_t runs, int64_t counts[HOURS_A_WEEK])
{
    static int64_t times_ns[2000];
    int64_t jobs = 0;
    memset(counts, 0, HOURS_A_WEEK * sizeof *counts);
    for (int32_t r = 1; r <= runs; r++) {
        const World *world = run(load, 1, (uint64_t)r);
        const int32_t count = arrivals(world, 0, times_ns);
        jobs += count;
        for (int32_t i = 0; i < count; i++)
            counts[week_hour_at(world_unix_ms(world, times_ns[i]))]++;
    }
    return jobs;
}

/* The statistic of Pearson's test for groups of so many hours of the week, each with its part of
 * `jobs` by its factors. Hours of factor 0 have no jobs. */
static double chi_square(const int64_t *counts, const int64_t *factors, int32_t group, double jobs)
{
    double sum = 0, whole = 0;
    for (int32_t hour = 0; hour < HOURS_A_WEEK; hour++)
        whole += (double)factors[hour];
    for (int32_t from = 0; from < HOURS_A_WEEK; from += group) {
        double found = 0, expected = 0;
        for (int32_t hour = from; hour < from + group; hour++) {
            ck_assert(factors[hour] > 0 || counts[hour] == 0);
            found += (double)counts[hour];
            expected += (double)factors[hour] / whole * jobs;
        }
        sum += expected > 0 ? (found - expected) * (found - expected) / expected : 0;
    }
    return sum;
}

START_TEST(weekdays_and_hours_have_jobs_in_proportion_to_their_factors)
{
    // Of a Pearson statistic with 6 degrees of freedom 1 in 1,000 is above 22.5; with 143 (six days
    // of 24 hours) 1 in 1,000 is above 199. The day without jobs has none.
    static const int64_t weekday_ppm[DAYS_A_WEEK] = {1400000, 1200000, PPM, PPM, 900000, 0, 500000};
    int64_t hour_ppm[HOURS_A_DAY], counts[HOURS_A_WEEK];
    for (int32_t hour = 0; hour < HOURS_A_DAY; hour++)
        hour_ppm[hour] = hour < 8 ? 250000 : 2 * PPM - hour * 30000;
    Workload *weekly = workload("load", 48);
    weekly->arrivals = ARRIVALS_DIURNAL;
    weekly->factors = factors_of(hour_ppm, weekday_ppm);
    weekly->begin_ns = NS_PER_HOUR;
    weekly->end_ns = weekly->begin_ns + 28 * NS_PER_DAY;
    weekly->jobs_max = INT64_MAX;
    int64_t jobs = count_by_hour(weekly, 20, counts);
    ck_assert_double_lt(chi_square(counts, weekly->factors, HOURS_A_DAY, (double)jobs), 22.5);
    ck_assert_double_lt(chi_square(counts, weekly->factors, 1, (double)jobs), 199);
    // The rate is that of the factors, too: 48 a day times their mean, within 4 deviations.
    double mean = 0;
    for (int32_t hour = 0; hour < HOURS_A_WEEK; hour++)
        mean += (double)weekly->factors[hour] / (double)FACTOR_ONE / HOURS_A_WEEK;
    const double expected = 20 * 28 * 48 * mean;
    ck_assert_double_eq_tol((double)jobs, expected, 4 * sqrt(expected));
    // Exact counts: 1,200 in each run, at the same hours.
    weekly->rate = (ArrivalRate){0};
    weekly->count = 300;
    weekly->within_ns = 7 * NS_PER_DAY;
    jobs = count_by_hour(weekly, 20, counts);
    ck_assert_int_eq(jobs, 20 * 1200);
    ck_assert_double_lt(chi_square(counts, weekly->factors, HOURS_A_DAY, (double)jobs), 22.5);
    ck_assert_double_lt(chi_square(counts, weekly->factors, 1, (double)jobs), 199);
}
END_TEST

static Workload *mixed(int64_t large_ppm)
{
    Workload *both = workload("load", 2400);
    const JobSpec **specs = (const JobSpec **)both->specs;
    int64_t *probability_ppm = (int64_t *)both->probability_ppm;
    specs[1] = plain_job(arena, 4, plain_fixed_program(arena, 10 * NS_PER_S, 0));
    probability_ppm[0] = PPM - large_ppm;
    probability_ppm[1] = large_ppm;
    both->spec_count = 2;
    return both;
}

START_TEST(shapes_have_their_weights_and_do_not_change_the_arrivals)
{
    static int64_t few_ns[2000], many_ns[2000];
    int32_t large = 0;
    arrivals(run(mixed(PPM / 10), 1, 5), 0, few_ns);
    const World *world = run(mixed(PPM * 3 / 10), 1, 5);
    arrivals(world, 0, many_ns);
    ck_assert_mem_eq(few_ns, many_ns, 1000 * sizeof few_ns[0]);
    for (uint32_t j = 0; j < 1000; j++)
        large += world_job(world, (JobId){j})->spec->nodes == 4;
    // Binomial: 300 with a standard deviation of 14.5.
    ck_assert_int_gt(large, 300 - 5 * 15);
    ck_assert_int_lt(large, 300 + 5 * 15);
}
END_TEST

START_TEST(a_refused_job_is_recorded_and_later_ones_are_still_created)
{
    Workload *lost = workload("load", 2400);
    lost->cluster.name = "gone";
    lost->jobs_max = 3;
    const World *world = run(lost, 1, 1);
    ck_assert_uint_eq(world_job_count(world), 0);
    const TraceRecord *last = recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 2);
    ck_assert_ptr_nonnull(last);
    ck_assert_str_eq(last->name, "job.create load-3: The specified cluster gone is not found");
    ck_assert_int_eq(last->command_refused.ordinal, -1);
}
END_TEST

START_TEST(a_job_at_a_tiny_rate_is_never_created)
{
    // One in a thousand days a thousandth of the time: the gap is beyond 292 years.
    Workload *rare = workload("load", 1);
    rare->rate.micro = 1000;
    rare->arrivals = ARRIVALS_DIURNAL;
    rare->factors = factors_of((const int64_t[HOURS_A_DAY]){[3] = 1}, NULL);
    ck_assert_uint_eq(world_job_count(run(rare, 1, 1)), 0);
}
END_TEST

START_TEST(every_invariant_holds_under_every_policy_with_a_long_queue)
{
    Workload *both = mixed(PPM * 3 / 10);
    both->jobs_max = 60;
    both->rate.micro = INT64_C(30000) * PPM;
    for (PolicyKind policy = 0; policy < POLICY_COUNT; policy++) {
        Scenario *scenario = scenario_of(&list, 2);
        scenario->policy = policy;
        scenario->workloads = both;
        scenario->workload_count = 1;
        recording.count = 0;
        World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_check_always(world);
        world_run(world);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "succeeded"), 60);
    }
}
END_TEST

/* Jobs that wait at the end of an instant: queued ones less started and rejected ones. */
static int32_t most_waiting(void)
{
    int32_t waiting = 0, most = 0;
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (i > 0 && record->at_ns > recording.items[i - 1].at_ns && waiting > most)
            most = waiting;
        if (record->kind != TRACE_JOB_STATE)
            continue;
        waiting += strcmp(record->name, "queued") == 0;
        waiting -= strcmp(record->name, "running") == 0 || record->cause == CAUSE_FULL_QUEUE;
    }
    return most;
}

START_TEST(a_full_queue_rejects_jobs_that_cannot_start_under_every_policy)
{
    static const int32_t limits[] = {0, 3};
    Workload *both = mixed(PPM * 3 / 10);
    both->jobs_max = 60;
    both->rate.micro = INT64_C(30000) * PPM;
    for (int32_t run = 0; run < 2 * POLICY_COUNT; run++) {
        Scenario *scenario = scenario_of(&list, 2);
        scenario->service = idle_service(arena, 8);
        scenario->policy = (PolicyKind)(run / 2);
        scenario->workloads = both;
        scenario->workload_count = 1;
        scenario->has_queue_limit = true;
        scenario->queue_limit = limits[run % 2];
        recording.count = 0;
        World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_check_always(world);
        world_run(world);
        int32_t rejected = 0;
        for (int32_t i = 0; i < recording.count; i++)
            rejected += recording.items[i].kind == TRACE_JOB_STATE &&
                        recording.items[i].cause == CAUSE_FULL_QUEUE;
        ck_assert_int_gt(rejected, 0);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "succeeded"), 60 - rejected);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "failed"), rejected);
        ck_assert_int_eq(most_waiting(), scenario->queue_limit);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("workload");
    TCase *tests = tcase_create("workload");
    tcase_add_checked_fixture(tests, begin_with_cluster, end);
    tcase_add_test(tests, jobs_of_a_workload_are_numbered_and_run_like_others);
    tcase_add_test(tests, a_job_created_by_a_command_belongs_to_no_workload);
    tcase_add_test(tests, poisson_gaps_have_the_mean_and_spread_of_the_exponential);
    tcase_add_test(tests, each_period_has_exactly_the_count_of_arrivals);
    tcase_add_test(tests, an_exact_count_of_bursts_or_of_diurnal_arrivals);
    tcase_add_test(tests, another_workload_changes_nothing_in_the_first);
    tcase_add_test(tests, no_job_is_created_before_the_beginning_or_at_the_end);
    tcase_add_test(tests, the_jobs_of_a_burst_are_created_together_and_the_last_burst_is_cut);
    tcase_add_test(tests, diurnal_rates_follow_the_hour_of_the_day);
    tcase_add_test(tests, weekdays_and_hours_have_jobs_in_proportion_to_their_factors);
    tcase_add_test(tests, shapes_have_their_weights_and_do_not_change_the_arrivals);
    tcase_add_test(tests, a_refused_job_is_recorded_and_later_ones_are_still_created);
    tcase_add_test(tests, a_job_at_a_tiny_rate_is_never_created);
    tcase_add_test(tests, every_invariant_holds_under_every_policy_with_a_long_queue);
    tcase_add_test(tests, a_full_queue_rejects_jobs_that_cannot_start_under_every_policy);
    suite_add_tcase(suite, tests);
    return suite;
}
