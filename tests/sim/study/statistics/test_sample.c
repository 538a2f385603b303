#include "sim/study/statistics/sample.h"

#include <math.h>

#include "sim/engine/rng.h"
#include "tests/support/suite.h"

START_TEST(mean_and_standard_error_on_paper)
{
    // 1 2 3 4 5: mean 3, variance (4 + 1 + 0 + 1 + 4) / 4 = 2.5, standard error sqrt(2.5 / 5).
    const double values[] = {1, 2, 3, 4, 5};
    ck_assert_double_eq(statistics_mean(values, 5), 3);
    ck_assert_double_eq_tol(statistics_standard_error(values, 5), sqrt(0.5), 1e-12);
}
END_TEST

START_TEST(the_bound_of_a_mean_is_student_s)
{
    // t(0.95, 4) = 2.1318468 (any table): 3 + 2.1318468 * 0.7071068 = 4.5074.
    const double values[] = {1, 2, 3, 4, 5};
    ck_assert_double_eq_tol(statistics_mean_bound(values, 5, 0.95, BOUND_UPPER), 4.507443, 1e-6);
    ck_assert_double_eq_tol(statistics_mean_bound(values, 5, 0.95, BOUND_LOWER), 1.492557, 1e-6);
    const double equal[] = {7, 7};
    ck_assert_double_eq(statistics_mean_bound(equal, 2, 0.99, BOUND_UPPER), 7);
}
END_TEST

START_TEST(a_quantile_is_one_of_the_values)
{
    double values[] = {5, 1, 4, 2, 3, 8, 7, 6, 10, 9};
    statistics_sort(values, 10);
    ck_assert_double_eq(statistics_quantile(values, 10, 0.5), 5);
    ck_assert_double_eq(statistics_quantile(values, 10, 0.51), 6);
    ck_assert_double_eq(statistics_quantile(values, 10, 0.7), 7); // 0.7 * 10 > 7 in binary
    ck_assert_double_eq(statistics_quantile(values, 10, 0.95), 10);
    ck_assert_double_eq(statistics_quantile(values, 10, 0.001), 1);
}
END_TEST

static const struct {
    int32_t count;
    double quantile, confidence;
    BoundSide side;
    int32_t rank;
    const char *why;
} ranks[] = {
    {59, 0.95, 0.95, BOUND_UPPER, 59, "1 - 0.95^59 = 0.9515: the largest of 59 will do"},
    {58, 0.95, 0.95, BOUND_UPPER, 0, "1 - 0.95^58 = 0.9490: too few"},
    {59, 0.05, 0.95, BOUND_LOWER, 1, "the same turned around"},
    {58, 0.05, 0.95, BOUND_LOWER, 0, "the same turned around"},
    {5, 0.5, 0.95, BOUND_UPPER, 5, "1 - 1/32 = 0.969"},
    {4, 0.5, 0.95, BOUND_UPPER, 0, "1 - 1/16 = 0.9375"},
    {10, 0.5, 0.94, BOUND_UPPER, 8, "P(at most 7 of 10) = 968/1024 = 0.9453"},
    {10, 0.5, 0.95, BOUND_UPPER, 9, "P(at most 8 of 10) = 1013/1024 = 0.9893"},
    {10, 0.5, 0.95, BOUND_LOWER, 2, "P(at least 2 of 10) = 1013/1024"},
    {1, 0.5, 0.5, BOUND_UPPER, 1, "one value is as often above as below"},
};

START_TEST(the_rank_that_bounds_a_quantile_is_binomial)
{
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
        ck_assert_msg(statistics_quantile_rank(ranks[i].count, ranks[i].quantile,
                                               ranks[i].confidence, ranks[i].side) == ranks[i].rank,
                      "%s", ranks[i].why);
}
END_TEST

/* Uniform values in (0, 1), because their quantiles and their mean are known. */
static double uniform(uint64_t sample, uint64_t draw)
{
    return ((double)(rng_word(20180718, RNG_IDENTITY, sample, draw) >> 11) + 0.5) * 0x1p-53;
}

START_TEST(bounds_hold_as_often_as_they_promise)
{
    enum { SAMPLES = 4000, COUNT = 80 };
    int32_t mean_holds = 0, quantile_holds = 0;
    int32_t rank = statistics_quantile_rank(COUNT, 0.9, 0.9, BOUND_UPPER);
    for (uint64_t s = 0; s < SAMPLES; s++) {
        double values[COUNT];
        for (uint64_t i = 0; i < COUNT; i++)
            values[i] = uniform(s, i);
        mean_holds += statistics_mean_bound(values, COUNT, 0.9, BOUND_UPPER) >= 0.5;
        statistics_sort(values, COUNT);
        quantile_holds += values[rank - 1] >= 0.9;
    }
    // 3 standard deviations of a share of 0.9 over 4000: 3 * sqrt(0.09 / 4000) = 1.4 %. Ranks are
    // whole, so the quantile's bound may be surer than asked for.
    ck_assert_double_eq_tol((double)mean_holds / SAMPLES, 0.9, 0.015);
    ck_assert_double_ge((double)quantile_holds / SAMPLES, 0.885);
    ck_assert_double_le((double)quantile_holds / SAMPLES, 0.97);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("statistics");
    TCase *tests = tcase_create("statistics");
    tcase_add_test(tests, mean_and_standard_error_on_paper);
    tcase_add_test(tests, the_bound_of_a_mean_is_student_s);
    tcase_add_test(tests, a_quantile_is_one_of_the_values);
    tcase_add_test(tests, the_rank_that_bounds_a_quantile_is_binomial);
    tcase_add_test(tests, bounds_hold_as_often_as_they_promise);
    suite_add_tcase(suite, tests);
    return suite;
}
