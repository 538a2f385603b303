/* Intervals of points and their words: no bound at a value that the metric cannot have. */
#include "sim/study/point_estimate.h"

#include <math.h>

#include "tests/support/suite.h"

START_TEST(an_interval_ends_where_its_metric_does)
{
    static const struct {
        MeasureKind kind;
        double low, high, cut_low, cut_high;
    } rows[] = {
        {MEASURE_MEAN, -2, 4, 0, 4},
        {MEASURE_MEAN, 2, 4, 2, 4},
        {MEASURE_RATIO, -0.1, 2, 0, 2},
        {MEASURE_FRACTION, -0.1, 1.1, 0, 1},
        {MEASURE_SHARE, 0.9, 1.1, 0.9, 1},
        {MEASURE_PERCENTILE, -1, 1.5, 0, 1.5},
        {MEASURE_MEAN, -INFINITY, 4, -INFINITY, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double low = rows[i].low, high = rows[i].high;
        metric_interval_cut(rows[i].kind, &low, &high);
        ck_assert_double_eq(low, rows[i].cut_low);
        ck_assert_double_eq(high, rows[i].cut_high);
    }
    double low = NAN, high = NAN; // unknown bounds stay unknown
    metric_interval_cut(MEASURE_SHARE, &low, &high);
    ck_assert(isnan(low) && isnan(high));
}
END_TEST

START_TEST(an_interval_that_is_cut_has_both_ends_in_words)
{
    static const struct {
        double value, low, high, scale;
        const char *words;
    } rows[] = {
        {1602, 1482, 1722, 1, "1,602 ± 120"},
        {1, 0, 4, 1, "1.0 (0.0 to 4.0)"},
        {3600, 0, 14400, 1.0 / 3600, "1.0 (0.0 to 4.0)"},
        {5, NAN, NAN, 1, "5"},
        {5, 5, 5, 1, "5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text text = {0};
        point_interval_print(rows[i].value, rows[i].low, rows[i].high, rows[i].scale, &text);
        ck_assert_str_eq(text_string(&text), rows[i].words);
        text_free(&text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("point_estimate");
    TCase *tests = tcase_create("point_estimate");
    tcase_add_test(tests, an_interval_ends_where_its_metric_does);
    tcase_add_test(tests, an_interval_that_is_cut_has_both_ends_in_words);
    suite_add_tcase(suite, tests);
    return suite;
}
