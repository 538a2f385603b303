#include "reports/study/range.h"

#include <math.h>
#include <string.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"

static Range range_of(double low, double high, bool is_log)
{
    Range range = range_empty;
    range.is_log = is_log;
    range_add(&range, high);
    range_add(&range, (double)NAN);
    range_add(&range, (double)INFINITY);
    range_add(&range, low);
    return range;
}

START_TEST(values_begin_at_0_if_the_smallest_is_far_below_the_largest)
{
    ck_assert_double_eq(range_for_values(range_of(0, 10, false)).low, 0);
    ck_assert_double_eq(range_for_values(range_of(0.4, 10, false)).low, 0);
    ck_assert_double_eq_tol(range_for_values(range_of(6, 10, false)).low, 6 - 0.06 * 4, 1e-12);
    ck_assert_double_eq_tol(range_for_values(range_of(-2, 8, false)).low, -2.6, 1e-12);
    ck_assert_double_eq_tol(range_for_values(range_of(-2, 8, false)).high, 8.6, 1e-12);
}
END_TEST

START_TEST(equal_values_have_room)
{
    ck_assert_double_eq_tol(range_for_values(range_of(20, 20, false)).low, 18, 1e-12);
    ck_assert_double_eq_tol(range_for_values(range_of(20, 20, false)).high, 22, 1e-12);
    ck_assert_double_eq(range_for_places(range_of(0, 0, false)).low, -1);
    const Range one = range_for_places(range_of(20, 20, true));
    ck_assert(!one.is_log);
    ck_assert_double_eq_tol(one.high, 22, 1e-12);
}
END_TEST

START_TEST(a_logarithmic_range_has_the_same_room_at_both_ends)
{
    const Range range = range_for_places(range_of(1, 65536, true));
    ck_assert(range.is_log);
    ck_assert_double_eq_tol(range.low, 0.5, 1e-12);
    ck_assert_double_eq_tol(range.high, 131072, 1e-6);
    const PlotBand band = range_band(range, 256, 40000);
    ck_assert_int_eq(band.from_ppm, PPM / 2 - 20000);
    ck_assert_int_eq(band.to_ppm, PPM / 2 + 20000);
}
END_TEST

START_TEST(bands_stay_within_the_drawing)
{
    const Range range = range_of(0, 10, false);
    ck_assert_int_eq(range_band(range, 0, 40000).from_ppm, 0);
    ck_assert_int_eq(range_band(range, 0, 40000).to_ppm, 20000);
    ck_assert_int_eq(range_band(range, 10, 40000).to_ppm, PPM);
}
END_TEST

/* The step of an axis: the smallest of 1, 2 or 5 times a power of ten with at most `steps` steps.
 */
START_TEST(steps_are_round)
{
    static const struct {
        double width;
        int32_t steps;
        const char *step;
    } rows[] = {{10, 10, "x_step = 1\n"},      {10, 5, "x_step = 2\n"},
                {10, 4, "x_step = 5\n"},       {10, 1, "x_step = 10\n"},
                {0.03, 8, "x_step = 0.005\n"}, {7e6, 8, "x_step = 1000000\n"},
                {1600, 8, "x_step = 200\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text out = {0};
        range_print(&out, "x", (Range){.low = 0, .high = rows[i].width}, rows[i].steps);
        ck_assert_msg(strstr(text_string(&out), rows[i].step) != NULL, "row %zu: %s", i,
                      text_string(&out));
        text_free(&out);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("range");
    TCase *tests = tcase_create("range");
    tcase_add_test(tests, values_begin_at_0_if_the_smallest_is_far_below_the_largest);
    tcase_add_test(tests, equal_values_have_room);
    tcase_add_test(tests, a_logarithmic_range_has_the_same_room_at_both_ends);
    tcase_add_test(tests, bands_stay_within_the_drawing);
    tcase_add_test(tests, steps_are_round);
    suite_add_tcase(suite, tests);
    return suite;
}
