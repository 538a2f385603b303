#include "sim/study/statistics/bootstrap.h"

#include <math.h>
#include <string.h>

#include "tests/support/suite.h"

static double above[30], below[30];
static Arena *arena;

static void begin(void)
{
    arena = arena_create();
    for (int32_t i = 0; i < 30; i++) {
        below[i] = 10 + i * 7 % 11;
        above[i] = 2 * below[i] + i * 5 % 7 - 3;
    }
}

static void end(void)
{
    arena_destroy(arena);
}

START_TEST(the_ratio_of_totals_is_within_its_interval)
{
    double total_above = 0, total_below = 0;
    for (int32_t i = 0; i < 30; i++) {
        total_above += above[i];
        total_below += below[i];
    }
    Ratio ratio = bootstrap_ratio(above, below, 30, .95, 7, arena);
    ck_assert_int_eq(ratio.mark, RATIO_GOOD);
    ck_assert_double_eq(ratio.bca.value, total_above / total_below);
    ck_assert_double_lt(ratio.bca.low, ratio.bca.value);
    ck_assert_double_gt(ratio.bca.high, ratio.bca.value);
    // The linear formula for a ratio (W. G. Cochran, "Sampling Techniques", 2.11): the residuals'
    // standard error over the mean divisor; BCa and jackknife are near it.
    double squares = 0, value = ratio.bca.value;
    for (int32_t i = 0; i < 30; i++)
        squares += (above[i] - value * below[i]) * (above[i] - value * below[i]);
    double half = 2.045 * sqrt(squares / 29 / 30) / (total_below / 30);
    ck_assert_double_eq_tol((ratio.bca.high - ratio.bca.low) / 2 / half, 1, .12);
    ck_assert_double_eq_tol(ratio.jackknife.half_width / half, 1, .05);
}
END_TEST

START_TEST(a_study_gets_the_same_interval_again)
{
    Ratio once = bootstrap_ratio(above, below, 30, .95, 7, arena);
    Ratio again = bootstrap_ratio(above, below, 30, .95, 7, arena);
    ck_assert_double_eq(once.bca.low, again.bca.low);
    ck_assert_double_eq(once.bca.high, again.bca.high);
    Ratio other = bootstrap_ratio(above, below, 30, .95, 8, arena);
    ck_assert_double_ne(once.bca.low, other.bca.low);
}
END_TEST

START_TEST(few_runs_get_the_jackknife_and_say_so)
{
    Ratio ratio = bootstrap_ratio(above, below, 9, .95, 7, arena);
    ck_assert_int_eq(ratio.mark, RATIO_TOO_FEW);
    ck_assert_double_eq(ratio.bca.low, ratio.jackknife.mean - ratio.jackknife.half_width);
    ck_assert_str_eq(bootstrap_words(ratio.mark),
                     "too few runs for a bootstrap: the interval is the jackknife's");
}
END_TEST

START_TEST(nothing_to_divide_by_is_no_ratio)
{
    double none[30] = {0};
    ck_assert_int_eq(bootstrap_ratio(above, none, 30, .95, 7, arena).mark, RATIO_NO_DIVISOR);
    ck_assert(isnan(bootstrap_ratio(above, none, 30, .95, 7, arena).bca.value));
    none[3] = 5; // a resample without run 3 has no divisor
    Ratio ratio = bootstrap_ratio(above, none, 30, .95, 7, arena);
    ck_assert_int_eq(ratio.mark, RATIO_NO_DIVISOR);
    ck_assert(isinf(ratio.bca.high));
    ck_assert_int_eq(bootstrap_ratio(above, below, 1, .95, 7, arena).mark, RATIO_NO_DIVISOR);
}
END_TEST

START_TEST(equal_ratios_have_no_width)
{
    double doubled[30];
    for (int32_t i = 0; i < 30; i++)
        doubled[i] = 2 * below[i];
    Ratio ratio = bootstrap_ratio(doubled, below, 30, .95, 7, arena);
    ck_assert_double_eq(ratio.bca.low, 2);
    ck_assert_double_eq(ratio.bca.high, 2);
    ck_assert_int_eq(ratio.mark, RATIO_GOOD);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bootstrap");
    TCase *tests = tcase_create("bootstrap");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, the_ratio_of_totals_is_within_its_interval);
    tcase_add_test(tests, a_study_gets_the_same_interval_again);
    tcase_add_test(tests, few_runs_get_the_jackknife_and_say_so);
    tcase_add_test(tests, nothing_to_divide_by_is_no_ratio);
    tcase_add_test(tests, equal_ratios_have_no_width);
    suite_add_tcase(suite, tests);
    return suite;
}
