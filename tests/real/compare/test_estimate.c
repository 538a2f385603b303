#include "real/compare/estimate.h"

#include <math.h>

#include "sim/base/philox.h"
#include "tests/support/suite.h"

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

/* In [0, 1). */
static double luck(uint64_t seed, uint32_t draw)
{
    return philox(seed, (PhiloxBlock){{draw}}).word[0] / 4294967296.0;
}

START_TEST(the_median_of_an_even_number_is_between_the_two_in_the_middle)
{
    const double values[] = {4, 1, 3, 2};
    const Estimate estimate = estimate_series(arena, values, 4, 0);
    ck_assert_double_eq(estimate.median, 2.5);
    // Four values are too few for 95 %: the interval is the whole range.
    ck_assert_double_eq(estimate.low, 1);
    ck_assert_double_eq(estimate.high, 4);
    ck_assert_int_eq(estimate.count, 4);
}
END_TEST

START_TEST(six_independent_values_are_just_enough)
{
    // Below the median or above it: all six on one side with probability 2 / 64 = 3.1 %.
    const double values[] = {1, 6, 2, 5, 3, 4};
    const Estimate estimate = estimate_series(arena, values, 6, 0);
    ck_assert_double_eq(estimate.low, 1);
    ck_assert_double_eq(estimate.high, 6);
}
END_TEST

START_TEST(no_values_give_no_estimate)
{
    const Estimate estimate = estimate_series(arena, NULL, 0, 0);
    ck_assert_int_eq(estimate.runs, 0);
}
END_TEST

/* 20 slow ones of 200: four batches of five. */
START_TEST(a_slow_beginning_is_left_out)
{
    double values[200];
    for (uint32_t i = 0; i < 200; i++)
        values[i] = (i < 20 ? 30 : 10) + luck(1, i);
    ck_assert_int_ge(estimate_warmup(values, 200), 20);
    ck_assert_int_le(estimate_warmup(values, 200), 40);
    for (uint32_t i = 0; i < 20; i++)
        values[i] -= 20;
    ck_assert_int_lt(estimate_warmup(values, 200), 100);
    for (uint32_t i = 0; i < 200; i++)
        values[i] = 10;
    ck_assert_int_eq(estimate_warmup(values, 200), 0);
}
END_TEST

START_TEST(one_late_step_is_not_warm_up)
{
    double values[100];
    for (uint32_t i = 0; i < 100; i++)
        values[i] = 10 + luck(2, i) / 100;
    values[3] = 1000;
    ck_assert_int_le(estimate_warmup(values, 100), 10);
    values[43] = 1000;
    ck_assert_int_le(estimate_warmup(values, 100), 10);
}
END_TEST

START_TEST(a_series_that_keeps_changing_has_no_warm_up)
{
    double values[100];
    for (uint32_t i = 0; i < 100; i++)
        values[i] = 100 - i;
    ck_assert_int_eq(estimate_warmup(values, 100), 0);
}
END_TEST

START_TEST(neighbours_that_are_alike_count_as_fewer)
{
    double independent[400], alike[400];
    for (uint32_t i = 0; i < 400; i++) {
        independent[i] = luck(3, i);
        alike[i] = luck(3, i / 10); // groups of ten equal values
    }
    const Estimate many = estimate_series(arena, independent, 400, 0);
    const Estimate few = estimate_series(arena, alike, 400, 0);
    ck_assert_double_gt(many.effective, 250);
    ck_assert_double_gt(few.effective, 15);
    ck_assert_double_lt(few.effective, 80); // there are 40
    ck_assert_double_gt(few.high - few.low, 2 * (many.high - many.low));
}
END_TEST

/* Between 90 and 99 % of the intervals of 95 % contain the true median. The series is a first-order
 * autoregression with a correlation of 0.5 and the median 0. */
START_TEST(intervals_contain_the_median_as_often_as_promised)
{
    enum { SERIES = 400, LENGTH = 200 };
    int right = 0;
    for (uint64_t seed = 0; seed < SERIES; seed++) {
        double values[LENGTH], state = 0;
        for (uint32_t i = 0; i < LENGTH; i++) {
            state = 0.5 * state + luck(1000 + seed, i) - 0.5;
            values[i] = 10 + state;
        }
        const Estimate estimate = estimate_series(arena, values, LENGTH, 0);
        right += estimate.low <= 10 && estimate.high >= 10;
    }
    ck_assert_msg(right >= 0.90 * SERIES && right <= 0.99 * SERIES, "%d of %d are right", right,
                  SERIES);
}
END_TEST

START_TEST(several_runs_are_as_sure_as_they_agree)
{
    // Medians 9, 10, 11: mean 10, standard error 1 / sqrt 3, Student's t of 2 degrees at 97.5 %
    // is 4.3027: 10 +- 2.484.
    Estimate runs[3] = {{.runs = 1, .count = 5, .median = 9, .low = 8.9, .high = 9.1},
                        {.runs = 1, .count = 5, .median = 11, .low = 10.9, .high = 11.1},
                        {.runs = 1, .count = 5, .median = 10, .low = 9.9, .high = 10.1}};
    const Estimate all = estimate_runs(arena, runs, 3);
    ck_assert_int_eq(all.runs, 3);
    ck_assert_int_eq(all.count, 15);
    ck_assert_double_eq(all.median, 10);
    ck_assert_double_eq_tol(all.low, 10 - 2.4842, 1e-3);
    ck_assert_double_eq_tol(all.high, 10 + 2.4842, 1e-3);
    runs[0].runs = runs[2].runs = 0; // nothing was measured in these runs
    ck_assert_double_eq(estimate_runs(arena, runs, 3).low, 10.9);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("estimate");
    TCase *tests = tcase_create("estimate");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, the_median_of_an_even_number_is_between_the_two_in_the_middle);
    tcase_add_test(tests, six_independent_values_are_just_enough);
    tcase_add_test(tests, no_values_give_no_estimate);
    tcase_add_test(tests, a_slow_beginning_is_left_out);
    tcase_add_test(tests, one_late_step_is_not_warm_up);
    tcase_add_test(tests, a_series_that_keeps_changing_has_no_warm_up);
    tcase_add_test(tests, neighbours_that_are_alike_count_as_fewer);
    tcase_add_test(tests, intervals_contain_the_median_as_often_as_promised);
    tcase_add_test(tests, several_runs_are_as_sure_as_they_agree);
    suite_add_tcase(suite, tests);
    return suite;
}
