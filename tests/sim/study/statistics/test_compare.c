#include "sim/study/statistics/compare.h"

#include <math.h>

#include "sim/study/statistics/sample.h"
#include "tests/support/suite.h"

START_TEST(paired_differences_on_paper)
{
    // Differences 1 1 2 2 4: mean 2, variance (1 + 1 + 0 + 0 + 4) / 4 = 1.5.
    const double left[] = {11, 13, 16, 18, 22}, right[] = {10, 12, 14, 16, 18};
    Paired paired = compare_paired(left, right, 5, .95);
    ck_assert_double_eq(paired.difference.mean, 2);
    ck_assert_double_eq_tol(paired.difference.half_width, 2.776445105 * sqrt(.3), 1e-8);
    // Var left = 18.5, Var right = 10, covariance 13.5.
    ck_assert_double_eq_tol(paired.correlation, 13.5 / sqrt(185), 1e-12);
    ck_assert_double_eq_tol(paired.variance_reduction, 28.5 / 1.5, 1e-12);
}
END_TEST

START_TEST(a_factor_that_does_nothing_has_a_constant_difference)
{
    const double values[] = {3, 1, 4, 1, 5};
    Paired same = compare_paired(values, values, 5, .95);
    ck_assert_double_eq(same.difference.mean, 0);
    ck_assert_double_eq(same.difference.half_width, 0);
    ck_assert_double_eq_tol(same.correlation, 1, 1e-15);
    ck_assert(isinf(same.variance_reduction));
    const double flat[] = {2, 2, 2, 2, 2};
    ck_assert(isnan(compare_paired(flat, flat, 5, .95).correlation));
    ck_assert(isinf(compare_paired(values, flat, 1, .95).difference.half_width));
}
END_TEST

START_TEST(welch_on_paper)
{
    // Variances 2.5 of 5 values and 40/3... of 4: 10 14 14 18, mean 14, variance 32/3.
    const double left[] = {1, 2, 3, 4, 5}, right[] = {10, 14, 14, 18};
    Welch welch = compare_welch(left, 5, right, 4, .95);
    double a = .5, b = 32.0 / 12;
    double freedom = (a + b) * (a + b) / (a * a / 4 + b * b / 3);
    ck_assert_double_eq(welch.difference.mean, -11);
    ck_assert_double_eq_tol(welch.freedom, freedom, 1e-12); // 4.117
    // t(0.975, 4.117), between t(4) = 2.7764 and t(5) = 2.5706.
    double t = welch.difference.half_width / sqrt(a + b);
    ck_assert_double_gt(t, 2.70);
    ck_assert_double_lt(t, 2.7764);
    const double one[] = {5};
    ck_assert(isinf(compare_welch(left, 5, one, 1, .95).difference.half_width));
    const double flat[] = {2, 2};
    ck_assert_double_eq(compare_welch(flat, 2, flat, 2, .95).difference.half_width, 0);
}
END_TEST

START_TEST(p_values_are_two_sided)
{
    ck_assert_double_eq_tol(compare_p_value(2.776445105198, 1, 4), .05, 1e-10);
    ck_assert_double_eq_tol(compare_p_value(-2.776445105198, 1, 4), .05, 1e-10);
    ck_assert_double_eq(compare_p_value(0, 0, 4), 1);
    ck_assert_double_eq(compare_p_value(1, 0, 4), 0);
}
END_TEST

START_TEST(holm_steps_down_until_one_remains)
{
    // Sorted: .005 <= .05/4, .01 <= .05/3 = .0167, .03 > .05/2 = .025: stop.
    const double p_values[] = {.01, .04, .03, .005};
    const bool wanted[] = {true, false, false, true};
    bool is_different[4];
    compare_holm(p_values, 4, .05, is_different);
    for (int32_t i = 0; i < 4; i++)
        ck_assert_int_eq(is_different[i], wanted[i]);
    const double all[] = {.01, .01, .01, .01};
    compare_holm(all, 4, .05, is_different);
    for (int32_t i = 0; i < 4; i++)
        ck_assert(is_different[i]);
    const double none[] = {.02, 1, 1, 0.02};
    compare_holm(none, 4, .05, is_different);
    for (int32_t i = 0; i < 4; i++)
        ck_assert(!is_different[i]);
    compare_holm(none, 0, .05, is_different);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tests = tcase_create("compare");
    tcase_add_test(tests, paired_differences_on_paper);
    tcase_add_test(tests, a_factor_that_does_nothing_has_a_constant_difference);
    tcase_add_test(tests, welch_on_paper);
    tcase_add_test(tests, p_values_are_two_sided);
    tcase_add_test(tests, holm_steps_down_until_one_remains);
    suite_add_tcase(suite, tests);
    return suite;
}
