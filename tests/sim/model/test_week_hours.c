/* Amounts by hour of the day and of the week: examples on paper, and spans of any kind. */
#include "sim/model/week_hours.h"

#include <string.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"

#define MIDNIGHT_MS INT64_C(1531872000000) /* 2018-07-18T00:00:00Z */

static Wide hours[HOURS_A_WEEK];

static void spread(int64_t start_unix_ms, int64_t begin_ns, int64_t end_ns, Wide amount)
{
    memset(hours, 0, sizeof hours);
    week_hours_spread(hours, HOURS_A_DAY, start_unix_ms, begin_ns, end_ns, amount);
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

START_TEST(the_week_begins_on_monday)
{
    static const struct {
        int64_t unix_ms;
        int32_t hour;
    } rows[] = {
        {0, 3 * 24},                     // a Thursday
        {-1, 2 * 24 + 23},               // before 1970
        {-3 * 86400000 - 1, 167},        // the Sunday before
        {MIDNIGHT_MS, 2 * 24},           // a Wednesday
        {MIDNIGHT_MS + 3599999, 2 * 24}, // the last ms of the hour
        {MIDNIGHT_MS + 3600000, 2 * 24 + 1},
        {MIDNIGHT_MS - 2 * 86400000 - 1, 167},
        {MIDNIGHT_MS - 2 * 86400000, 0},
        {INT64_C(253402300799999), 4 * 24 + 23}, // 9999-12-31T23:59:59.999Z, a Friday
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(week_hour_at(rows[i].unix_ms), rows[i].hour);
        ck_assert_int_eq(week_start_ns(rows[i].unix_ms) / NS_PER_HOUR, rows[i].hour);
    }
}
END_TEST

START_TEST(factors_repeat_after_a_day_or_a_week)
{
    int64_t factors[HOURS_A_WEEK];
    for (int hour = 0; hour < HOURS_A_WEEK; hour++)
        factors[hour] = hour % HOURS_A_DAY;
    ck_assert_int_eq(week_factors_cycle(factors), HOURS_A_DAY);
    ck_assert_int_eq(week_factors_most(factors), 23);
    factors[HOURS_A_WEEK - 1] = 24;
    ck_assert_int_eq(week_factors_cycle(factors), HOURS_A_WEEK);
    ck_assert_int_eq(week_factors_most(factors), 24);
}
END_TEST

/* One minute after the other. */
START_TEST(hours_of_the_week_agree_with_a_count_of_minutes)
{
    for (int64_t i = 1; i <= 200; i++) {
        Wide counted[HOURS_A_WEEK] = {0}, days[HOURS_A_DAY] = {0};
        const int64_t start_unix_ms = MIDNIGHT_MS + i * 7919 * 60000;
        const int64_t begin_min = i * 37, end_min = begin_min + i * i % 997 * 29;
        for (int64_t minute = begin_min; minute < end_min; minute++)
            counted[week_hour_at(start_unix_ms + minute * 60000)] += NS_PER_MIN;
        memset(hours, 0, sizeof hours);
        week_hours_spread(hours, HOURS_A_WEEK, start_unix_ms, begin_min * NS_PER_MIN,
                          end_min * NS_PER_MIN, (end_min - begin_min) * NS_PER_MIN);
        week_hours_spread(days, HOURS_A_DAY, start_unix_ms, begin_min * NS_PER_MIN,
                          end_min * NS_PER_MIN, (end_min - begin_min) * NS_PER_MIN);
        for (int hour = 0; hour < HOURS_A_WEEK; hour++) {
            ck_assert_msg(hours[hour] == counted[hour], "span %d, hour %d", (int)i, hour);
            days[hour % HOURS_A_DAY] -= hours[hour];
        }
        for (int hour = 0; hour < HOURS_A_DAY; hour++)
            ck_assert(days[hour] == 0);
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
    Suite *suite = suite_create("week_hours");
    TCase *tests = tcase_create("week_hours");
    tcase_add_test(tests, a_span_within_a_day_has_its_hours);
    tcase_add_test(tests, a_span_of_days_has_all_hours_and_a_rest);
    tcase_add_test(tests, parts_add_up_to_the_amount);
    tcase_add_test(tests, the_week_begins_on_monday);
    tcase_add_test(tests, factors_repeat_after_a_day_or_a_week);
    tcase_add_test(tests, hours_of_the_week_agree_with_a_count_of_minutes);
    tcase_add_test(tests, no_time_has_no_hours);
    suite_add_tcase(suite, tests);
    return suite;
}
