#include "sim/study/statistics/order_values.h"

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

START_TEST(known_ranks_are_kept_and_the_others_are_between_them)
{
    static const int64_t ranks[] = {1, 1, 5, 7, 8};
    static const double times[] = {2, 2, 10, 30, 31};
    const OrderedTimes run = {.jobs = 8, .count = 5, .ranks = ranks, .times = times};
    static const double expected[] = {2, 4, 6, 8, 10, 20, 30, 31};
    const RunValues all = order_values(arena, &run, 1);
    ck_assert_int_eq(all.count, 8);
    for (int32_t i = 0; i < 8; i++)
        ck_assert_double_eq(all.sorted[i], expected[i]);
}
END_TEST

START_TEST(fewer_values_have_equally_spaced_ranks)
{
    static const int64_t ranks[] = {1, 1000};
    static const double times[] = {1, 1000};
    const OrderedTimes run = {.jobs = 1000, .count = 2, .ranks = ranks, .times = times};
    const RunValues some = order_values(arena, &run, 10);
    ck_assert_int_eq(some.count, 100);
    for (int32_t i = 0; i < 100; i++)
        ck_assert_double_eq_tol(some.sorted[i], 10 * (i + 1), 1e-9);
    ck_assert_double_eq(pooled_quantile(&some, 1, .95), 950);
    const RunValues fewer = thinned_values(arena, some.sorted, some.count, 5);
    ck_assert_int_eq(fewer.count, 20);
    ck_assert_double_eq(fewer.sorted[0], 50);
    ck_assert_double_eq(fewer.sorted[19], 1000);
}
END_TEST

START_TEST(one_job_is_one_value)
{
    static const int64_t ranks[] = {1, 1, 1};
    static const double times[] = {3, 3, 3};
    const OrderedTimes run = {.jobs = 1, .count = 3, .ranks = ranks, .times = times};
    const RunValues one = order_values(arena, &run, 7);
    ck_assert_int_eq(one.count, 1);
    ck_assert_double_eq(one.sorted[0], 3);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("order_values");
    TCase *tests = tcase_create("order_values");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, known_ranks_are_kept_and_the_others_are_between_them);
    tcase_add_test(tests, fewer_values_have_equally_spaced_ranks);
    tcase_add_test(tests, one_job_is_one_value);
    suite_add_tcase(suite, tests);
    return suite;
}
