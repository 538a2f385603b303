#include "sim/base/units.h"
#include "sim/model/price.h"
#include "tests/support/suite.h"

START_TEST(only_full_minutes_are_billed)
{
    // The knowledge centre's own example: 6 min 45 s cost 6 min.
    ck_assert_int_eq(billed_ns(6 * NS_PER_MIN + 45 * NS_PER_S, NS_PER_MIN), 6 * NS_PER_MIN);
    ck_assert_int_eq(billed_ns(6 * NS_PER_MIN, NS_PER_MIN), 6 * NS_PER_MIN);
    ck_assert_int_eq(billed_ns(6 * NS_PER_MIN - 1, NS_PER_MIN), 5 * NS_PER_MIN);
    ck_assert_int_eq(billed_ns(0, NS_PER_MIN), 0);
    ck_assert_int_eq(billed_ns(1234567, 1), 1234567);
}
END_TEST

START_TEST(cost_is_time_at_the_hourly_price)
{
    // 4 nodes for 75 min are 5 h, at 0.90 USD/h: 4.50 USD.
    ck_assert_int_eq(cost_micro_usd(5 * NS_PER_HOUR, 900000), 4500000);
    // One minute at 0.90 USD/h is 1.5 cents; a ns is less than a micro-dollar.
    ck_assert_int_eq(cost_micro_usd(NS_PER_MIN, 900000), 15000);
    ck_assert_int_eq(cost_micro_usd(1, 900000), 0);
    // A thousand nodes for a hundred days fit: 2,400,000 h at 100 USD.
    ck_assert_int_eq(cost_micro_usd(INT64_C(1000) * 100 * NS_PER_DAY, 100000000),
                     INT64_C(240000000) * 1000000);
    // The highest price of a catalogue for as long as time lasts.
    ck_assert_int_eq(cost_micro_usd(INT64_MAX, INT64_C(1000000000000000000)), INT64_MAX);
    ck_assert_int_eq(cost_micro_usd(NS_PER_HOUR, INT64_C(1000000000000000000)),
                     INT64_C(1000000000000000000));
    ck_assert_int_eq(cost_micro_usd(NS_PER_HOUR, PRICE_UNKNOWN), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("price");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, only_full_minutes_are_billed);
    tcase_add_test(tests, cost_is_time_at_the_hourly_price);
    suite_add_tcase(suite, tests);
    return suite;
}
