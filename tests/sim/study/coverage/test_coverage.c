/* How often intervals contain the truth, for cheap samples (tests/support/studies.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/study/statistics/bootstrap.h"
#include "sim/study/statistics/compare.h"
#include "sim/study/statistics/sample.h"
#include "sim/study/statistics/steady.h"
#include "tests/support/studies.h"
#include "tests/support/suite.h"

/* --- Means --- */

static double symmetrical(Random *random)
{
    return 10 + random_standard_normal(random);
}

static double skewed(Random *random)
{
    return random_exponential(random);
}

static double even(Random *random)
{
    return random_uniform(random);
}

START_TEST(t_intervals_of_exact_distributions_cover)
{
    static const struct {
        const char *of;
        double (*draw)(Random *random);
        double truth;
        int32_t count;
        double least, most, width;
    } rows[] = {
        {"normal, 2 values", symmetrical, 10, 2, .94, .96, .75},
        {"normal, 5 values", symmetrical, 10, 5, .94, .96, .13},
        {"normal, 20 values", symmetrical, 10, 20, .94, .96, .05},
        {"uniform, 20 values", even, .5, 20, .94, .96, .28},
        // Skewness 2 costs 3 % at 20 values, a known limit of t (Student's own paper has it).
        {"exponential, 20 values", skewed, 1, 20, .90, .94, .50},
        {"exponential, 100 values", skewed, 1, 100, .93, .96, .22},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Coverage coverage = {0};
        for (uint64_t study = 0; study < (uint64_t)studies_of(10000); study++) {
            Random random = random_of(study, i);
            double values[100];
            for (int32_t n = 0; n < rows[i].count; n++)
                values[n] = rows[i].draw(&random);
            Estimate estimate = estimate_mean(values, rows[i].count, .95);
            coverage_count_estimate(&coverage, &estimate, rows[i].truth);
        }
        coverage_check("t", rows[i].of, &coverage, rows[i].least, rows[i].most, rows[i].width);
    }
}
END_TEST

START_TEST(runs_that_are_too_short_say_so)
{
    int32_t marked = 0;
    Arena *arena = arena_create();
    StudyWaits waits = study_create(arena, 20, 500, 0);
    for (uint64_t study = 0; study < (uint64_t)studies_of(900); study++) {
        const double *runs[20];
        study_simulate(&waits, &mm1_95, study);
        for (int32_t r = 0; r < 20; r++)
            runs[r] = study_run(&waits, r);
        Replications result = steady_replications(runs, 20, waits.jobs, .05, .95);
        marked += result.mark != STEADY_GOOD;
    }
    arena_destroy(arena);
    printf("  M/M/1 .95 with 10,000 jobs: %" PRId32 " of %" PRId32 " studies say \"too short\"\n",
           marked, studies_of(900));
    ck_assert_int_ge(marked, studies_of(900) * 9 / 10);
}
END_TEST

/* --- One long run --- */

START_TEST(the_drift_test_finds_overload_and_little_else)
{
    static const struct {
        const char *name;
        double load, least, most;
    } rows[] = {{"stable, .5", .5, 0, .03},
                {"stable, .8", .8, 0, .06},
                {"overloaded, 1.1", 1.1, .95, 1},
                {"overloaded, 1.3", 1.3, .99, 1}};
    Arena *arena = arena_create();
    StudyWaits one = study_create(arena, 1, 20000, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        StudyQueue queue = {.load = rows[i].load, .servers = 1};
        int32_t found = 0;
        for (uint64_t study = 0; study < (uint64_t)studies_of(900); study++) {
            study_simulate(&one, &queue, study);
            found += steady_drift(one.waits, one.jobs, .99).mark == STEADY_UNSTABLE;
        }
        double share = (double)found / studies_of(900);
        printf("  drift, %-20s %.3f are called unstable\n", rows[i].name, share);
        ck_assert_double_ge(share, rows[i].least);
        ck_assert_double_le(share, rows[i].most);
    }
    arena_destroy(arena);
}
END_TEST

/* --- Differences --- */

START_TEST(paired_and_welch_intervals_cover)
{
    Coverage paired = {0}, welch = {0};
    double reduction = 0;
    for (uint64_t study = 0; study < (uint64_t)studies_of(10000); study++) {
        Random random = random_of(study, 0);
        double left[20], right[20], other[10];
        for (int32_t i = 0; i < 20; i++) {
            double weather = random_standard_normal(&random);
            left[i] = 11 + weather + .3 * random_standard_normal(&random);
            right[i] = 10 + weather + .3 * random_standard_normal(&random);
        }
        for (int32_t i = 0; i < 10; i++)
            other[i] = 10 + 5 * random_standard_normal(&random);
        Paired of_pairs = compare_paired(left, right, 20, .95);
        coverage_count_estimate(&paired, &of_pairs.difference, 1);
        reduction += of_pairs.variance_reduction / studies_of(10000);
        Welch of_both = compare_welch(left, 20, other, 10, .95);
        coverage_count_estimate(&welch, &of_both.difference, 1);
    }
    coverage_check("paired t, 20 runs", "normal", &paired, .94, .96, .21);
    coverage_check("Welch, 20 and 10 runs", "deviations 1 and 5", &welch, .94, .96, 3.8);
    // 2 * 1.09 / (2 * 0.09) = 12.1; the mean of estimates is a little above.
    ck_assert_double_ge(reduction, 12);
    ck_assert_double_le(reduction, 14.5);
}
END_TEST

START_TEST(holm_keeps_its_promise_for_ten_comparisons)
{
    int32_t wrong = 0, found = 0;
    for (uint64_t study = 0; study < (uint64_t)studies_of(4000); study++) {
        Random random = random_of(study, 0);
        double p_values[10];
        bool is_different[10];
        for (int32_t c = 0; c < 10; c++) {
            double truth = c < 7 ? 0 : 1.2, values[20];
            for (int32_t i = 0; i < 20; i++)
                values[i] = truth + random_standard_normal(&random);
            p_values[c] = compare_p_value(statistics_mean(values, 20),
                                          statistics_standard_error(values, 20), 19);
        }
        compare_holm(p_values, 10, .05, is_different);
        bool is_wrong = false;
        for (int32_t c = 0; c < 10; c++) {
            is_wrong |= c < 7 && is_different[c];
            found += c >= 7 && is_different[c];
        }
        wrong += is_wrong;
    }
    double wrong_share = (double)wrong / studies_of(4000);
    double found_share = found / 3.0 / studies_of(4000);
    printf("  Holm: %.3f of studies with a wrong difference, %.3f of the true ones found\n",
           wrong_share, found_share);
    ck_assert_double_le(wrong_share, .06);
    ck_assert_double_ge(wrong_share, .02); // it is not simply never rejecting
    ck_assert_double_ge(found_share, .9);
}
END_TEST

/* --- Ratios --- */

START_TEST(bootstrapped_ratios_cover)
{
    // Cost per finished job: a cost with noise that depends on the number of jobs.
    Coverage bca = {0}, jackknife = {0};
    for (uint64_t study = 0; study < (uint64_t)studies_of(3000); study++) {
        Arena *arena = arena_create();
        Random random = random_of(study, 0);
        double cost[30], jobs[30];
        for (int32_t i = 0; i < 30; i++) {
            jobs[i] = 20 + 40 * random_exponential(&random);
            cost[i] = 2 * jobs[i] + 30 * random_exponential(&random);
        }
        Ratio ratio = bootstrap_ratio(cost, jobs, 30, .95, study, arena);
        coverage_count(&bca, ratio.bca.low, ratio.bca.high, 2 + 30.0 / 60);
        coverage_count_estimate(&jackknife, &ratio.jackknife, 2 + 30.0 / 60);
        arena_destroy(arena);
    }
    coverage_check("ratio of 30 runs, BCa", "cost per job", &bca, .91, .97, .1);
    coverage_check("ratio of 30 runs, jackknife", "cost per job", &jackknife, .91, .97, .1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("coverage");
    TCase *tests = tcase_create("coverage");
    tcase_add_test(tests, t_intervals_of_exact_distributions_cover);
    tcase_add_test(tests, runs_that_are_too_short_say_so);
    tcase_add_test(tests, the_drift_test_finds_overload_and_little_else);
    tcase_add_test(tests, paired_and_welch_intervals_cover);
    tcase_add_test(tests, holm_keeps_its_promise_for_ten_comparisons);
    tcase_add_test(tests, bootstrapped_ratios_cover);
    suite_add_tcase(suite, tests);
    return suite;
}
