#include "sim/study/statistics/steady.h"

#include <math.h>

#include "tests/support/suite.h"

/* Values in (0, 1) without a pattern. */
static double noise(int64_t i)
{
    uint64_t z = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + 12345;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* MSER-5 as its definition says, without updating formulas. */
static int64_t mser5_slowly(const double *series, int64_t count)
{
    int64_t batches = count / 5, best = 0;
    double least = INFINITY;
    for (int64_t d = 0; d < batches - 5; d++) {
        double mean = 0, squares = 0, n = (double)(batches - d);
        double of_batch[1000];
        for (int64_t b = d; b < batches; b++) {
            of_batch[b] = 0;
            for (int64_t i = 0; i < 5; i++)
                of_batch[b] += series[b * 5 + i] / 5;
            mean += of_batch[b] / n;
        }
        for (int64_t b = d; b < batches; b++)
            squares += (of_batch[b] - mean) * (of_batch[b] - mean);
        if (squares / (n * n) < least) {
            least = squares / (n * n);
            best = d;
        }
    }
    return best * 5;
}

START_TEST(mser_deletes_a_clear_warm_up)
{
    double series[1000];
    for (int64_t i = 0; i < 1000; i++)
        series[i] = (i < 100 ? (double)i / 100 * 10 : 10) + noise(i);
    WarmUp warm_up = steady_mser5(series, 1000);
    ck_assert_int_eq(warm_up.mark, STEADY_GOOD);
    ck_assert_int_ge(warm_up.deleted, 85);
    ck_assert_int_le(warm_up.deleted, 130);
    ck_assert_int_eq(warm_up.deleted, mser5_slowly(series, 1000));
}
END_TEST

START_TEST(mser_agrees_with_its_definition)
{
    for (int64_t seed = 0; seed < 50; seed++) {
        double series[300];
        for (int64_t i = 0; i < 300; i++)
            series[i] = exp(-(double)i / (5 + (double)seed)) * 5 + noise(seed * 1000 + i);
        WarmUp warm_up = steady_mser5(series, 300);
        ck_assert_msg(warm_up.deleted == mser5_slowly(series, 300), "seed %d", (int)seed);
    }
}
END_TEST

START_TEST(a_series_that_grows_has_no_end_of_its_warm_up)
{
    double series[1000];
    for (int64_t i = 0; i < 1000; i++)
        series[i] = (double)i + noise(i);
    ck_assert_int_eq(steady_mser5(series, 1000).mark, STEADY_NO_END);
    ck_assert_str_eq(steady_words(STEADY_NO_END),
                     "run too short: the warm-up does not end in its first half");
    ck_assert_int_eq(steady_mser5(series, 49).mark, STEADY_TOO_SHORT);
}
END_TEST

START_TEST(a_constant_series_has_no_warm_up)
{
    double series[100];
    for (int64_t i = 0; i < 100; i++)
        series[i] = 7;
    WarmUp warm_up = steady_mser5(series, 100);
    ck_assert_int_eq(warm_up.deleted, 0);
    ck_assert_int_eq(warm_up.mark, STEADY_GOOD);
    BatchMeans batches = steady_batch_means(series, 100, 5, .95);
    ck_assert_double_eq(batches.estimate.half_width, 0);
    ck_assert_int_eq(batches.mark, STEADY_GOOD);
}
END_TEST

START_TEST(batch_means_on_paper)
{
    // 53 values in 5 batches of 10; the first 3 are left over. Means 4, 5, 6, 7, 8.
    double series[53] = {100, 100, 100};
    for (int32_t i = 0; i < 50; i++)
        series[3 + i] = 4 + i / 10;
    BatchMeans result = steady_batch_means(series, 53, 5, .95);
    ck_assert_double_eq(result.estimate.mean, 6);
    ck_assert_int_eq(result.estimate.count, 5);
    // Deviations -2 -1 0 1 2: products 2 + 0 + 0 + 2 over squares 10.
    ck_assert_double_eq_tol(result.lag1, .4, 1e-15);
    ck_assert_double_eq_tol(result.lag1_limit, 1.6448536 / sqrt(5) - .2, 1e-7);
    ck_assert_double_eq_tol(result.variance, 2.5 * 10, 1e-12);
    ck_assert_int_eq(result.mark, STEADY_GOOD);
    result = steady_batch_means(series, 53, 6, .95);
    ck_assert_int_eq(result.mark, STEADY_TOO_SHORT);
    ck_assert(isinf(result.estimate.half_width));
}
END_TEST

START_TEST(long_waves_make_batches_depend)
{
    double series[3000];
    for (int64_t i = 0; i < 3000; i++)
        series[i] = sin((double)i / 200) + noise(i);
    ck_assert_int_eq(steady_batch_means(series, 3000, 30, .95).mark, STEADY_CORRELATED);
}
END_TEST

START_TEST(drift_is_the_slope_of_the_second_half)
{
    double series[4000];
    for (int64_t i = 0; i < 4000; i++)
        series[i] = (i < 2000 ? 50 : 10 + .01 * (double)i) + noise(i);
    Drift drift = steady_drift(series, 4000, .99);
    ck_assert_int_eq(drift.mark, STEADY_UNSTABLE);
    ck_assert_double_eq_tol(drift.slope, .01, 5e-5);
    ck_assert_double_le(drift.error, 5e-5);
    for (int64_t i = 0; i < 4000; i++)
        series[i] = -series[i];
    ck_assert_int_eq(steady_drift(series, 4000, .99).mark, STEADY_GOOD);
    ck_assert_int_eq(steady_drift(series, 20, .99).mark, STEADY_TOO_SHORT);
}
END_TEST

START_TEST(replications_share_their_warm_up)
{
    static double runs[5][1000];
    const double *rows[5];
    for (int32_t r = 0; r < 5; r++) {
        rows[r] = runs[r];
        for (int64_t i = 0; i < 1000; i++)
            runs[r][i] = (i < 100 ? 0 : 10) + noise(r * 1000 + i);
    }
    Replications good = steady_replications(rows, 5, 1000, .05, .95);
    ck_assert_int_eq(good.mark, STEADY_GOOD);
    ck_assert_int_eq(good.warm_up.deleted, 100);
    ck_assert_double_eq_tol(good.estimate.mean, 10.5, .05);
    // Ten times narrower needs a hundred times as much.
    Replications strict = steady_replications(rows, 5, 1000, .0001, .95);
    ck_assert_int_eq(strict.mark, STEADY_TOO_SHORT);
    ck_assert_double_eq_tol(strict.needed / good.needed, 250000, 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("steady");
    TCase *tests = tcase_create("steady");
    tcase_add_test(tests, mser_deletes_a_clear_warm_up);
    tcase_add_test(tests, mser_agrees_with_its_definition);
    tcase_add_test(tests, a_series_that_grows_has_no_end_of_its_warm_up);
    tcase_add_test(tests, a_constant_series_has_no_warm_up);
    tcase_add_test(tests, batch_means_on_paper);
    tcase_add_test(tests, long_waves_make_batches_depend);
    tcase_add_test(tests, drift_is_the_slope_of_the_second_half);
    tcase_add_test(tests, replications_share_their_warm_up);
    suite_add_tcase(suite, tests);
    return suite;
}
