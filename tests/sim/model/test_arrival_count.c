#include "sim/model/arrival_count.h"

#include "sim/base/units.h"
#include "tests/support/suite.h"

START_TEST(words_become_ascending_times_of_the_period)
{
    const ArrivalPeriod period = {.begin_ns = 100, .length_ns = 1000};
    uint32_t words[] = {UINT32_MAX, 0, UINT32_C(1) << 31, UINT32_C(1) << 30, UINT32_C(1) << 31};
    int64_t times_ns[5];
    arrival_count_times(&period, words, 5, times_ns);
    const int64_t expected_ns[] = {100, 350, 600, 600, 1099};
    for (int32_t i = 0; i < 5; i++)
        ck_assert_int_eq(times_ns[i], expected_ns[i]);
}
END_TEST

START_TEST(any_number_of_words_is_sorted)
{
    static uint32_t words[300];
    static int64_t times_ns[300];
    const ArrivalPeriod period = {.length_ns = INT64_C(1) << 32};
    for (int64_t count = 0; count <= 300; count++) {
        uint64_t sum = 0, sorted = 0;
        for (int64_t i = 0; i < count; i++) {
            words[i] = (uint32_t)(i * i * 2654435761U % 1009);
            sum += words[i];
        }
        arrival_count_times(&period, words, count, times_ns);
        for (int64_t i = 0; i < count; i++) {
            sorted += (uint64_t)times_ns[i];
            ck_assert(i == 0 || times_ns[i] >= times_ns[i - 1]);
        }
        ck_assert_uint_eq(sorted, sum);
    }
}
END_TEST

START_TEST(times_follow_the_hours_of_the_calendar)
{
    // From 08:30 UTC on: half an hour of hour 8 (factor 2), an hour of hour 9 (0), half of hour 10
    // (6). A quarter of all words is in the first part.
    int64_t hour_ppm[24] = {[8] = 2, [10] = 6};
    const ArrivalPeriod period = {.begin_ns = 30 * NS_PER_MIN,
                                  .length_ns = 2 * NS_PER_HOUR,
                                  .start_unix_ms = 8 * INT64_C(3600000),
                                  .hour_ppm = hour_ppm};
    uint32_t words[] = {0, (UINT32_C(1) << 30) - 1, UINT32_C(1) << 30, UINT32_C(5) << 29};
    int64_t times_ns[4];
    arrival_count_times(&period, words, 4, times_ns);
    ck_assert_int_eq(times_ns[0], 30 * NS_PER_MIN);
    ck_assert_int_lt(times_ns[1], NS_PER_HOUR);
    ck_assert_int_ge(times_ns[1], NS_PER_HOUR - NS_PER_S);
    ck_assert_int_eq(times_ns[2], 2 * NS_PER_HOUR);
    ck_assert_int_eq(times_ns[3], 2 * NS_PER_HOUR + 15 * NS_PER_MIN);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("arrival_count");
    TCase *tests = tcase_create("counted");
    tcase_add_test(tests, words_become_ascending_times_of_the_period);
    tcase_add_test(tests, any_number_of_words_is_sorted);
    tcase_add_test(tests, times_follow_the_hours_of_the_calendar);
    suite_add_tcase(suite, tests);
    return suite;
}
