#include "sim/study/fit/fit.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/civil_time.h"
#include "sim/engine/rng.h"
#include "sim/engine/sample.h"
#include "tests/support/suite.h"

enum { JOBS = 20000 };

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* Jobs whose run times come from a distribution, one each `gap_s` seconds. */
static JobList drawn(const Distribution *distribution, int64_t gap_s)
{
    int64_t *submit_ns = ARENA_ARRAY(arena, int64_t, JOBS),
            *run_ns = ARENA_ARRAY(arena, int64_t, JOBS);
    int32_t *gpus = ARENA_ARRAY(arena, int32_t, JOBS);
    for (int32_t i = 0; i < JOBS; i++) {
        submit_ns[i] = i * gap_s * NS_PER_S;
        run_ns[i] = distribution_at(*distribution, rng_word(3, RNG_WORKLOAD, 1, (uint64_t)i));
        gpus[i] = i % 10 == 0 ? 8 : 1;
    }
    return (JobList){.count = JOBS, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
}

static const WorkloadFit *fit_of(const JobList *list)
{
    Zone zone;
    ck_assert(zone_find(arena, "UTC", &zone));
    return workload_fit(arena, list, 0, true, zone);
}

static bool is_near(double value, double expected, double tolerance)
{
    return fabs(value / expected - 1) < tolerance;
}

/* With 20,000 jobs a share is known to 1.36 / sqrt(20000) = 0.0096 in 19 of 20 logs. */
START_TEST(each_formula_is_found_again)
{
    const Distribution lognormal = {DISTRIBUTION_LOGNORMAL, .scale = 1144 * NS_PER_S,
                                    .shape_ppm = 1900000};
    const JobList lognormals = drawn(&lognormal, 10);
    const WorkloadFit *fit = fit_of(&lognormals);
    ck_assert_int_eq(fit->best, FIT_LOGNORMAL);
    // The median has a relative standard error of 1.9 / sqrt(20000) = 1.3 %, sigma one of 0.5 %.
    ck_assert(is_near(fit->runs[FIT_LOGNORMAL].scale_s, 1144, 0.05));
    ck_assert(is_near(fit->runs[FIT_LOGNORMAL].shape, 1.9, 0.02));
    ck_assert(fit->runs[FIT_LOGNORMAL].distance < 0.012);

    const Distribution weibull = {DISTRIBUTION_WEIBULL, .scale = 5000 * NS_PER_S,
                                  .shape_ppm = 700000};
    const JobList weibulls = drawn(&weibull, 10);
    fit = fit_of(&weibulls);
    ck_assert_int_eq(fit->best, FIT_WEIBULL);
    ck_assert(is_near(fit->runs[FIT_WEIBULL].scale_s, 5000, 0.05));
    ck_assert(is_near(fit->runs[FIT_WEIBULL].shape, 0.7, 0.04));
    ck_assert(fit->runs[FIT_WEIBULL].distance < 0.015);

    const Distribution exponential = {DISTRIBUTION_EXPONENTIAL, .scale = 3600 * NS_PER_S};
    const JobList exponentials = drawn(&exponential, 10);
    fit = fit_of(&exponentials);
    ck_assert(is_near(fit->runs[FIT_EXPONENTIAL].scale_s, 3600, 0.03));
    ck_assert(fit->runs[FIT_EXPONENTIAL].distance < 0.012);
    ck_assert(is_near(fit->runs[FIT_WEIBULL].shape, 1, 0.04));
}
END_TEST

START_TEST(run_times_of_two_kinds_need_the_table)
{
    static const QuantileKnot knots[] = {{0, 10 * NS_PER_S},
                                         {500000, 20 * NS_PER_S},
                                         {500001, 50000 * NS_PER_S},
                                         {1000000, 60000 * NS_PER_S}};
    const Distribution two = {DISTRIBUTION_QUANTILES, .quantiles = {4, knots}};
    const JobList list = drawn(&two, 10);
    const WorkloadFit *fit = fit_of(&list);
    ck_assert_int_eq(fit->best, FIT_QUANTILES);
    ck_assert(fit->runs[FIT_LOGNORMAL].distance > 0.1);
    ck_assert_msg(fit->runs[FIT_QUANTILES].distance < 0.01, "%g with %d knots",
                  fit->runs[FIT_QUANTILES].distance, fit->knot_count);
    for (int32_t i = 1; i < fit->knot_count; i++)
        ck_assert(fit->knots[i].value >= fit->knots[i - 1].value);
}
END_TEST

START_TEST(quantiles_invert_the_distributions)
{
    const Distribution lognormal = {DISTRIBUTION_LOGNORMAL, .scale = 1144 * NS_PER_S,
                                    .shape_ppm = 1000000};
    const JobList list = drawn(&lognormal, 10);
    const WorkloadFit *fit = fit_of(&list);
    const Fit *exponential = &fit->runs[FIT_EXPONENTIAL];
    ck_assert(
        is_near(fit_quantile_s(fit, FIT_EXPONENTIAL, 0.5), exponential->scale_s * 0.6931472, 1e-6));
    ck_assert(
        is_near(fit_quantile_s(fit, FIT_LOGNORMAL, 0.5), fit->runs[FIT_LOGNORMAL].scale_s, 1e-9));
    ck_assert(is_near(fit_quantile_s(fit, FIT_WEIBULL, 0.632120558829),
                      fit->runs[FIT_WEIBULL].scale_s, 1e-6));
    ck_assert(is_near(fit_quantile_s(fit, FIT_QUANTILES, 0.9), fit_log_quantile_s(fit, 0.9), 0.01));
}
END_TEST

/* Jobs of the working hours of one zone, over two whole weeks. */
START_TEST(arrivals_are_counted_by_weekday_and_hour_of_the_zone)
{
    enum { DAYS = 14, PER_HOUR = 10, FIRST = 9, LAST = 16, COUNT = DAYS * 8 * PER_HOUR };
    const CivilTime monday = {.year = 2024, .month = 1, .day = 1};
    const int64_t origin_ns = civil_to_unix_ms(monday) * NS_PER_MS - 8 * NS_PER_HOUR; // 00:00 +08
    int64_t *submit_ns = ARENA_ARRAY(arena, int64_t, COUNT),
            *run_ns = ARENA_ARRAY(arena, int64_t, COUNT);
    int32_t *gpus = ARENA_ARRAY(arena, int32_t, COUNT), count = 0;
    for (int32_t day = 0; day < DAYS; day++)
        for (int32_t hour = FIRST; hour <= LAST; hour++)
            for (int32_t i = 0; i < PER_HOUR; i++) {
                submit_ns[count] = day * NS_PER_DAY + hour * NS_PER_HOUR + i * 6 * NS_PER_MIN;
                run_ns[count] = NS_PER_S * (i + 1);
                gpus[count++] = 1 + i % 3;
            }
    const JobList list = {.count = count, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
    Zone zone;
    ck_assert(zone_find(arena, "Asia/Shanghai", &zone));
    const WorkloadFit *fit = workload_fit(arena, &list, origin_ns, true, zone);
    ck_assert(fit->arrivals[0][FIRST] == 2 * PER_HOUR && fit->arrivals[6][LAST] == 2 * PER_HOUR);
    ck_assert(fit->arrivals[0][FIRST - 1] == 0 && fit->arrivals[0][LAST + 1] == 0);
    double sum = 0;
    for (int32_t hour = 0; hour < FIT_HOURS; hour++)
        sum += fit->hour_factors[hour];
    ck_assert(is_near(sum, FIT_HOURS, 1e-9));
    // 09:00 in Shanghai is 01:00 UTC; the factor is about 24 / 8.
    ck_assert(fit->hour_factors[1] > 2.8 && fit->hour_factors[1] < 3.2 &&
              fit->hour_factors[0] == 0);
    ck_assert(fit->size_count == 3 && fit->sizes[0].jobs == 4 * DAYS * 8);
    ck_assert_int_eq(fit->sizes[0].share_ppm + fit->sizes[1].share_ppm + fit->sizes[2].share_ppm,
                     PPM);
}
END_TEST

/* Jobs from 08:00 to 18:00 UTC, each ten minutes on a weekday and each hour on a weekend, for so
 * many days from a Thursday on, until noon of the last one. */
static JobList quiet_weekends(int32_t days)
{
    int64_t *submit_ns = ARENA_ARRAY(arena, int64_t, days * 60),
            *run_ns = ARENA_ARRAY(arena, int64_t, days * 60);
    int32_t *gpus = ARENA_ARRAY(arena, int32_t, days * 60), count = 0;
    for (int32_t day = 0; day < days; day++) {
        const int32_t step_min = (day + 3) % 7 >= 5 ? 60 : 10;
        for (int32_t minute = 8 * 60; minute < (day == days - 1 ? 12 : 18) * 60;
             minute += step_min) {
            submit_ns[count] = day * NS_PER_DAY + minute * NS_PER_MIN;
            run_ns[count] = NS_PER_MIN;
            gpus[count++] = 1;
        }
    }
    return (JobList){.count = count, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
}

/* The arrivals that the factors and the rate of the fit give in the span of the log. */
static double expected_arrivals(const WorkloadFit *fit)
{
    double sum = 0;
    for (int64_t s = 0; s < fit->span_ns / NS_PER_S; s++) {
        const int32_t hour = week_hour_at(s * 1000);
        sum += fit->hour_factors[hour % FIT_HOURS] * fit->weekday_factors[hour / FIT_HOURS];
    }
    return sum * (double)fit->jobs / fit->factors_s;
}

START_TEST(weekdays_are_fitted_from_two_weeks_on)
{
    // Six times as many jobs on five days: factors 6 x 7 / 32 and 7 / 32. The last day, a Friday
    // until noon, has 240 of 600 minutes with jobs; without the factors of hours it would look
    // quieter than the other Fridays.
    const JobList list = quiet_weekends(16);
    const WorkloadFit *fit = fit_of(&list);
    ck_assert(fit->has_weekdays);
    for (int32_t day = 0; day < FIT_DAYS; day++)
        ck_assert_msg(is_near(fit->weekday_factors[day], (day < 5 ? 6 : 1) * 7.0 / 32, 0.03),
                      "day %d: %g", day, fit->weekday_factors[day]);
    ck_assert(is_near(expected_arrivals(fit), (double)list.count, 1e-6));
    // All whole days of a weekday are alike.
    for (int32_t day = 0; day < FIT_DAYS; day++)
        ck_assert_double_lt(fit->weekday_errors[day], 1e-9);
    // The span has three Thursdays and Fridays: a rate of all jobs in the span would be too high.
    ck_assert_double_gt(fit->factors_s, 1.02 * (double)fit->span_ns / (double)NS_PER_S);
    const JobList two_weeks = quiet_weekends(14), short_list = quiet_weekends(13);
    ck_assert(fit_of(&two_weeks)->has_weekdays);
    fit = fit_of(&short_list);
    ck_assert(!fit->has_weekdays);
    for (int32_t day = 0; day < FIT_DAYS; day++)
        ck_assert_double_eq(fit->weekday_factors[day], 1);
    Zone zone;
    ck_assert(zone_find(arena, "UTC", &zone));
    ck_assert(!workload_fit(arena, &list, 0, false, zone)->has_weekdays);
}
END_TEST

/* Two Saturdays of 10 and 30 jobs, 20 on average: the standard error of the mean is 10. All other
 * days have 20 jobs. */
START_TEST(the_error_of_a_weekday_is_that_of_its_days)
{
    enum { DAYS = 14, COUNT = DAYS * 20 };
    int64_t *submit_ns = ARENA_ARRAY(arena, int64_t, COUNT),
            *run_ns = ARENA_ARRAY(arena, int64_t, COUNT);
    int32_t *gpus = ARENA_ARRAY(arena, int32_t, COUNT), count = 0;
    for (int32_t day = 0; day < DAYS; day++) // from a Monday on
        for (int32_t i = 0; i < (day == 5 ? 10 : day == 12 ? 30 : 20); i++) {
            submit_ns[count] = day * NS_PER_DAY + i * NS_PER_HOUR / 2;
            gpus[count++] = 1;
        }
    submit_ns[COUNT - 1] = DAYS * NS_PER_DAY - NS_PER_S; // the last day is not whole
    const JobList list = {.count = count, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
    Zone zone;
    ck_assert(zone_find(arena, "UTC", &zone));
    const WorkloadFit *fit = workload_fit(arena, &list, 4 * NS_PER_DAY, true, zone);
    ck_assert(is_near(fit->weekday_factors[5], 1, 0.02));
    ck_assert(is_near(fit->weekday_errors[5], 0.5 * fit->weekday_factors[5], 1e-9));
    ck_assert_double_eq(fit->weekday_errors[0], 0); // no differences
    ck_assert_double_eq(fit->weekday_errors[6], 0); // one whole day
}
END_TEST

/* Ten hours of one day: the factors of the other hours are 0, so those of its hours are high, and
 * the rate is that of all jobs in a day. */
START_TEST(a_log_of_a_few_hours_has_a_rate_that_gives_its_jobs)
{
    const JobList list = quiet_weekends(1);
    const WorkloadFit *fit = fit_of(&list);
    ck_assert_int_eq(fit->jobs, 24);
    ck_assert(is_near(expected_arrivals(fit), 24, 1e-6));
}
END_TEST

START_TEST(a_single_job_and_equal_jobs_can_be_fitted)
{
    int64_t submit_ns[3] = {0}, run_ns[3] = {0, 0, 0};
    int32_t gpus[3] = {2, 2, 2};
    const JobList one = {.count = 1, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
    const WorkloadFit *fit = fit_of(&one);
    ck_assert(fit->jobs == 1 && fit->span_ns == NS_PER_S && fit->sizes[0].share_ppm == PPM);
    const JobList three = {.count = 3, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
    fit = fit_of(&three);
    for (int32_t i = 0; i < FIT_KIND_COUNT; i++)
        ck_assert(isfinite(fit->runs[i].scale_s) && isfinite(fit->runs[i].distance) &&
                  isfinite(fit_quantile_s(fit, (FitKind)i, 0.5)));
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("fit");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, each_formula_is_found_again);
    tcase_add_test(cases, run_times_of_two_kinds_need_the_table);
    tcase_add_test(cases, quantiles_invert_the_distributions);
    tcase_add_test(cases, arrivals_are_counted_by_weekday_and_hour_of_the_zone);
    tcase_add_test(cases, weekdays_are_fitted_from_two_weeks_on);
    tcase_add_test(cases, the_error_of_a_weekday_is_that_of_its_days);
    tcase_add_test(cases, a_log_of_a_few_hours_has_a_rate_that_gives_its_jobs);
    tcase_add_test(cases, a_single_job_and_equal_jobs_can_be_fitted);
    Suite *suite = suite_create("fit");
    suite_add_tcase(suite, cases);
    return suite;
}
