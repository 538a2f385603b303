#include "sim/model/arrival_count.h"

#include "sim/base/units.h"
#include "sim/model/week_hours.h"
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
    const int64_t factors[HOURS_A_WEEK] = {[3 * 24 + 8] = 2, [3 * 24 + 10] = 6}; // a Thursday
    const ArrivalPeriod period = {.begin_ns = 30 * NS_PER_MIN,
                                  .length_ns = 2 * NS_PER_HOUR,
                                  .start_unix_ms = 8 * INT64_C(3600000),
                                  .factors = factors};
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

/* Factors of hours and weekdays, some of them 0. */
static void mixed_factors(int64_t factors[HOURS_A_WEEK], int64_t seed)
{
    for (int64_t hour = 0; hour < HOURS_A_WEEK; hour++)
        factors[hour] = (hour % HOURS_A_DAY * 5 + seed) % 4 * ((hour / HOURS_A_DAY + seed) % 3);
}

/* The same times, found one second after the other. */
START_TEST(times_agree_with_a_walk_through_the_period)
{
    enum { SECONDS = 9 * 24 * 3600, COUNT = 500 };
    static uint32_t words[COUNT];
    static int64_t times_ns[COUNT];
    for (int64_t seed = 1; seed <= 8; seed++) {
        int64_t factors[HOURS_A_WEEK], whole = 0, passed = 0, second = 0;
        mixed_factors(factors, seed);
        const ArrivalPeriod period = {.begin_ns = seed * 1000 * NS_PER_S,
                                      .length_ns = SECONDS * NS_PER_S,
                                      .start_unix_ms = seed * INT64_C(123456000),
                                      .factors = factors};
        const int64_t begin_ms = period.start_unix_ms + seed * 1000000;
        for (int64_t i = 0; i < SECONDS; i++)
            whole += factors[week_hour_at(begin_ms + i * 1000)];
        for (uint32_t i = 0; i < COUNT; i++)
            words[i] = (i * 7 + (uint32_t)seed) * UINT32_C(2654435761);
        arrival_count_times(&period, words, COUNT, times_ns);
        for (int32_t i = 0; i < COUNT; i++) {
            const double at = (double)words[i] / 4294967296.0 * (double)whole;
            int64_t factor = factors[week_hour_at(begin_ms + second * 1000)];
            while ((double)(passed + factor) <= at) {
                passed += factor;
                factor = factors[week_hour_at(begin_ms + ++second * 1000)];
            }
            ck_assert_int_eq((times_ns[i] - period.begin_ns) / NS_PER_S, second);
        }
    }
}
END_TEST

/* Also the largest factors in the longest period. */
START_TEST(only_the_proportions_of_factors_count)
{
    enum { COUNT = 200 };
    static const int64_t lengths_ns[] = {7 * NS_PER_DAY, 30 * NS_PER_DAY, INT64_MAX / 2};
    static uint32_t words[2][COUNT];
    static int64_t times_ns[2][COUNT];
    int64_t small[HOURS_A_WEEK], large[HOURS_A_WEEK];
    mixed_factors(small, 2);
    for (int32_t hour = 0; hour < HOURS_A_WEEK; hour++)
        large[hour] = small[hour] * 1666 * FACTOR_ONE; // the largest product is 6
    for (size_t l = 0; l < sizeof lengths_ns / sizeof lengths_ns[0]; l++) {
        ArrivalPeriod period = {.length_ns = lengths_ns[l], .factors = small};
        for (uint32_t i = 0; i < COUNT; i++)
            words[0][i] = words[1][i] = i == 0 ? UINT32_MAX : i * UINT32_C(2654435761);
        arrival_count_times(&period, words[0], COUNT, times_ns[0]);
        period.factors = large;
        arrival_count_times(&period, words[1], COUNT, times_ns[1]);
        for (int32_t i = 0; i < COUNT; i++)
            ck_assert_int_eq(times_ns[0][i], times_ns[1][i]);
        ck_assert_int_lt(times_ns[1][COUNT - 1], lengths_ns[l]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("arrival_count");
    TCase *tests = tcase_create("counted");
    tcase_add_test(tests, words_become_ascending_times_of_the_period);
    tcase_add_test(tests, any_number_of_words_is_sorted);
    tcase_add_test(tests, times_follow_the_hours_of_the_calendar);
    tcase_add_test(tests, times_agree_with_a_walk_through_the_period);
    tcase_add_test(tests, only_the_proportions_of_factors_count);
    suite_add_tcase(suite, tests);
    return suite;
}
