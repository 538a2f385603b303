#include "sim/study/statistics/stopping.h"

#include <math.h>

#include "tests/support/suite.h"

START_TEST(waves_end_at_20_30_45_67_runs)
{
    static const int32_t totals[] = {20, 30, 45, 67, 100, 150, 225, 337, 400, 400};
    const StoppingRule rule = {.at_least = 20, .at_most = 400};
    for (int32_t wave = 0; wave < 10; wave++)
        ck_assert_int_eq(stopping_wave(&rule, wave), totals[wave]);
}
END_TEST

START_TEST(the_next_wave_depends_only_on_the_rule)
{
    const StoppingRule rule = {.at_least = 20, .at_most = 400};
    ck_assert_int_eq(stopping_next(&rule, 0), 20);
    ck_assert_int_eq(stopping_next(&rule, 19), 20);
    ck_assert_int_eq(stopping_next(&rule, 20), 30);
    ck_assert_int_eq(stopping_next(&rule, 29), 30);
    ck_assert_int_eq(stopping_next(&rule, 337), 400);
    ck_assert_int_eq(stopping_next(&rule, 400), 400);
    ck_assert_int_eq(stopping_next(&rule, 1000), 1000);
}
END_TEST

START_TEST(small_rules_still_advance)
{
    const StoppingRule one = {.at_least = 1, .at_most = 5};
    static const int32_t totals[] = {1, 2, 3, 4, 5, 5};
    for (int32_t wave = 0; wave < 6; wave++)
        ck_assert_int_eq(stopping_wave(&one, wave), totals[wave]);
    const StoppingRule few = {.at_least = 20, .at_most = 7};
    ck_assert_int_eq(stopping_wave(&few, 0), 7);
    const StoppingRule large = {.at_least = INT32_MAX - 1, .at_most = INT32_MAX};
    ck_assert_int_eq(stopping_wave(&large, 1), INT32_MAX);
}
END_TEST

START_TEST(a_narrow_interval_stops_and_a_wide_one_goes_on)
{
    const StoppingRule rule = {.at_least = 20, .at_most = 400, .relative_half_width = 0.05};
    Estimate estimate = {.mean = -100, .half_width = 5, .count = 20, .confidence = 0.95};
    ck_assert_int_eq(stopping_look(&rule, &estimate), STOPPING_MET);
    estimate.half_width = 5.01;
    ck_assert_int_eq(stopping_look(&rule, &estimate), STOPPING_GO_ON);
    estimate.count = 400;
    ck_assert_int_eq(stopping_look(&rule, &estimate), STOPPING_EXHAUSTED);
    estimate = (Estimate){.mean = 0, .half_width = 1, .count = 20, .confidence = 0.95};
    ck_assert_int_eq(stopping_look(&rule, &estimate), STOPPING_GO_ON);
}
END_TEST

START_TEST(no_rule_stops_early_by_luck)
{
    const StoppingRule rule = {.at_least = 5, .at_most = 400, .half_width = 1};
    Estimate estimate = {.mean = 10, .half_width = 0.1, .count = 19, .confidence = 0.95};
    ck_assert_int_eq(stopping_look(&rule, &estimate), STOPPING_GO_ON);
    estimate.count = 20;
    ck_assert_int_eq(stopping_look(&rule, &estimate), STOPPING_MET);
}
END_TEST

START_TEST(a_rule_without_a_wish_ends_with_its_first_wave)
{
    const StoppingRule rule = {.at_least = 3, .at_most = 400};
    const Estimate estimate = {.mean = 1, .half_width = INFINITY, .count = 3, .confidence = 0.95};
    ck_assert_int_eq(stopping_look(&rule, &estimate), STOPPING_MET);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("stopping");
    TCase *tests = tcase_create("stopping");
    tcase_add_test(tests, waves_end_at_20_30_45_67_runs);
    tcase_add_test(tests, the_next_wave_depends_only_on_the_rule);
    tcase_add_test(tests, small_rules_still_advance);
    tcase_add_test(tests, a_narrow_interval_stops_and_a_wide_one_goes_on);
    tcase_add_test(tests, no_rule_stops_early_by_luck);
    tcase_add_test(tests, a_rule_without_a_wish_ends_with_its_first_wave);
    suite_add_tcase(suite, tests);
    return suite;
}
