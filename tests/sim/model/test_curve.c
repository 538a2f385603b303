#include "sim/model/curve.h"

#include "tests/support/suite.h"

static const MeasuredCurve bent = {3, (const CurvePoint[]){{10, 100}, {20, 300}, {40, 320}}};

START_TEST(between_two_points_the_line_is_straight)
{
    ck_assert_int_eq(curve_at(bent, 10), 100);
    ck_assert_int_eq(curve_at(bent, 15), 200);
    ck_assert_int_eq(curve_at(bent, 20), 300);
    ck_assert_int_eq(curve_at(bent, 30), 310);
    ck_assert_int_eq(curve_at(bent, 21), 301);
    ck_assert_int_eq(curve_at(bent, 13), 160);
}
END_TEST

START_TEST(beyond_both_ends_the_nearest_piece_continues)
{
    ck_assert_int_eq(curve_at(bent, 60), 340);
    ck_assert_int_eq(curve_at(bent, 6), 20);
    ck_assert_int_eq(curve_at(bent, 5), 0);
    ck_assert_int_eq(curve_at(bent, 0), 0); // 20 a unit: below 0 two units earlier
}
END_TEST

START_TEST(a_falling_curve_ends_at_0)
{
    const MeasuredCurve falling = {2, (const CurvePoint[]){{0, 100}, {10, 50}}};
    ck_assert_int_eq(curve_at(falling, 4), 80);
    ck_assert_int_eq(curve_at(falling, 15), 25);
    ck_assert_int_eq(curve_at(falling, 100), 0);
}
END_TEST

START_TEST(a_falling_curve_rises_before_its_first_point)
{
    const MeasuredCurve falling = {2, (const CurvePoint[]){{10, 100}, {20, 50}}};
    ck_assert_int_eq(curve_at(falling, 6), 120);
}
END_TEST

START_TEST(one_point_is_a_constant)
{
    const MeasuredCurve constant = {1, (const CurvePoint[]){{12, 7}}};
    ck_assert_int_eq(curve_at(constant, 0), 7);
    ck_assert_int_eq(curve_at(constant, 1000), 7);
    ck_assert_int_eq(curve_within(constant, 1000), 7);
}
END_TEST

START_TEST(within_its_points_a_curve_keeps_the_values_of_its_ends)
{
    ck_assert_int_eq(curve_within(bent, 5), 100);
    ck_assert_int_eq(curve_within(bent, 15), 200);
    ck_assert_int_eq(curve_within(bent, 60), 320);
}
END_TEST

START_TEST(a_value_that_is_too_large_becomes_the_largest)
{
    const MeasuredCurve steep = {2, (const CurvePoint[]){{0, 0}, {1, INT64_MAX / 2}}};
    ck_assert_int_eq(curve_at(steep, 1000), INT64_MAX);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("curve");
    TCase *tests = tcase_create("curve");
    tcase_add_test(tests, between_two_points_the_line_is_straight);
    tcase_add_test(tests, beyond_both_ends_the_nearest_piece_continues);
    tcase_add_test(tests, a_falling_curve_ends_at_0);
    tcase_add_test(tests, a_falling_curve_rises_before_its_first_point);
    tcase_add_test(tests, one_point_is_a_constant);
    tcase_add_test(tests, within_its_points_a_curve_keeps_the_values_of_its_ends);
    tcase_add_test(tests, a_value_that_is_too_large_becomes_the_largest);
    suite_add_tcase(suite, tests);
    return suite;
}
