#include "sim/study/statistics/pooled.h"

#include <math.h>
#include <string.h>

#include "sim/study/statistics/sample.h"
#include "tests/support/suite.h"

static const double first[] = {1, 4, 4, 9}, second[] = {2, 3, 4, 5, 6, 20}, third[] = {7};
static const RunValues runs[] = {{first, 4}, {second, 6}, {third, 1}, {NULL, 0}};

START_TEST(the_pooled_quantile_is_that_of_all_values)
{
    // All 11: 1 2 3 4 4 4 5 6 7 9 20.
    ck_assert_double_eq(pooled_quantile(runs, 4, .5), 4);
    ck_assert_double_eq(pooled_quantile(runs, 4, .01), 1);
    ck_assert_double_eq(pooled_quantile(runs, 4, .7), 6); // 7.7: the 8th
    ck_assert_double_eq(pooled_quantile(runs, 4, .95), 20);
}
END_TEST

START_TEST(the_pooled_quantile_agrees_with_sorting)
{
    uint64_t word = 1;
    for (int32_t round = 0; round < 200; round++) {
        double all[60], parts[6][10];
        RunValues of[6];
        for (int32_t r = 0; r < 6; r++) {
            for (int32_t i = 0; i < 10; i++) {
                word = word * UINT64_C(6364136223846793005) + 1442695040888963407;
                parts[r][i] = all[r * 10 + i] = (double)(word >> 58); // many are equal
            }
            statistics_sort(parts[r], 10);
            of[r] = (RunValues){parts[r], 10};
        }
        statistics_sort(all, 60);
        for (double q = .05; q < 1; q += .05)
            ck_assert_double_eq(pooled_quantile(of, 6, q), statistics_quantile(all, 60, q));
    }
}
END_TEST

START_TEST(runs_of_equal_values_have_a_bound_that_is_a_value)
{
    Arena *arena = arena_create();
    double values[20][50];
    RunValues of[20];
    for (int32_t r = 0; r < 20; r++) {
        for (int32_t i = 0; i < 50; i++)
            values[r][i] = i + 1;
        of[r] = (RunValues){values[r], 50};
    }
    Interval interval = pooled_quantile_bounds(of, 20, .9, .95, arena);
    // All runs agree: no uncertainty.
    ck_assert_double_eq(interval.value, 45);
    ck_assert_double_eq(interval.low, 45);
    ck_assert_double_eq(interval.high, 45);
    arena_destroy(arena);
}
END_TEST

START_TEST(one_run_has_no_bounds)
{
    Arena *arena = arena_create();
    Interval interval = pooled_quantile_bounds(runs, 1, .5, .95, arena);
    ck_assert_double_eq(interval.value, 4);
    ck_assert(isinf(interval.low) && isinf(interval.high));
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("pooled");
    TCase *tests = tcase_create("pooled");
    tcase_add_test(tests, the_pooled_quantile_is_that_of_all_values);
    tcase_add_test(tests, the_pooled_quantile_agrees_with_sorting);
    tcase_add_test(tests, runs_of_equal_values_have_a_bound_that_is_a_value);
    tcase_add_test(tests, one_run_has_no_bounds);
    suite_add_tcase(suite, tests);
    return suite;
}
