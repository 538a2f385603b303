#include "sim/model/arrival_rate.h"

#include "sim/base/units.h"
#include "sim/model/week_hours.h"
#include "tests/support/suite.h"

START_TEST(rates_are_a_number_and_a_period)
{
    static const struct {
        const char *text;
        ArrivalRate rate;
    } rows[] = {
        {"12/h", {12000000, NS_PER_HOUR}},
        {"200/7d", {200000000, 7 * NS_PER_DAY}},
        {"200/week", {200000000, 7 * NS_PER_DAY}},
        {"30/2h", {30000000, 2 * NS_PER_HOUR}},
        {"1.5/min", {1500000, NS_PER_MIN}},
        {"0.0625/h", {62500, NS_PER_HOUR}},
        {"0.000001/day", {1, NS_PER_DAY}},
        {"0.001/day", {1000, NS_PER_DAY}},
        {"2/1h30m", {2000000, 90 * NS_PER_MIN}},
        {"999999999/d", {INT64_C(999999999000000), NS_PER_DAY}},
        {"0/s", {0, NS_PER_S}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ArrivalRate rate;
        ck_assert_msg(arrival_rate_parse(rows[i].text, &rate), "%s", rows[i].text);
        ck_assert_int_eq(rate.micro, rows[i].rate.micro);
        ck_assert_int_eq(rate.period_ns, rows[i].rate.period_ns);
    }
}
END_TEST

START_TEST(other_texts_are_not_rates)
{
    static const char *const texts[] = {
        "",      "12",   "/h",     "12/",  "12 /h", "12/h ", "-1/h",   "1.2345678/h", "1./h",
        "12/0s", "12/y", "12/h/d", ".5/h", "1e3/h", "12h",   "12/-1h", "1000000000/h"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ArrivalRate rate;
        ck_assert_msg(!arrival_rate_parse(texts[i], &rate), "%s", texts[i]);
    }
}
END_TEST

START_TEST(gaps_are_exact_and_round_up)
{
    // 7 d / 200 = 3024 s; 1 h / 7 = 514.285714285714... s
    ck_assert_int_eq(arrival_gap_ns((ArrivalRate){200000000, 7 * NS_PER_DAY}, FACTOR_ONE),
                     3024 * NS_PER_S);
    ck_assert_int_eq(arrival_gap_ns((ArrivalRate){7000000, NS_PER_HOUR}, FACTOR_ONE),
                     INT64_C(514285714286));
    ck_assert_int_eq(arrival_gap_ns((ArrivalRate){7000000, NS_PER_HOUR}, 2 * FACTOR_ONE),
                     INT64_C(257142857143));
    ck_assert_int_eq(arrival_gap_ns((ArrivalRate){1000, INT64_MAX}, 1), INT64_MAX);
    ck_assert_int_eq(
        arrival_gap_ns((ArrivalRate){INT64_C(999999999999000), INT64_MAX}, 100 * FACTOR_ONE),
        INT64_C(92233721));
}
END_TEST

START_TEST(rates_of_different_periods_are_compared_exactly)
{
    const ArrivalRate weekly = {200000000, 7 * NS_PER_DAY}, daily = {28571000, NS_PER_DAY};
    ck_assert_int_gt(arrival_rate_compare(weekly, daily), 0); // 28.5714.../d
    ck_assert_int_lt(arrival_rate_compare(daily, weekly), 0);
    ck_assert_int_eq(arrival_rate_compare((ArrivalRate){12000000, NS_PER_HOUR},
                                          (ArrivalRate){288000000, NS_PER_DAY}),
                     0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("arrival_rate");
    TCase *tests = tcase_create("arrival_rate");
    tcase_add_test(tests, rates_are_a_number_and_a_period);
    tcase_add_test(tests, other_texts_are_not_rates);
    tcase_add_test(tests, gaps_are_exact_and_round_up);
    tcase_add_test(tests, rates_of_different_periods_are_compared_exactly);
    suite_add_tcase(suite, tests);
    return suite;
}
