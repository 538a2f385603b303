#include "sim/study/statistics/trend.h"

#include <math.h>

#include "sim/base/units.h"
#include "sim/cloud/spec/resample.h"
#include "tests/support/studies.h"
#include "tests/support/suite.h"

enum { WEEKS = 26 };
static const int64_t week_ns = 7 * NS_PER_DAY;

START_TEST(steady_growth_is_found_exactly)
{
    double amounts[WEEKS];
    for (int32_t i = 0; i < WEEKS; i++)
        amounts[i] = 500 * pow(1.02, i);
    Interval trend = trend_of(amounts, WEEKS);
    ck_assert_double_eq_tol(trend.value, log(1.02), 1e-12);
    ck_assert(trend_is_known(&trend) && trend_is_sure(&trend));
    Text text = {0};
    trend_print(&text, &trend, week_ns); // 1.02^(365/12/7) = 1.0899
    ck_assert_str_eq(text_string(&text), "9.0 % a month (95 %: 9.0 to 9.0 %)");
    text_free(&text);
    // The mean of e^(g t) for t up to T is (e^(gT) - 1) / gT.
    const double all = WEEKS * log(1.02);
    ck_assert_double_eq_tol(trend_end(&trend, WEEKS), all / (1 - exp(-all)), 1e-12);
    // Two weeks of a holiday and one without any job change nothing.
    amounts[3] = amounts[20] = 30;
    amounts[11] = 0;
    trend = trend_of(amounts, WEEKS);
    ck_assert_double_eq_tol(trend.value, log(1.02), 1e-12);
    ck_assert_int_eq(trend.count, WEEKS - 1);
}
END_TEST

/* Eleven amounts of which one is out of order: 55 slopes, and the interval has the ranks
 * (55 -+ 1.96 sqrt(11 * 10 * 27 / 18)) / 2, the 14th from both ends, rounded down from 14.9. */
START_TEST(the_interval_has_the_ranks_of_sen)
{
    double amounts[11], slopes[55];
    int32_t count = 0;
    for (int32_t i = 0; i < 11; i++)
        amounts[i] = exp(i == 4 ? 0 : sqrt(i));
    for (int32_t i = 0; i < 11; i++)
        for (int32_t j = i + 1; j < 11; j++)
            slopes[count++] = (log(amounts[j]) - log(amounts[i])) / (j - i);
    for (int32_t i = 1; i < 55; i++) // sorted by insertion
        for (int32_t j = i; j > 0 && slopes[j] < slopes[j - 1]; j--) {
            const double larger = slopes[j - 1];
            slopes[j - 1] = slopes[j];
            slopes[j] = larger;
        }
    const Interval trend = trend_of(amounts, 11);
    ck_assert_double_eq_tol(trend.value, slopes[27], 1e-12);
    ck_assert_double_eq_tol(trend.low, slopes[13], 1e-12);
    ck_assert_double_eq_tol(trend.high, slopes[55 - 14], 1e-12);
}
END_TEST

START_TEST(too_few_amounts_have_no_trend)
{
    double amounts[WEEKS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const Interval few = trend_of(amounts, 9);
    ck_assert(!trend_is_known(&few));
    ck_assert_int_eq(trend_of(amounts, 10).count, 10);
    ck_assert_int_eq(trend_of(amounts, WEEKS).count, 10);
    amounts[9] = 0;
    ck_assert_int_eq(trend_of(amounts, WEEKS).count, 0);
}
END_TEST

/* Weeks without a trend, whose amounts differ as lognormal ones: the interval has 0 in 95 %. */
START_TEST(a_trend_that_is_not_there_is_seldom_sure)
{
    enum { LOGS = 4000 };
    int32_t sure = 0;
    Random random = random_of(5, 0);
    for (int32_t i = 0; i < LOGS; i++) {
        double amounts[WEEKS];
        for (int32_t week = 0; week < WEEKS; week++)
            amounts[week] = exp(random_standard_normal(&random));
        const Interval trend = trend_of(amounts, WEEKS);
        sure += trend_is_sure(&trend);
    }
    // 5 %, with a standard error of 0.34 %.
    ck_assert_int_ge(sure, LOGS * 4 / 100);
    ck_assert_int_le(sure, LOGS * 6 / 100);
}
END_TEST

/* Two pieces of a second each have 8 GPUs for 3 s and 2 of 1 GPU, and a job of 2 nodes. */
START_TEST(the_demand_of_a_piece_is_gpus_times_run_time)
{
    const int64_t submit_ns[] = {0, NS_PER_S / 2, NS_PER_S, NS_PER_S + 1, 2 * NS_PER_S};
    const int64_t run_ns[] = {3 * NS_PER_S, NS_PER_S, 0, 5 * NS_PER_S, 7 * NS_PER_S};
    const int32_t gpus[] = {8, 1, 1, JOB_LIST_UNKNOWN, 4}, nodes[] = {1, 1, 1, 2, 1};
    const JobList list = {
        .count = 5, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus, .nodes = nodes};
    double gpu_s[2];
    ck_assert_int_eq(resample_pieces(&list, NS_PER_S), 2);
    resample_piece_demand(&list, NS_PER_S, gpu_s);
    ck_assert_double_eq_tol(gpu_s[0], 25, 1e-9);
    ck_assert_double_eq_tol(gpu_s[1], 10, 1e-9);
    ck_assert_int_eq(trend_of_jobs(&list, NS_PER_S).count, 0);
    ck_assert_int_eq(trend_of_jobs(&list, NS_PER_S / 1000).count, 0); // of 2,000 only 5 have jobs
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("trend");
    TCase *tests = tcase_create("trend");
    tcase_add_test(tests, steady_growth_is_found_exactly);
    tcase_add_test(tests, the_interval_has_the_ranks_of_sen);
    tcase_add_test(tests, too_few_amounts_have_no_trend);
    tcase_add_test(tests, a_trend_that_is_not_there_is_seldom_sure);
    tcase_add_test(tests, the_demand_of_a_piece_is_gpus_times_run_time);
    suite_add_tcase(suite, tests);
    return suite;
}
