/* The rows of closed_forms.csv about queues: means, probabilities and quantiles of the waiting
 * time, of M/M/c, M/D/c, M/G/1, gangs and shortest job first; and the mean time in the system under
 * shortest remaining time first.
 *
 * A quantile is tested as a share: of all jobs, 95 % wait at most the p95. Shares of runs are
 * unbiased; quantiles of runs are not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/study/statistics/pooled.h"
#include "sim/study/statistics/sample.h"
#include "tests/support/closed_forms.h"
#include "tests/support/queues.h"
#include "tests/support/suite.h"

enum { REPLICATIONS = 20 };

typedef struct {
    int32_t count; /* of each run */
    double *waits; /* [run * count + i] */
} Study;

/* The times that `measure` measures in each run. */
static Study study_times(Arena *arena, const Queue *full,
                         void (*measure)(const Queue *queue, uint64_t seed, double *times))
{
    Queue queue = *full;
    queue.jobs = queue.warm_up + theory_size(full->jobs - full->warm_up);
    Study study = {.count = queue.jobs - queue.warm_up};
    study.waits = ARENA_ARRAY(arena, double, (int64_t)REPLICATIONS *study.count);
    // Each queue has its own seeds: with common ones all rows would err to the same side.
    const uint64_t base = 7000 + (uint64_t)(full->rate * 1000) * 100 + (uint64_t)full->policy * 50;
    for (int32_t r = 0; r < REPLICATIONS; r++)
        measure(&queue, theory_seed(base + (uint64_t)r), study.waits + (int64_t)r * study.count);
    return study;
}

static Study study_queue(Arena *arena, const Queue *full)
{
    return study_times(arena, full, queue_waits);
}

static const double *waits_of(const Study *study, int32_t run)
{
    return study->waits + (int64_t)run * study->count;
}

static void check_mean_wait(const char *what, const Study *study, double theory, double error_most)
{
    double means[REPLICATIONS];
    for (int32_t r = 0; r < REPLICATIONS; r++)
        means[r] = statistics_mean(waits_of(study, r), study->count);
    check_mean(what, means, REPLICATIONS, theory, error_most);
}

/* The share of jobs that wait at most `limit`. */
static void check_share(const char *what, const Study *study, double limit, double theory,
                        double error_most)
{
    double shares[REPLICATIONS];
    for (int32_t r = 0; r < REPLICATIONS; r++) {
        int32_t within = 0;
        for (int32_t i = 0; i < study->count; i++)
            within += waits_of(study, r)[i] <= limit;
        shares[r] = (double)within / study->count;
    }
    check_mean(what, shares, REPLICATIONS, theory, error_most);
}

/* The quantile of all jobs is within its bounds, and these are narrow. */
static void check_pooled(const char *what, const Study *study, double quantile, double theory,
                         double width_most)
{
    Arena *arena = arena_create();
    RunValues runs[REPLICATIONS];
    for (int32_t r = 0; r < REPLICATIONS; r++) {
        double *sorted = study->waits + (int64_t)r * study->count;
        statistics_sort(sorted, study->count);
        runs[r] = (RunValues){sorted, study->count};
    }
    Interval interval = pooled_quantile_bounds(runs, REPLICATIONS, quantile, .997, arena);
    printf("  %-44s theory %-10.6g simulated %-10.6g (%.6g to %.6g)\n", what, theory,
           interval.value, interval.low, interval.high);
    ck_assert_msg(interval.low <= theory && theory <= interval.high, "%s: %g to %g, theory says %g",
                  what, interval.low, interval.high, theory);
    ck_assert_double_le((interval.high - interval.low) / 2 / theory,
                        width_most / sqrt(theory_effort()));
    arena_destroy(arena);
}

/* --- Jobs of one node --- */

START_TEST(waits_of_exponential_jobs_have_erlang_s_distribution)
{
    static const struct {
        const char *point;
        int32_t servers;
        double load;
        int32_t jobs;
        double error_most;
    } rows[] = {
        {"c=1 rho=0.5", 1, .5, 11000, .03},   {"c=1 rho=0.8", 1, .8, 30000, .04},
        {"c=4 rho=0.7", 4, .7, 22000, .03},   {"c=16 rho=0.9", 16, .9, 44000, .06},
        {"c=64 rho=0.9", 64, .9, 44000, .08},
    };
    static const struct {
        const char *metric;
        double share;
    } quantiles[] = {{"Wq p50", .5}, {"Wq p90", .9}, {"Wq p95", .95}, {"Wq p99", .99}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        const Queue queue =
            queue_of(rows[i].servers, rows[i].load, exponential_of(QUEUE_UNIT_NS), rows[i].jobs);
        Study study = study_queue(arena, &queue);
        printf("M/M/c, %s\n", rows[i].point);
        check_mean_wait("mean wait", &study, closed_form("M/M/c", rows[i].point, "E[Wq]"),
                        rows[i].error_most);
        // Times are rounded up to nanoseconds, so a job that waits at all waits at least one.
        check_share("P(no wait)", &study, 0, 1 - closed_form("M/M/c", rows[i].point, "P(wait)"),
                    .03);
        for (size_t q = 0; q < sizeof quantiles / sizeof quantiles[0]; q++) {
            double limit = closed_form("M/M/c", rows[i].point, quantiles[q].metric);
            if (limit > 0) // otherwise more than the share waits nothing
                check_share(quantiles[q].metric, &study, limit, quantiles[q].share, .02);
        }
        check_pooled("p95 of all jobs", &study, .95, closed_form("M/M/c", rows[i].point, "Wq p95"),
                     .2);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(fewest_servers_for_a_target_are_erlang_s)
{
    // Offered load, target and servers; one less fails the target of 95 %.
    static const struct {
        const char *enough, *too_few, *target;
        double offered, limit;
        int32_t servers;
    } rows[] = {
        {"offered=3.2 x=0.1 c=7", "offered=3.2 x=0.1 c=6", "offered=3.2 P(Wq<=0.1)>=0.95", 3.2, .1,
         7},
        {"offered=3.2 x=1.0 c=5", "offered=3.2 x=1.0 c=4", "offered=3.2 P(Wq<=1.0)>=0.95", 3.2, 1,
         5},
        {"offered=12.0 x=0.1 c=18", "offered=12.0 x=0.1 c=17", "offered=12.0 P(Wq<=0.1)>=0.95", 12,
         .1, 18},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int32_t less = 0; less < 2; less++) {
            Arena *arena = arena_create();
            int32_t servers = rows[i].servers - less;
            ck_assert_double_eq(closed_form("M/M/c sizing", rows[i].target, "fewest servers"),
                                rows[i].servers);
            double theory =
                closed_form("M/M/c sizing", less ? rows[i].too_few : rows[i].enough, "P(Wq<=x)");
            ck_assert((theory >= .95) == (less == 0));
            const Queue queue = queue_of(servers, rows[i].offered / servers,
                                         exponential_of(QUEUE_UNIT_NS), less ? 16500 : 11000);
            Study study = study_queue(arena, &queue);
            check_share(less ? rows[i].too_few : rows[i].enough, &study, rows[i].limit, theory,
                        .01);
            arena_destroy(arena);
        }
}
END_TEST

START_TEST(jobs_of_one_length_wait_crommelin_s_time)
{
    static const struct {
        const char *point;
        int32_t servers;
        double load;
        int32_t jobs;
        double error_most;
    } rows[] = {
        {"c=2 rho=0.8", 2, .8, 16500, .03},
        {"c=4 rho=0.9", 4, .9, 33000, .05},
        {"c=16 rho=0.9", 16, .9, 33000, .05},
        {"c=64 rho=0.9", 64, .9, 44000, .06},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        const Queue queue = queue_of(rows[i].servers, rows[i].load,
                                     constant_of(arena, QUEUE_UNIT_NS), rows[i].jobs);
        Study study = study_queue(arena, &queue);
        printf("M/D/c, %s\n", rows[i].point);
        check_mean_wait("mean wait", &study, closed_form("M/D/c", rows[i].point, "E[Wq]"),
                        rows[i].error_most);
        arena_destroy(arena);
    }
    Arena *arena = arena_create();
    const Queue queue = queue_of(1, .8, constant_of(arena, QUEUE_UNIT_NS), 16500);
    Study study = study_queue(arena, &queue);
    check_share("M/D/1 at 80 %: P(no wait)", &study, 0, closed_form("M/D/1", "rho=0.8", "P(Wq=0)"),
                .03);
    check_share("M/D/1 at 80 %: p95", &study, closed_form("M/D/1", "rho=0.8", "Wq p95"), .95, .01);
    arena_destroy(arena);
}
END_TEST

/* --- Any length, one node --- */

START_TEST(waits_of_jobs_of_any_length_have_takacs_moments)
{
    static const QuantileKnot even[] = {{0, 0}, {1000000, 2 * 1000 * NS_PER_S}};
    // Scales for the mean 1000 s: lognormal median = mean exp(-sigma^2 / 2), exp(-0.32) =
    // 0.726149037; Weibull scale = mean / gamma(1 + 1 / 0.7), gamma(2.428571429) = 1.265823506.
    static const struct {
        const char *half, *most;
        Distribution service;
        double error_most;
    } rows[] = {
        {"lognormal sigma=0.8 rho=0.5",
         "lognormal sigma=0.8 rho=0.8",
         {.kind = DISTRIBUTION_LOGNORMAL, .scale = INT64_C(726149037074), .shape_ppm = 800000},
         .04},
        {"Weibull shape=0.7 rho=0.5",
         "Weibull shape=0.7 rho=0.8",
         {.kind = DISTRIBUTION_WEIBULL, .scale = INT64_C(789999707000), .shape_ppm = 700000},
         .05},
        {"U(0,2)  rho=0.5", "U(0,2)  rho=0.8", {.quantiles = {.count = 2, .knots = even}}, .03},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        const bool is_half = i % 2 == 0;
        const char *point = is_half ? rows[i / 2].half : rows[i / 2].most;
        const Queue queue =
            queue_of(1, is_half ? .5 : .8, rows[i / 2].service, is_half ? 16500 : 33000);
        Study study = study_queue(arena, &queue);
        double squares[REPLICATIONS];
        double mean = closed_form("M/G/1", point, "E[Wq]");
        double deviation = closed_form("M/G/1", point, "SD[Wq]");
        printf("M/G/1, %s\n", point);
        check_mean_wait("mean wait", &study, mean, rows[i / 2].error_most);
        for (int32_t r = 0; r < REPLICATIONS; r++) {
            squares[r] = 0;
            for (int32_t j = 0; j < study.count; j++)
                squares[r] += waits_of(&study, r)[j] * waits_of(&study, r)[j] / study.count;
        }
        check_mean("second moment", squares, REPLICATIONS, deviation * deviation + mean * mean,
                   .15);
        arena_destroy(arena);
    }
}
END_TEST

/* --- Gangs --- */

START_TEST(gangs_wait_behind_the_head_of_the_queue)
{
    static const struct {
        const char *point;
        Queue queue;
        double error_most;
    } rows[] = {
        {"c=2 sizes=(1, 2) probs=(0.5, 0.5) lambda=0.8 offered=0.6000",
         {.servers = 2, .rate = .8, .sizes = {1, 2}, .chances = {.5, .5}, .jobs = 22000},
         .04},
        {"c=4 sizes=(1, 4) probs=(0.75, 0.25) lambda=1.2 offered=0.5250",
         {.servers = 4, .rate = 1.2, .sizes = {1, 4}, .chances = {.75, .25}, .jobs = 33000},
         .05},
        {"c=4 sizes=(1, 2, 4) probs=(0.5, 0.25, 0.25) lambda=1.0 offered=0.5000",
         {.servers = 4, .rate = 1, .sizes = {1, 2, 4}, .chances = {.5, .25, .25}, .jobs = 22000},
         .04},
        {"c=8 sizes=(1, 2, 8) probs=(0.7, 0.2, 0.1) lambda=2.2 offered=0.5225",
         {.servers = 8, .rate = 2.2, .sizes = {1, 2, 8}, .chances = {.7, .2, .1}, .jobs = 66000},
         .07},
        {"c=8 sizes=(1, 4) probs=(0.8, 0.2) lambda=3.0 offered=0.6000",
         {.servers = 8, .rate = 3, .sizes = {1, 4}, .chances = {.8, .2}, .jobs = 22000},
         .04},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Queue queue = rows[i].queue;
        queue.service = exponential_of(QUEUE_UNIT_NS);
        queue.warm_up = queue.jobs / 10;
        Study study = study_queue(arena, &queue);
        check_mean_wait(rows[i].point, &study,
                        closed_form("gang queue FCFS (CTMC)", rows[i].point, "E[Wq]"),
                        rows[i].error_most);
        arena_destroy(arena);
    }
}
END_TEST

/* --- Shortest job first --- */

START_TEST(the_shortest_job_first_halves_the_mean_wait)
{
    static const struct {
        const char *point;
        double load;
        int32_t jobs;
        double error_most;
    } rows[] = {{"rho=0.8", .8, 22000, .05}, {"rho=0.9", .9, 33000, .08}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Queue queue = queue_of(1, rows[i].load, exponential_of(QUEUE_UNIT_NS), rows[i].jobs);
        queue.policy = POLICY_SHORTEST;
        Study study = study_queue(arena, &queue);
        check_mean_wait("M/M/1, shortest job first", &study,
                        closed_form("M/M/1 SJF (no preemption)", rows[i].point, "E[Wq]"),
                        rows[i].error_most);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(the_shortest_remaining_time_first_has_schrage_and_miller_s_mean)
{
    static const struct {
        const char *point;
        double load;
        int32_t jobs;
        double error_most;
    } rows[] = {{"rho=0.8", .8, 22000, .05}, {"rho=0.9", .9, 33000, .08}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Queue queue = queue_of(1, rows[i].load, exponential_of(QUEUE_UNIT_NS), rows[i].jobs);
        queue.policy = POLICY_SRTF;
        Study study = study_times(arena, &queue, queue_stays);
        check_mean_wait("M/M/1, shortest remaining time first", &study,
                        closed_form("M/M/1 SRPT", rows[i].point, "E[T]"), rows[i].error_most);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("capacity");
    TCase *tests = tcase_create("capacity");
    tcase_add_test(tests, waits_of_exponential_jobs_have_erlang_s_distribution);
    tcase_add_test(tests, fewest_servers_for_a_target_are_erlang_s);
    tcase_add_test(tests, jobs_of_one_length_wait_crommelin_s_time);
    tcase_add_test(tests, waits_of_jobs_of_any_length_have_takacs_moments);
    tcase_add_test(tests, gangs_wait_behind_the_head_of_the_queue);
    tcase_add_test(tests, the_shortest_job_first_halves_the_mean_wait);
    tcase_add_test(tests, the_shortest_remaining_time_first_has_schrage_and_miller_s_mean);
    suite_add_tcase(suite, tests);
    return suite;
}
