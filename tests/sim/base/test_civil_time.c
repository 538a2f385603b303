#include <inttypes.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "tests/support/suite.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

static const struct {
    const char *text;
    int64_t unix_ms;
    const char *why;
} instants[] = {
    {"1970-01-01T00:00:00Z", 0, "the beginning"},
    {"1970-01-02T00:00:00Z", 86400000, "a day"},
    // 48 years of 365 days, 12 leap days (1972 to 2016), 198 days of 2018 before 18 July:
    // 17520 + 12 + 198 = 17730 days = 1531872000 s, and 17:45 = 63900 s.
    {"2018-07-18T17:45:00Z", INT64_C(1531935900000), "the tutorial"},
    {"2018-07-18T17:45:00.517Z", INT64_C(1531935900517), "milliseconds"},
    {"2000-02-29T00:00:00Z", INT64_C(951782400000), "a century with leap day: 11016 days"},
    {"2000-03-01T00:00:00Z", INT64_C(951868800000), "the day after"},
    {"1970-12-31T23:59:59.999Z", INT64_C(31535999999), "the last of a year: 365 x 86400000 - 1"},
    {"9999-12-31T23:59:59.999Z", INT64_C(253402300799999), "the last that is read"},
};

START_TEST(instants_are_read_and_printed)
{
    for (int32_t i = 0; i < COUNT_OF(instants); i++) {
        int64_t unix_ms = -1;
        Status status;
        ck_assert_msg(iso_time_parse(instants[i].text, place_in("t", 0, 0), &unix_ms, &status),
                      "%s", instants[i].text);
        ck_assert_msg(unix_ms == instants[i].unix_ms, "%s: got %" PRId64 " (%s)", instants[i].text,
                      unix_ms, instants[i].why);
        char text[CIVIL_TEXT];
        iso_time_print(unix_ms, text);
        ck_assert_str_eq(text, instants[i].text);
    }
}
END_TEST

START_TEST(decimals_may_be_one_to_three)
{
    int64_t unix_ms;
    Status status;
    ck_assert(iso_time_parse("1970-01-01T00:00:00.5Z", place_in("", 0, 0), &unix_ms, &status));
    ck_assert_int_eq(unix_ms, 500);
    ck_assert(iso_time_parse("1970-01-01T00:00:00.05Z", place_in("", 0, 0), &unix_ms, &status));
    ck_assert_int_eq(unix_ms, 50);
    ck_assert(iso_time_parse("1970-01-01T00:00:00.000Z", place_in("", 0, 0), &unix_ms, &status));
    ck_assert_int_eq(unix_ms, 0);
}
END_TEST

static const struct {
    const char *text;
    const char *message; /* a part of the message */
} refused[] = {
    {"", "is not a time"},
    {"2018-07-18", "is not a time"},
    {"2018-07-18T17:45Z", "is not a time"},
    {"2018-07-18 17:45:00Z", "is not a time"},
    {"2018-07-18T17:45:00", "is not a time"},
    {"2018-07-18T17:45:00+00:00", "is not a time"},
    {"2018-07-18T17:45:00z", "is not a time"},
    {"2018-07-18T17:45:00Z ", "is not a time"},
    {"2018-07-18T17:45:00.Z", "is not a time"},
    {"2018-07-18T17:45:00.1234Z", "is not a time"},
    {"18-07-18T17:45:00Z", "is not a time"},
    {"2018-7-18T17:45:00Z", "is not a time"},
    {"+018-07-18T17:45:00Z", "is not a time"},
    {"1969-12-31T23:59:59Z", "no time"},
    {"2018-00-18T17:45:00Z", "no time"},
    {"2018-13-18T17:45:00Z", "no time"},
    {"2018-07-00T17:45:00Z", "no time"},
    {"2018-04-31T17:45:00Z", "no time"},
    {"2018-02-29T17:45:00Z", "no time"},
    {"2100-02-29T17:45:00Z", "no time"}, // not a leap year: divisible by 100, not by 400
    {"2018-07-18T24:00:00Z", "no time"},
    {"2018-07-18T17:60:00Z", "no time"},
    {"2016-12-31T23:59:60Z", "no time"}, // Unix time has no leap seconds
};

START_TEST(invalid_instants_are_refused)
{
    for (int32_t i = 0; i < COUNT_OF(refused); i++) {
        int64_t unix_ms = -1;
        Status status = {0};
        ck_assert_msg(!iso_time_parse(refused[i].text, place_in("t", 3, 4), &unix_ms, &status),
                      "\"%s\" was read", refused[i].text);
        ck_assert_msg(strstr(status.message, refused[i].message), "\"%s\": %s", refused[i].text,
                      status.message);
        ck_assert_int_eq(status.at.line, 3);
    }
}
END_TEST

START_TEST(each_printer_writes_the_service_s_format)
{
    const int64_t unix_ms = INT64_C(1531935900000) + 182250; // 17:48:02.25
    char text[CIVIL_TEXT];
    iso_time_print(unix_ms, text);
    ck_assert_str_eq(text, "2018-07-18T17:48:02.25Z");
    iso_time_print(unix_ms + 650, text);
    ck_assert_str_eq(text, "2018-07-18T17:48:02.9Z");
    iso_time_print(unix_ms + 757, text);
    ck_assert_str_eq(text, "2018-07-18T17:48:03.007Z");
    az_time_print(unix_ms, text);
    ck_assert_str_eq(text, "2018-07-18T17:48:02+00:00");
    stamp_print(unix_ms, text);
    ck_assert_str_eq(text, "20180718t174802z");
    iso_time_print(INT64_C(253402300800000), text);
    ck_assert_str_eq(text, "10000-01-01T00:00:00Z");
}
END_TEST

START_TEST(every_day_of_eight_centuries_follows_the_one_before)
{
    static const int32_t month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    CivilTime expected = {.year = 1600, .month = 1, .day = 1};
    for (int64_t unix_ms = civil_to_unix_ms(expected); expected.year < 2400; unix_ms += 86400000) {
        const CivilTime civil = civil_from_unix_ms(unix_ms);
        ck_assert_msg(civil.year == expected.year && civil.month == expected.month &&
                          civil.day == expected.day,
                      "%d-%d-%d came as %d-%d-%d", expected.year, expected.month, expected.day,
                      civil.year, civil.month, civil.day);
        ck_assert_int_eq(civil_to_unix_ms(civil), unix_ms);
        const bool is_leap =
            expected.year % 4 == 0 && (expected.year % 100 != 0 || expected.year % 400 == 0);
        const int32_t days = month_days[expected.month - 1] + (expected.month == 2 && is_leap);
        if (expected.day++ == days) {
            expected.day = 1;
            if (expected.month++ == 12) {
                expected.month = 1;
                expected.year++;
            }
        }
    }
}
END_TEST

START_TEST(instants_before_1970_and_far_from_it_are_supported)
{
    const CivilTime before = civil_from_unix_ms(-1);
    ck_assert_int_eq(before.year, 1969);
    ck_assert_int_eq(before.day, 31);
    ck_assert_int_eq(before.millisecond, 999);
    const int64_t far[] = {INT64_MIN, INT64_MIN / 2, INT64_MAX / 2, INT64_MAX};
    char text[CIVIL_TEXT];
    for (int32_t i = 0; i < COUNT_OF(far); i++) {
        if (far[i] > INT64_MIN) // its day begins before the first instant that fits
            ck_assert_int_eq(civil_to_unix_ms(civil_from_unix_ms(far[i])), far[i]);
        iso_time_print(far[i], text);
        ck_assert_int_eq(text[strlen(text) - 1], 'Z'); // complete, not cut
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("civil_time");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, instants_are_read_and_printed);
    tcase_add_test(tests, decimals_may_be_one_to_three);
    tcase_add_test(tests, invalid_instants_are_refused);
    tcase_add_test(tests, each_printer_writes_the_service_s_format);
    tcase_add_test(tests, every_day_of_eight_centuries_follows_the_one_before);
    tcase_add_test(tests, instants_before_1970_and_far_from_it_are_supported);
    suite_add_tcase(suite, tests);
    return suite;
}
