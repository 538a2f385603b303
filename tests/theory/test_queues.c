/* Jobs as customers and nodes as servers: mean waiting times of queues with known formulas.
 *
 * Erlang, "Solution of some problems in the theory of probabilities of significance in automatic
 * telephone exchanges", 1917; Pollaczek 1930, Khinchine 1932; Welch, "On a generalized M/G/1
 * queuing process in which the first customer of each busy period receives exceptional service",
 * Operations Research 12(5), 1964. */
#include <math.h>

#include "sim/base/units.h"
#include "tests/support/erlang.h"
#include "tests/support/queues.h"
#include "tests/support/suite.h"

enum { REPLICATIONS = 20 };
static const int64_t unit_ns = QUEUE_UNIT_NS;

/* In units of the mean service time. */
static double mean_wait(const Queue *queue, uint64_t seed)
{
    const int32_t count = queue->jobs - queue->warm_up;
    Arena *arena = arena_create();
    QueueJob *jobs = ARENA_ARRAY(arena, QueueJob, count);
    double mean = 0;
    queue_run(queue, seed, jobs);
    for (int32_t i = 0; i < count; i++)
        mean += jobs[i].wait / count;
    arena_destroy(arena);
    return mean;
}

static void check_queue(const char *what, const Queue *full, double theory, double error_most)
{
    double waits[REPLICATIONS];
    Queue queue = *full;
    queue.jobs = queue.warm_up + theory_size(full->jobs);
    for (uint64_t r = 0; r < REPLICATIONS; r++)
        waits[r] = mean_wait(&queue, theory_seed(1000 + r));
    check_mean(what, waits, REPLICATIONS, theory, error_most);
}

/* --- Erlang C --- */

static double erlang_wait(int32_t servers, double load)
{
    return erlang_c(servers, servers * load) / (servers * (1 - load));
}

/* Worked out in exact rational arithmetic. */
static const struct {
    int32_t servers;
    double load, chance, wait;
} erlang_table[] = {
    {1, .80, .800000000000, 4.000000000000},  {2, .80, .711111111111, 1.777777777778},
    {10, .90, .668731524108, 0.668731524108}, {32, .95, .695710114167, 0.434818821354},
    {64, .90, .310663316533, 0.048541143208}, {256, .95, .312925553084, 0.024447308835},
};

START_TEST(the_formula_agrees_with_the_table)
{
    for (size_t i = 0; i < sizeof erlang_table / sizeof erlang_table[0]; i++) {
        ck_assert_double_eq_tol(
            erlang_c(erlang_table[i].servers, erlang_table[i].servers * erlang_table[i].load),
            erlang_table[i].chance, 1e-12);
        ck_assert_double_eq_tol(erlang_wait(erlang_table[i].servers, erlang_table[i].load),
                                erlang_table[i].wait, 1e-12);
    }
}
END_TEST

START_TEST(jobs_of_exponential_length_wait_the_time_of_erlang_s_formula)
{
    static const struct {
        const char *what;
        int32_t servers;
        double load;
        int32_t jobs;
        double error_most;
    } rows[] = {
        {"M/M/1 at 50 %: mean wait", 1, .5, 10000, .02},
        {"M/M/1 at 80 %: mean wait", 1, .8, 20000, .03},
        {"M/M/2 at 80 %: mean wait", 2, .8, 20000, .03},
        {"M/M/5 at 70 %: mean wait", 5, .7, 20000, .03},
        {"M/M/10 at 90 %: mean wait", 10, .9, 60000, .04},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Queue queue = {.servers = rows[i].servers,
                             .rate = rows[i].load * rows[i].servers,
                             .service = exponential_of(unit_ns),
                             .jobs = rows[i].jobs,
                             .warm_up = 1000};
        check_queue(rows[i].what, &queue, erlang_wait(rows[i].servers, rows[i].load),
                    rows[i].error_most);
    }
}
END_TEST

/* --- Pollaczek-Khinchine: E[W] / E[S] = load * (1 + c2) / (2 (1 - load)), c2 being the squared
 * coefficient of variation of the service time --- */

static double pollaczek_wait(double load, double c2)
{
    return load * (1 + c2) / (2 * (1 - load));
}

START_TEST(jobs_of_one_length_wait_half_as_long)
{
    static const double loads[] = {.5, .8};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        Arena *arena = arena_create();
        const Queue queue = {.servers = 1,
                             .rate = loads[i],
                             .service = constant_of(arena, unit_ns),
                             .jobs = 15000,
                             .warm_up = 1000};
        check_queue(i == 0 ? "M/D/1 at 50 %: mean wait" : "M/D/1 at 80 %: mean wait", &queue,
                    pollaczek_wait(loads[i], 0), .03);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(the_variance_of_job_lengths_sets_the_waiting_time)
{
    // Lognormal: mean = median * exp(sigma^2 / 2), c2 = exp(sigma^2) - 1; with sigma = 1 a median
    // of 606.530659713 s has the mean 1000 s and c2 = e - 1 = 1.718281828.
    const Queue lognormal = {.servers = 1,
                             .rate = .6,
                             .service = {.kind = DISTRIBUTION_LOGNORMAL,
                                         .scale = INT64_C(606530659713),
                                         .shape_ppm = PPM},
                             .jobs = 20000,
                             .warm_up = 1000};
    check_queue("M/G/1 lognormal at 60 %: mean wait", &lognormal,
                pollaczek_wait(.6, 1.718281828459), .03);
    // Linear between quantiles: 9 of 10 jobs are uniform over 0 to 1000 s, 1 of 10 over 1000 to
    // 10000 s. E[S] = 0.9 * 500 + 0.1 * 5500 = 1000; E[S^2] = 0.9 * 1000^2 / 3 + 0.1 * (10000^3 -
    // 1000^3) / (3 * 9000) = 300,000 + 3,700,000 = 4 * 1000^2, so c2 = 3.
    static const QuantileKnot knots[] = {
        {0, 0}, {900000, INT64_C(1000000000000)}, {1000000, INT64_C(10000000000000)}};
    const Queue empirical = {.servers = 1,
                             .rate = .6,
                             .service = {.quantiles = {.count = 3, .knots = knots}},
                             .jobs = 20000,
                             .warm_up = 1000};
    check_queue("M/G/1 empirical at 60 %: mean wait", &empirical, pollaczek_wait(.6, 3), .03);
}
END_TEST

/* --- A server that has to be taken back from another queue, which takes the time D when a job
 * finds no other: E[W] = E[W without that] + (2 E[D] + rate E[D^2]) / (2 (1 + rate E[D])) --- */

static double setup_wait(double load, double setup)
{
    return (2 * setup + load * setup * setup) / (2 * (1 + load * setup));
}

START_TEST(a_grace_period_is_waited_for_by_the_first_job_and_by_those_that_come_meanwhile)
{
    static const struct {
        const char *what;
        double load, setup;
    } rows[] = {{"M/M/1 at 50 %, grace of 1: mean wait", .5, 1},
                {"M/M/1 at 70 %, grace of 0.1: mean wait", .7, .1},
                {"M/M/1 at 70 %, grace of 5: mean wait", .7, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        const Queue queue = {.servers = 1,
                             .rate = rows[i].load,
                             .service = exponential_of(unit_ns),
                             .setup = rows[i].setup,
                             .jobs = 20000,
                             .warm_up = 1000};
        check_queue(rows[i].what, &queue,
                    pollaczek_wait(rows[i].load, 1) + setup_wait(rows[i].load, rows[i].setup), .03);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queues");
    TCase *tests = tcase_create("queues");
    tcase_add_test(tests, the_formula_agrees_with_the_table);
    tcase_add_test(tests, jobs_of_exponential_length_wait_the_time_of_erlang_s_formula);
    tcase_add_test(tests, jobs_of_one_length_wait_half_as_long);
    tcase_add_test(tests, the_variance_of_job_lengths_sets_the_waiting_time);
    tcase_add_test(tests,
                   a_grace_period_is_waited_for_by_the_first_job_and_by_those_that_come_meanwhile);
    suite_add_tcase(suite, tests);
    return suite;
}
