/* How often intervals contain the truth, for waiting times of queues (tests/support/studies.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "sim/study/statistics/pooled.h"
#include "sim/study/statistics/sample.h"
#include "sim/study/statistics/steady.h"
#include "sim/study/statistics/stopping.h"
#include "tests/support/erlang.h"
#include "tests/support/studies.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

/* --- Replications of one length --- */

START_TEST(replication_and_deletion_covers_with_long_runs)
{
    static const struct {
        const StudyQueue *queue;
        int64_t jobs, deleted;
        double least, width;
    } rows[] = {
        {&mm1_5, 2500, 500, .93, .06},
        {&mm1_8, 5000, 1000, .93, .11},
        {&mm1_9, 16000, 2000, .92, .20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Coverage coverage = {0};
        StudyWaits waits = study_create(arena, 20, rows[i].jobs, rows[i].deleted);
        for (uint64_t study = 0; study < (uint64_t)long_studies_of(1000); study++) {
            double means[20];
            study_simulate(&waits, rows[i].queue, study);
            study_means(&waits, means);
            Estimate estimate = estimate_mean(means, 20, .95);
            coverage_count_estimate(&coverage, &estimate, rows[i].queue->mean_wait);
        }
        coverage_check("t on 20 runs", rows[i].queue->name, &coverage, rows[i].least, .97,
                       rows[i].width);
        arena_destroy(arena);
    }
}
END_TEST

/* --- Runs whose length the tool chooses --- */

/* A pilot of 20 runs of 2000 jobs gives the variance; runs are then as long as 5 % at 95 % needs,
 * with a quarter more, because a pilot varies. */
static int64_t chosen_jobs(const StudyQueue *queue, uint64_t study, Arena *scratch)
{
    const double *runs[20];
    StudyWaits pilot = study_create(scratch, 20, 2000, 0);
    study_simulate(&pilot, queue, study + 1000000);
    for (int32_t r = 0; r < 20; r++)
        runs[r] = study_run(&pilot, r);
    Replications first = steady_replications(runs, 20, pilot.jobs, .05, .95);
    return (int64_t)(first.needed * 1.5 / 20) + first.warm_up.deleted;
}

START_TEST(steady_studies_cover_with_the_length_that_their_pilot_forecasts)
{
    static const StudyQueue *const queues[] = {&mm1_5, &mm4_7, &md4_9, &gangs};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        Coverage coverage = {0};
        int64_t jobs = 0;
        for (uint64_t study = 0; study < (uint64_t)long_studies_of(900); study++) {
            Arena *arena = arena_create();
            StudyWaits waits = study_create(arena, 20, chosen_jobs(queues[i], study, arena), 0);
            const double *runs[20];
            study_simulate(&waits, queues[i], study);
            for (int32_t r = 0; r < 20; r++)
                runs[r] = study_run(&waits, r);
            Replications result = steady_replications(runs, 20, waits.jobs, .05, .95);
            coverage.marked += result.mark != STEADY_GOOD;
            coverage_count_estimate(&coverage, &result.estimate, queues[i]->mean_wait);
            jobs += 20 * waits.jobs;
            arena_destroy(arena);
        }
        printf("    mean %" PRId64 " jobs, %" PRId32 " marked\n", jobs / coverage.studies,
               coverage.marked);
        coverage_check("steady, 20 runs, own length", queues[i]->name, &coverage, .93, .975, .055);
    }
}
END_TEST

/* --- Sequential stopping --- */

START_TEST(sequential_stopping_covers)
{
    static const struct {
        const StudyQueue *queue;
        int64_t jobs, deleted;
        double least;
    } rows[] = {{&mm1_5, 1000, 200, .92}, {&mm1_8, 3000, 500, .92}, {&mm1_9, 15000, 3000, .92}};
    enum { RUNS_MOST = 1000 };
    const double width = .1; // of the mean
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Coverage coverage = {0};
        StudyWaits one = study_create(arena, 1, rows[i].jobs, rows[i].deleted);
        int32_t met = 0;
        int64_t runs = 0;
        for (uint64_t study = 0; study < (uint64_t)long_studies_of(1000); study++) {
            double means[RUNS_MOST];
            Estimate estimate = {0};
            int32_t done = 0;
            do {
                for (int32_t next = stopping_next(20, RUNS_MOST, done); done < next; done++) {
                    study_simulate_run(&one, rows[i].queue, study, done);
                    study_means(&one, &means[done]);
                }
                estimate = estimate_mean(means, done, .95);
            } while (estimate_relative_half_width(&estimate) > width && done < RUNS_MOST);
            met += estimate_relative_half_width(&estimate) <= width;
            runs += done;
            coverage_count_estimate(&coverage, &estimate, rows[i].queue->mean_wait);
        }
        printf("    mean %" PRId64 " runs\n", runs / coverage.studies);
        coverage_check("stopped at 10 % half-width", rows[i].queue->name, &coverage, rows[i].least,
                       .97, width);
        ck_assert_int_ge(met, coverage.studies * 95 / 100);
        arena_destroy(arena);
    }
}
END_TEST

/* --- Shares and quantiles --- */

/* The wait that a share `p` of M/M/1's jobs does not exceed: P(W > x) = load exp(-(1 - load) x). */
static double mm1_quantile(double load, double p)
{
    return log(load / (1 - p)) / (1 - load);
}

/* The share of `count` sorted waits that are at most `limit`. */
static double share_within(const double *sorted, int64_t count, double limit)
{
    int64_t within = 0;
    while (within < count && sorted[within] <= limit)
        within++;
    return (double)within / (double)count;
}

static void check_shares_and_quantiles(const StudyQueue *queue, int64_t jobs, int64_t deleted,
                                       const double least[2], const double width[2])
{
    Arena *arena = arena_create();
    Coverage share = {0}, bounds = {0};
    StudyWaits waits = study_create(arena, 20, jobs, deleted);
    const double truth = mm1_quantile(queue->load, .95);
    for (uint64_t study = 0; study < (uint64_t)long_studies_of(900); study++) {
        double shares[20];
        int64_t counts[20];
        RunValues runs[20];
        ArenaMark mark = arena_mark(arena);
        study_simulate(&waits, queue, study);
        for (int32_t r = 0; r < 20; r++) {
            double *kept = study_run(&waits, r) + deleted;
            statistics_sort(kept, (int32_t)(jobs - deleted));
            runs[r] = (RunValues){kept, jobs - deleted};
            shares[r] = share_within(kept, jobs - deleted, truth);
            counts[r] = jobs - deleted;
        }
        Interval of_share = estimate_share(shares, counts, 20, .95);
        coverage_count(&share, of_share.low, of_share.high, .95);
        Interval of_bounds = pooled_quantile_bounds(runs, 20, .95, .95, arena);
        coverage_count(&bounds, of_bounds.low, of_bounds.high, truth);
        arena_rewind(arena, mark);
    }
    coverage_check("share within p95, t on 20 runs", queue->name, &share, least[0], .98, width[0]);
    coverage_check("pooled p95, bounds by shares", queue->name, &bounds, least[1], .98, width[1]);
    arena_destroy(arena);
}

START_TEST(shares_and_pooled_quantiles_cover)
{
    check_shares_and_quantiles(&mm1_5, 2500, 500, (double[]){.92, .92}, (double[]){.01, .10});
    check_shares_and_quantiles(&mm1_8, 5000, 1000, (double[]){.90, .90}, (double[]){.02, .15});
    check_shares_and_quantiles(&mm1_9, 12000, 2000, (double[]){.88, .88}, (double[]){.03, .25});
}
END_TEST

/* --- One long run --- */

START_TEST(batch_means_cover_and_say_when_they_depend)
{
    static const struct {
        const StudyQueue *queue;
        int64_t jobs;
        double least, most_marked, least_marked;
        double variance_error; /* of the asymptotic variance, relative to Daley's */
    } rows[] = {
        {&mm1_5, 100000, .93, .10, 0, .08},
        {&mm1_8, 100000, .91, .20, 0, .12},
        {&mm1_9, 100000, .90, .40, 0, .30},
        {&mm1_95, 20000, 0, 1, .5, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Coverage coverage = {0};
        double variance = 0;
        StudyWaits one = study_create(arena, 1, rows[i].jobs, 0);
        for (uint64_t study = 0; study < (uint64_t)long_studies_of(1200); study++) {
            study_simulate(&one, rows[i].queue, study);
            BatchMeans result = steady_batch_means(one.waits + one.jobs / 20,
                                                   one.jobs - one.jobs / 20, STEADY_BATCHES, .95);
            variance += result.variance / long_studies_of(1200);
            coverage.marked += result.mark != STEADY_GOOD;
            if (result.mark == STEADY_GOOD)
                coverage_count_estimate(&coverage, &result.estimate, rows[i].queue->mean_wait);
        }
        double marked = (double)coverage.marked / long_studies_of(1200);
        double of_daley = variance / daley_variance(rows[i].queue->load);
        printf("    %s: %.3f marked, asymptotic variance %.3f of Daley's\n", rows[i].queue->name,
               marked, of_daley);
        coverage_check("30 batches, lag test passed", rows[i].queue->name, &coverage, rows[i].least,
                       .98, 1);
        const int32_t studies = long_studies_of(1200);
        ck_assert_double_le(marked,
                            rows[i].most_marked + luck_of_share(rows[i].most_marked, studies));
        ck_assert_double_ge(marked,
                            rows[i].least_marked - luck_of_share(rows[i].least_marked, studies));
        ck_assert_double_eq_tol(of_daley, 1, rows[i].variance_error / sqrt(theory_effort()));
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queue_coverage");
    TCase *tests = tcase_create("queue_coverage");
    tcase_add_test(tests, replication_and_deletion_covers_with_long_runs);
    tcase_add_test(tests, steady_studies_cover_with_the_length_that_their_pilot_forecasts);
    tcase_add_test(tests, sequential_stopping_covers);
    tcase_add_test(tests, shares_and_pooled_quantiles_cover);
    tcase_add_test(tests, batch_means_cover_and_say_when_they_depend);
    suite_add_tcase(suite, tests);
    return suite;
}
