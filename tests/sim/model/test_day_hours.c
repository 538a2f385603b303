/* Amounts by hour of the day: examples on paper, and spans of any kind. */
#include "sim/model/day_hours.h"

#include <string.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"

#define MIDNIGHT_MS INT64_C(1531872000000) /* 2018-07-18T00:00:00Z */

static Wide hours[HOURS_A_DAY];

static void spread(int64_t start_unix_ms, int64_t begin_ns, int64_t end_ns, Wide amount)
{
    memset(hours, 0, sizeof hours);
    day_hours_spread(hours, start_unix_ms, begin_ns, end_ns, amount);
}

START_TEST(a_span_within_a_day_has_its_hours)
{
    // From 8:30 on for two hours: half an hour, an hour, and half an hour.
    spread(MIDNIGHT_MS + 8 * 3600000, NS_PER_HOUR / 2, 5 * NS_PER_HOUR / 2, 400);
    for (int hour = 0; hour < HOURS_A_DAY; hour++)
        ck_assert_int_eq((int64_t)hours[hour], hour == 9 ? 200 : hour == 8 || hour == 10 ? 100 : 0);
}
END_TEST

START_TEST(a_span_of_days_has_all_hours_and_a_rest)
{
    // Two days and two hours from 23:00 on: each hour twice, and 23 and 0 once more.
    spread(MIDNIGHT_MS, 23 * NS_PER_HOUR, 73 * NS_PER_HOUR, 50);
    for (int hour = 0; hour < HOURS_A_DAY; hour++)
        ck_assert_int_eq((int64_t)hours[hour], hour == 23 || hour == 0 ? 3 : 2);
    // Before 1970: the day begins at midnight, too.
    spread(-INT64_C(86400000) - 3600000, 0, 2 * NS_PER_HOUR, 10);
    ck_assert_int_eq((int64_t)hours[23], 5);
    ck_assert_int_eq((int64_t)hours[0], 5);
}
END_TEST

START_TEST(parts_add_up_to_the_amount)
{
    for (int64_t i = 1; i <= 2000; i++) {
        const int64_t begin_ns = i * INT64_C(7919) * NS_PER_S;
        const int64_t span_ns = 1 + i * i * INT64_C(104729) * NS_PER_MS;
        const Wide amount = (Wide)i * NS_PER_YEAR * 1000003;
        Wide sum = 0;
        spread(MIDNIGHT_MS + i * 60001, begin_ns, begin_ns + span_ns, amount);
        for (int hour = 0; hour < HOURS_A_DAY; hour++) {
            ck_assert(hours[hour] >= 0);
            sum += hours[hour];
        }
        ck_assert(sum == amount);
    }
}
END_TEST

START_TEST(no_time_has_no_hours)
{
    spread(MIDNIGHT_MS, NS_PER_HOUR, NS_PER_HOUR, 100);
    for (int hour = 0; hour < HOURS_A_DAY; hour++)
        ck_assert(hours[hour] == 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("day_hours");
    TCase *tests = tcase_create("day_hours");
    tcase_add_test(tests, a_span_within_a_day_has_its_hours);
    tcase_add_test(tests, a_span_of_days_has_all_hours_and_a_rest);
    tcase_add_test(tests, parts_add_up_to_the_amount);
    tcase_add_test(tests, no_time_has_no_hours);
    suite_add_tcase(suite, tests);
    return suite;
}
