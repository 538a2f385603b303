#include <math.h>

#include "sim/study/follow/break_even.h"
#include "sim/study/follow/growth.h"
#include "tests/support/suite.h"

static void close_to(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) < 1e-9, "%.12f instead of %.12f", value, expected);
}

/* --- Prices --- */

/* The winner costs 10 + 30 p, the other 50 + 10 p at a multiple p of the price: both are equal at
 * p = 2. Without noise the interval is that point. */
START_TEST(linear_costs_cross_at_twice_the_price)
{
    const double total[] = {40, 40, 40}, part[] = {30, 30, 30};
    const double other_total[] = {60, 60, 60}, other_part[] = {10, 10, 10};
    const BreakEven found =
        break_even_price((PricedRuns){total, part}, (PricedRuns){other_total, other_part}, 3, 0.95);
    ck_assert(found.is_known);
    close_to(found.multiple, 2);
    close_to(found.low, 2);
    close_to(found.high, 2);
}
END_TEST

/* The other has more hours: the price has to fall. 40 + 10 (m - 1) = 60 + 30 (m - 1) at m = 0. */
START_TEST(no_price_above_zero)
{
    const double total[] = {40, 40}, part[] = {10, 10};
    const double other_total[] = {60, 60}, other_part[] = {30, 30};
    const BreakEven found =
        break_even_price((PricedRuns){total, part}, (PricedRuns){other_total, other_part}, 2, 0.95);
    ck_assert(!found.is_known);
}
END_TEST

/* 40 + 30 (m - 1) = 40 + 20 a + 10 (m - 1) at m = 1 + a: up to ten times, and down to a tenth. */
START_TEST(prices_far_from_todays_change_no_answer)
{
    static const struct {
        double multiple;
        bool is_known;
    } rows[] = {{9.9, true}, {10.1, false}, {0.11, true}, {0.09, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double other = 40 + 20 * (rows[i].multiple - 1);
        const double total[] = {40, 40}, part[] = {30, 30};
        const double other_total[] = {other, other}, other_part[] = {10, 10};
        const BreakEven found = break_even_price((PricedRuns){total, part},
                                                 (PricedRuns){other_total, other_part}, 2, 0.95);
        close_to(found.multiple, rows[i].multiple);
        ck_assert_int_eq(found.is_known, rows[i].is_known);
    }
}
END_TEST

START_TEST(equal_parts_never_cross)
{
    const double total[] = {40, 41}, other_total[] = {60, 62}, part[] = {10, 10};
    ck_assert(!break_even_price((PricedRuns){total, part}, (PricedRuns){other_total, part}, 2, 0.95)
                   .is_known);
}
END_TEST

/* The ratio of means (20 -+ 2) / (20 -+ 0): Fieller's interval of a constant divisor is that of t,
 * 20 -+ t sqrt(s^2 / n) with s = 2, n = 4, t = 3.182446, all divided by 20. */
START_TEST(noise_widens_the_interval)
{
    const double total[] = {40, 40, 40, 40}, part[] = {30, 30, 30, 30};
    const double root = sqrt(3.0); // deviations -+ sqrt(3) have a variance of 4
    const double other_total[] = {60 - root, 60 + root, 60 - root, 60 + root};
    const double other_part[] = {10, 10, 10, 10};
    const BreakEven found =
        break_even_price((PricedRuns){total, part}, (PricedRuns){other_total, other_part}, 4, 0.95);
    const double half = 3.182446305284263 * 2 / sqrt(4.0) / 20;
    ck_assert(fabs(found.low - (2 - half)) < 1e-6);
    ck_assert(fabs(found.high - (2 + half)) < 1e-6);
}
END_TEST

/* --- Rates --- */

/* The difference is 10 at today's rate and -10 at four times: it is 0 at twice, in the logarithm.
 */
START_TEST(rates_cross_in_the_logarithm)
{
    const RateDifference rates[] = {{0.25, 30, 1}, {1, 10, 1}, {4, -10, 1}};
    const BreakEven found = break_even_rate(rates, 3);
    ck_assert(found.is_known);
    close_to(found.multiple, 2);
    close_to(found.low, pow(4, 9.0 / 20));
    close_to(found.high, pow(4, 11.0 / 20));
}
END_TEST

START_TEST(rates_of_one_sign_do_not_cross)
{
    const RateDifference rates[] = {{0.5, 3, 1}, {1, 4, 1}, {2, 5, 1}};
    ck_assert(!break_even_rate(rates, 3).is_known);
    ck_assert(!break_even_rate(rates, 0).is_known);
}
END_TEST

/* A crossing below today's rate. */
START_TEST(rates_may_have_to_fall)
{
    const RateDifference rates[] = {{0.25, -10, 0}, {0.5, -5, 0}, {1, 5, 0}, {2, 10, 0}};
    close_to(break_even_rate(rates, 4).multiple, sqrt(0.5));
}
END_TEST

/* --- Load --- */

/* A margin of 0.03 today and -0.01 at 1.25: on a straight line it is 0 at 1.1875. */
START_TEST(margins_are_interpolated)
{
    const LoadMargin margins[] = {
        {1, 0.03, 0.02, 0.04}, {1.25, -0.01, -0.02, 0.00}, {1.5, -1, -1, -1}};
    const BreakingLoad found = breaking_load(margins, 3);
    ck_assert(found.is_known && !found.is_beyond);
    close_to(found.load, 1.1875);
    close_to(found.low, 1.125);
    close_to(found.high, 1.25);
}
END_TEST

START_TEST(a_margin_that_stays_is_beyond)
{
    const LoadMargin margins[] = {{1, 0.03, 0.02, 0.04}, {2, 0.01, -0.01, 0.03}};
    const BreakingLoad found = breaking_load(margins, 2);
    ck_assert(found.is_beyond);
    close_to(found.load, 2);
    close_to(found.low, 1 + 2.0 / 3);
    ck_assert(isinf(found.high));
}
END_TEST

START_TEST(a_limit_that_is_missed_breaks_today)
{
    const LoadMargin margins[] = {{1, -0.03, -0.04, -0.02}, {2, -1, -1, -1}};
    close_to(breaking_load(margins, 2).load, 1);
    ck_assert(!breaking_load(margins, 0).is_known);
}
END_TEST

/* Runs that ended while jobs waited, with a mean of 60 +- 2 %: a share counts, and a wait may be of
 * any length. */
START_TEST(lower_bounds_decide_what_they_can)
{
    const MetricEstimate shares = {.run_count = 20,
                                   .lower_bound_count = 3,
                                   .value = 0.6,
                                   .low = 0.58,
                                   .high = NAN,
                                   .mean = 0.6,
                                   .half_width = 0.02,
                                   .minimum = 0.5,
                                   .maximum = 0.7};
    const struct {
        LimitSide side;
        double limit;
        LimitVerdict verdict;
    } cases[] = {{LIMIT_AT_LEAST, 0.5, LIMIT_HOLDS},
                 {LIMIT_AT_LEAST, 0.59, LIMIT_OPEN},
                 {LIMIT_AT_LEAST, 0.8, LIMIT_MISSED},
                 {LIMIT_AT_MOST, 0.8, LIMIT_OPEN},
                 {LIMIT_AT_MOST, 0.5, LIMIT_MISSED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const GoalConstraint limit = {.side = cases[i].side, .limit = cases[i].limit};
        const LimitInterval interval = limit_interval(&limit, &shares);
        ck_assert_int_eq(limit_verdict(&limit, interval.low, interval.high), cases[i].verdict);
    }
}
END_TEST

/* 1.05^14.2067 = 2. */
START_TEST(growth_is_compound)
{
    ck_assert(fabs(growth_months(2, 0.05) - 14.206699082890461) < 1e-9);
    close_to(growth_months(1, 0.05), 0);
    ck_assert(isinf(growth_months(2, 0)));
    ck_assert(isinf(growth_months((double)INFINITY, 0.05)));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("break_even");
    TCase *all = tcase_create("break_even");
    tcase_add_test(all, linear_costs_cross_at_twice_the_price);
    tcase_add_test(all, no_price_above_zero);
    tcase_add_test(all, prices_far_from_todays_change_no_answer);
    tcase_add_test(all, equal_parts_never_cross);
    tcase_add_test(all, noise_widens_the_interval);
    tcase_add_test(all, rates_cross_in_the_logarithm);
    tcase_add_test(all, rates_of_one_sign_do_not_cross);
    tcase_add_test(all, rates_may_have_to_fall);
    tcase_add_test(all, margins_are_interpolated);
    tcase_add_test(all, a_margin_that_stays_is_beyond);
    tcase_add_test(all, a_limit_that_is_missed_breaks_today);
    tcase_add_test(all, lower_bounds_decide_what_they_can);
    tcase_add_test(all, growth_is_compound);
    suite_add_tcase(suite, all);
    return suite;
}
