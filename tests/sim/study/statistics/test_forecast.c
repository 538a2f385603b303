#include "sim/study/statistics/forecast.h"

#include <math.h>

#include "sim/study/statistics/distribution.h"
#include "tests/support/suite.h"

START_TEST(a_pilot_tells_how_many_runs_are_needed)
{
    const Estimate pilot = {.mean = 100, .half_width = 20, .count = 20, .confidence = .95};
    double deviation = 20 / student_quantile(.975, 19) * sqrt(20);
    for (double relative = .02; relative < .6; relative *= 1.3) {
        double n = forecast_runs(&pilot, relative);
        double half = student_quantile(.975, n - 1) * deviation / sqrt(n);
        ck_assert_double_le(half, relative * 100 * 1.000001);
        if (n > 2 && n < 1000)
            ck_assert_double_gt(student_quantile(.975, n - 2) * deviation / sqrt(n - 1),
                                relative * 100);
    }
    ck_assert_double_eq(forecast_runs(&pilot, .2), 20);
    const Estimate one = {.mean = 100, .half_width = INFINITY, .count = 1, .confidence = .95};
    ck_assert(isinf(forecast_runs(&one, .1)));
    const Estimate zero = {.mean = 0, .half_width = 1, .count = 20, .confidence = .95};
    ck_assert(isinf(forecast_runs(&zero, .1)));
    const Estimate equal = {.mean = 5, .half_width = 0, .count = 20, .confidence = .95};
    ck_assert_double_eq(forecast_runs(&equal, .1), 20);
}
END_TEST

START_TEST(counts_are_printed_roughly)
{
    static const struct {
        double count;
        const char *words;
    } rows[] = {{44.2, "about 45"},       {999, "about 999"},
                {999.7, "about 1.0 k"},   {44560.9, "about 45 k"},
                {681047, "about 681 k"},  {999800, "about 1.0 M"},
                {3114000, "about 3.1 M"}, {9.96e6, "about 10 M"},
                {2.5e9, "about 2.5 G"},   {INFINITY, "more than 10^15"},
                {NAN, "more than 10^15"}, {1, "about 1"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text text = {0};
        forecast_count_print(&text, rows[i].count);
        ck_assert_str_eq(text_string(&text), rows[i].words);
        text_free(&text);
    }
    Text text = {0};
    forecast_too_short_print(&text, 3.1e6, "jobs");
    ck_assert_str_eq(text_string(&text), "run too short: needs about 3.1 M jobs");
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("forecast");
    TCase *tests = tcase_create("forecast");
    tcase_add_test(tests, a_pilot_tells_how_many_runs_are_needed);
    tcase_add_test(tests, counts_are_printed_roughly);
    suite_add_tcase(suite, tests);
    return suite;
}
