#include "sim/study/statistics/estimate.h"

#include <math.h>

#include "tests/support/suite.h"

START_TEST(the_interval_of_a_mean_is_student_s)
{
    // t(0.975, 4) = 2.776445 (any table); the standard error of 1 2 3 4 5 is sqrt(0.5).
    const double values[] = {1, 2, 3, 4, 5};
    Estimate estimate = estimate_mean(values, 5, 0.95);
    ck_assert_double_eq(estimate.mean, 3);
    ck_assert_double_eq_tol(estimate.half_width, 2.776445105 * sqrt(0.5), 1e-8);
    ck_assert_double_eq(estimate_relative_half_width(&estimate), estimate.half_width / 3);
    ck_assert_int_eq(estimate.count, 5);
    Interval interval = estimate_interval(&estimate);
    ck_assert_double_eq(interval.low, 3 - estimate.half_width);
    ck_assert_double_eq(interval.high, 3 + estimate.half_width);
}
END_TEST

START_TEST(one_run_has_no_interval)
{
    const double value = 7;
    Estimate estimate = estimate_mean(&value, 1, 0.95);
    ck_assert_double_eq(estimate.mean, 7);
    ck_assert(isinf(estimate.half_width));
    ck_assert(isinf(estimate_relative_half_width(&estimate)));
}
END_TEST

START_TEST(a_mean_of_large_numbers_keeps_their_small_spread)
{
    const double values[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4, 1e9 + 5};
    ck_assert_double_eq_tol(estimate_mean(values, 5, 0.95).half_width, 2.776445105 * sqrt(0.5),
                            1e-8);
}
END_TEST

START_TEST(a_relative_half_width_of_zero_divided_by_zero_is_zero)
{
    const double zeros[] = {0, 0, 0}, signs[] = {-1, 1};
    Estimate estimate = estimate_mean(zeros, 3, 0.95);
    ck_assert_double_eq(estimate_relative_half_width(&estimate), 0);
    estimate = estimate_mean(signs, 2, 0.95);
    ck_assert(isinf(estimate_relative_half_width(&estimate)));
}
END_TEST

START_TEST(a_quantile_across_runs_is_bounded_by_runs)
{
    double values[100];
    for (int32_t i = 0; i < 100; i++)
        values[i] = i + 1;
    // The 5th and 95th of 100: at 97.5 % each, P(X <= 39) = 0.0176, P(X <= 59) = 0.9716,
    // P(X <= 60) = 0.9824 for X binomial(100, 1/2): ranks 40 and 61.
    Interval median = estimate_quantile(values, 100, 0.5, 0.95);
    ck_assert_double_eq(median.value, 50);
    ck_assert_double_eq(median.low, 40);
    ck_assert_double_eq(median.high, 61);
    // Too few for an upper bound of p95: 0.95^72 = 0.0249, so 72 would do and 71 will not.
    ck_assert_double_eq(estimate_quantile(values, 72, 0.95, 0.95).high, 72);
    ck_assert(isinf(estimate_quantile(values, 71, 0.95, 0.95).high));
}
END_TEST

START_TEST(wilson_s_interval_on_paper)
{
    // 8 of 10 (Brown, Cai, DasGupta, Statistical Science 16, 2001, formula 4) with z = 1.959964:
    // (0.8 + 0.192073) / 1.384146 = 0.716741, half 1.959964 / 1.384146 * sqrt(0.016 + 0.009604).
    Interval interval = estimate_wilson(8, 10, 0.95);
    ck_assert_double_eq_tol(interval.low, 0.490162, 1e-6);
    ck_assert_double_eq_tol(interval.high, 0.943318, 1e-6);
    ck_assert_double_eq(estimate_wilson(0, 10, 0.95).low, 0);
    ck_assert_double_eq_tol(estimate_wilson(0, 10, 0.95).high, 0.277533, 1e-6);
    ck_assert_double_eq(estimate_wilson(10, 10, 0.95).high, 1);
}
END_TEST

START_TEST(what_never_happened_is_bounded_as_on_paper)
{
    // 0 of 10: 1 - 0.025^(1/10) = 0.308497.
    ck_assert_double_eq_tol(estimate_unseen(10, 0.95), 0.308497, 1e-6);
}
END_TEST

START_TEST(ten_runs_bound_a_share_by_t_and_fewer_by_wilson)
{
    const double shares[] = {.90, .92, .94, .96, .98, .90, .92, .94, .96, .98};
    const int64_t jobs[] = {50, 50, 50, 50, 50, 50, 50, 50, 50, 50};
    Estimate t = estimate_mean(shares, 10, 0.95);
    Interval many = estimate_share(shares, jobs, 10, 0.95);
    ck_assert_double_eq(many.low, t.mean - t.half_width);
    Interval few = estimate_share(shares, jobs, 5, 0.95);
    ck_assert_double_eq_tol(few.value, .94, 1e-15);
    // Independent jobs would do better than runs that differ as these; the interval is wider.
    Interval jobs_alone = estimate_wilson(235, 250, 0.95);
    ck_assert_double_lt(few.low, jobs_alone.low);
    ck_assert_double_gt(few.high, jobs_alone.high);
    ck_assert_double_le(few.high, 1);
}
END_TEST

START_TEST(shares_that_are_all_one_still_have_an_interval)
{
    double shares[30];
    int64_t jobs[30];
    for (int32_t i = 0; i < 30; i++) {
        shares[i] = 1;
        jobs[i] = 60;
    }
    Interval interval = estimate_share(shares, jobs, 30, 0.95);
    ck_assert_double_eq(interval.value, 1);
    ck_assert_double_eq(interval.high, 1);
    // Of 30 runs, all did: Wilson's 30 of 30.
    ck_assert_double_eq_tol(interval.low, estimate_wilson(30, 30, 0.95).low, 1e-12);
    ck_assert_double_lt(estimate_share(shares, jobs, 1, 0.95).low, 0.3);
}
END_TEST

START_TEST(the_interval_of_skewed_values_reaches_further_to_the_long_tail)
{
    static const double values[] = {1, 2, 2, 3, 3, 3, 4, 5, 9, 20};
    const Interval interval =
        estimate_skewed_mean(values, 10, .95); // by P. Hall's formula in Python
    ck_assert_double_eq_tol(interval.value, 5.2, 1e-12);
    ck_assert_double_eq_tol(interval.low, 3.011367790678414, 1e-9);
    ck_assert_double_eq_tol(interval.high, 14.378702644135423, 1e-9);
    double mirrored[10];
    for (int32_t i = 0; i < 10; i++)
        mirrored[i] = -values[i];
    const Interval other = estimate_skewed_mean(mirrored, 10, .95);
    ck_assert_double_eq_tol(other.low, -interval.high, 1e-9);
    ck_assert_double_eq_tol(other.high, -interval.low, 1e-9);
}
END_TEST

START_TEST(values_without_skewness_and_few_values_have_the_interval_of_t)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30};
    static const int32_t counts[] = {10, 9};
    for (int i = 0; i < 2; i++) {
        const double *from = i == 0 ? values : values + 2; // 10 symmetrical ones; 9 skewed ones
        const Interval interval = estimate_skewed_mean(from, counts[i], .95);
        const Estimate plain = estimate_mean(from, counts[i], .95);
        ck_assert_double_eq_tol(interval.high - interval.value, plain.half_width, 1e-9);
        ck_assert_double_eq_tol(interval.value - interval.low, plain.half_width, 1e-9);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("estimate");
    TCase *tests = tcase_create("estimate");
    tcase_add_test(tests, the_interval_of_a_mean_is_student_s);
    tcase_add_test(tests, one_run_has_no_interval);
    tcase_add_test(tests, a_mean_of_large_numbers_keeps_their_small_spread);
    tcase_add_test(tests, a_relative_half_width_of_zero_divided_by_zero_is_zero);
    tcase_add_test(tests, a_quantile_across_runs_is_bounded_by_runs);
    tcase_add_test(tests, the_interval_of_skewed_values_reaches_further_to_the_long_tail);
    tcase_add_test(tests, values_without_skewness_and_few_values_have_the_interval_of_t);
    tcase_add_test(tests, wilson_s_interval_on_paper);
    tcase_add_test(tests, what_never_happened_is_bounded_as_on_paper);
    tcase_add_test(tests, ten_runs_bound_a_share_by_t_and_fewer_by_wilson);
    tcase_add_test(tests, shares_that_are_all_one_still_have_an_interval);
    suite_add_tcase(suite, tests);
    return suite;
}
