#include "trainer/comm/allreduce_bench.h"

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "tests/support/suite.h"

static Arena *arena;
static Comm *comm;
static AllreduceBench bench;
static Status status;

/* Opens a benchmark of a single process. */
static void open_for(int64_t count)
{
    arena = arena_create();
    ck_assert(comm_open("local", arena, &comm, &status));
    ck_assert(allreduce_bench_open(comm, &sum_place_memory, count, &bench, &status));
}

static void close_all(void)
{
    allreduce_bench_close(&bench);
    comm_close(comm);
    arena_destroy(arena);
}

START_TEST(bandwidths_are_those_of_nccl_tests)
{
    // 128 MiB over 8 GPUs in 492.5 us: 134217728 / 492500 ns = 272.52 GB/s; times 2 * 7 / 8.
    ck_assert_double_eq_tol(algorithm_bandwidth(134217728, 492.5), 272.523, 0.001);
    ck_assert_double_eq_tol(bus_bandwidth(134217728, 492.5, 8), 476.916, 0.001);
    // Two ranks send all their values; a single rank sends nothing.
    ck_assert_double_eq_tol(bus_bandwidth(5003432, 706, 2), 7.087, 0.001);
    ck_assert_double_eq(bus_bandwidth(5003432, 706, 1), 0);
    ck_assert_double_eq(algorithm_bandwidth(8, 0), 0); // below the clock's resolution
}
END_TEST

START_TEST(one_process_sums_without_error_in_both_ways)
{
    open_for(1000);
    bench.iterations = 3;
    bench.warmup = 1;
    bench.checks = true;
    for (int32_t is_in_place = 0; is_in_place < 2; is_in_place++) {
        SumTiming timing = {.wrong = -1};
        ck_assert(allreduce_bench_time(&bench, 1000, is_in_place, &timing, &status));
        ck_assert(timing.time_us >= 0);
        ck_assert_double_eq(timing.wrong, 0);
    }
    Spread spread_us;
    ck_assert(allreduce_bench_spread(&bench, 1000, &spread_us, &status));
    ck_assert(0 <= spread_us.min && spread_us.min <= spread_us.median &&
              spread_us.median <= spread_us.p90);
    close_all();
}
END_TEST

/* A place whose sums are only counted; each takes a millisecond. */
static int32_t copies, sums;

static bool counted_open(Comm *unused, const float *input, int64_t count, void **state,
                         Status *none)
{
    (void)unused, (void)input, (void)count, (void)none;
    *state = NULL;
    return true;
}

static void counted_close(void *state)
{
    (void)state;
}

static bool counted_copy(void *state, int64_t count, Status *none)
{
    (void)state, (void)count, (void)none;
    copies++;
    return true;
}

static bool counted_sum(void *state, int64_t count, Status *none)
{
    const int64_t until_ns = machine_clock_ns() + NS_PER_MS;
    (void)state, (void)count, (void)none;
    sums++;
    while (machine_clock_ns() < until_ns)
        continue;
    return true;
}

static bool counted_wait(void *state, Status *none)
{
    (void)state, (void)none;
    return true;
}

static const SumPlace counted = {.open = counted_open,
                                 .close = counted_close,
                                 .copy = counted_copy,
                                 .sum = counted_sum,
                                 .wait = counted_wait};

START_TEST(the_time_is_the_mean_of_all_sums_but_those_of_the_warm_up)
{
    SumTiming timing;
    arena = arena_create();
    ck_assert(comm_open("local", arena, &comm, &status));
    ck_assert(allreduce_bench_open(comm, &counted, 8, &bench, &status));
    bench.iterations = 5;
    bench.warmup = 2;
    for (int32_t is_in_place = 0; is_in_place < 2; is_in_place++) {
        const int64_t begin_ns = machine_clock_ns();
        copies = sums = 0;
        ck_assert(allreduce_bench_time(&bench, 8, is_in_place, &timing, &status));
        const double took_us = (double)(machine_clock_ns() - begin_ns) / NS_PER_US;
        ck_assert_int_eq(sums, 2 + 5);
        ck_assert_int_eq(copies, is_in_place ? 1 : 1 + 2 + 5);
        ck_assert_double_ge(timing.time_us, 1000);
        ck_assert_double_le(5 * timing.time_us, took_us);
    }
    close_all();
}
END_TEST

START_TEST(before_each_timed_sum_a_rank_works_on_other_memory)
{
    float between[100] = {0};
    open_for(1000);
    bench.iterations = 3;
    bench.warmup = 5;
    bench.between = between;
    bench.between_count = 99;
    SumTiming timing = {.time_us = -1};
    ck_assert(allreduce_bench_time(&bench, 1000, true, &timing, &status));
    ck_assert(timing.time_us >= 0);
    ck_assert_double_eq(between[0], 3);
    ck_assert_double_eq(between[98], 3);
    ck_assert_double_eq(between[99], 0);
    close_all();
}
END_TEST

START_TEST(a_wrong_value_is_counted)
{
    open_for(100);
    bench.iterations = 1;
    bench.checks = true;
    bench.input[17] += 1; // as if a sum had gone wrong
    bench.input[99] -= 1;
    SumTiming timing;
    ck_assert(allreduce_bench_time(&bench, 100, true, &timing, &status));
    ck_assert_double_eq(timing.wrong, 2);
    ck_assert(allreduce_bench_time(&bench, 99, false, &timing, &status));
    ck_assert_double_eq(timing.wrong, 1);
    close_all();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("allreduce bench");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, bandwidths_are_those_of_nccl_tests);
    tcase_add_test(tests, one_process_sums_without_error_in_both_ways);
    tcase_add_test(tests, the_time_is_the_mean_of_all_sums_but_those_of_the_warm_up);
    tcase_add_test(tests, before_each_timed_sum_a_rank_works_on_other_memory);
    tcase_add_test(tests, a_wrong_value_is_counted);
    suite_add_tcase(suite, tests);
    return suite;
}
