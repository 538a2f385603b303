#include "real/calibrate/fit.h"

#include <math.h>

#include "tests/support/suite.h"

#define NEAR 1e-9

START_TEST(a_burst_of_other_work_does_not_move_a_median)
{
    double values[] = {10, 12, 500, 11, 9};
    const Repeated repeated = repeated_of(values, 5);
    ck_assert_double_eq_tol(repeated.median, 11, NEAR);
    // Deviations 2, 1, 0, 1, 489: their median 1, times 1.4826, times sqrt(pi / 2 / 5).
    ck_assert_double_eq_tol(repeated.error, 1.4826 * sqrt(3.14159265358979 / 10), 1e-4);
}
END_TEST

START_TEST(a_single_value_has_no_spread)
{
    double value = 5;
    const Repeated repeated = repeated_of(&value, 1);
    ck_assert_double_eq(repeated.median, 5);
    ck_assert_double_eq(repeated.error, 0);
}
END_TEST

enum { ROWS = 12 };

/* y = 3 + 2 a + 0.5 b */
static void make_rows(double x[ROWS][3], double y[ROWS])
{
    for (int i = 0; i < ROWS; i++) {
        x[i][0] = 1;
        x[i][1] = i;
        x[i][2] = (i * 3) % 5;
        y[i] = 3 + 2 * x[i][1] + 0.5 * x[i][2];
    }
}

START_TEST(exact_rows_give_exact_coefficients)
{
    double x[ROWS][3], y[ROWS], c[3];
    make_rows(x, y);
    ck_assert(regression_fit(&(Regression){ROWS, 3, &x[0][0], y}, c));
    ck_assert_double_eq_tol(c[0], 3, NEAR);
    ck_assert_double_eq_tol(c[1], 2, NEAR);
    ck_assert_double_eq_tol(c[2], 0.5, NEAR);
}
END_TEST

START_TEST(outliers_do_not_count)
{
    double x[ROWS][3], y[ROWS], c[3];
    make_rows(x, y);
    for (int i = 0; i < ROWS; i++)
        y[i] *= 1 + 0.001 * (i % 3 - 1);
    y[4] *= 5;
    y[9] *= 3;
    ck_assert(regression_fit(&(Regression){ROWS, 3, &x[0][0], y}, c));
    ck_assert_double_eq_tol(c[0], 3, 0.05);
    ck_assert_double_eq_tol(c[1], 2, 0.02);
    ck_assert_double_eq_tol(c[2], 0.5, 0.02);
}
END_TEST

START_TEST(no_coefficient_is_negative)
{
    double x[ROWS][2], y[ROWS], c[2];
    for (int i = 0; i < ROWS; i++) {
        x[i][0] = 1;
        x[i][1] = 10 + i;
        y[i] = 4 * x[i][1] - 3;
    }
    ck_assert(regression_fit(&(Regression){ROWS, 2, &x[0][0], y}, c));
    ck_assert_double_eq(c[0], 0);
    ck_assert_double_eq_tol(c[1], 3.8, 0.1);
}
END_TEST

START_TEST(a_column_of_zeros_is_left_out)
{
    double x[ROWS][3], y[ROWS], c[3];
    make_rows(x, y);
    for (int i = 0; i < ROWS; i++) {
        x[i][2] = 0;
        y[i] = 3 + 2 * x[i][1];
    }
    ck_assert(regression_fit(&(Regression){ROWS, 3, &x[0][0], y}, c));
    ck_assert_double_eq_tol(c[1], 2, NEAR);
    ck_assert_double_eq(c[2], 0);
}
END_TEST

START_TEST(too_few_rows_are_refused)
{
    double x[ROWS][3], y[ROWS], c[3];
    make_rows(x, y);
    ck_assert(!regression_fit(&(Regression){2, 3, &x[0][0], y}, c));
    ck_assert(regression_fit(&(Regression){3, 3, &x[0][0], y}, c)); // just enough
    ck_assert_double_eq_tol(c[1], 2, 1e-6);
}
END_TEST

START_TEST(zeros_are_fitted_by_zeros)
{
    double x[ROWS][3], y[ROWS], c[3] = {7, 7, 7};
    make_rows(x, y);
    for (int i = 0; i < ROWS; i++)
        y[i] = 0;
    ck_assert(regression_fit(&(Regression){ROWS, 3, &x[0][0], y}, c));
    for (int j = 0; j < 3; j++)
        ck_assert_double_eq_tol(c[j], 0, NEAR);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fit");
    TCase *tests = tcase_create("fit");
    tcase_add_test(tests, a_burst_of_other_work_does_not_move_a_median);
    tcase_add_test(tests, a_single_value_has_no_spread);
    tcase_add_test(tests, exact_rows_give_exact_coefficients);
    tcase_add_test(tests, outliers_do_not_count);
    tcase_add_test(tests, no_coefficient_is_negative);
    tcase_add_test(tests, a_column_of_zeros_is_left_out);
    tcase_add_test(tests, too_few_rows_are_refused);
    tcase_add_test(tests, zeros_are_fitted_by_zeros);
    suite_add_tcase(suite, tests);
    return suite;
}
