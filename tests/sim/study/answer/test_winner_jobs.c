#include "sim/study/answer/winner_jobs.h"

#include "tests/support/small_scenario_fixture.h"

#define HEADING                                                                                    \
    "point,seed,seed,workload,job,slots,submitted_s,queue_s,run_s,turnaround_s,state,waiting\n"

static bool parsed(const char *text, WinnerJobs *jobs, Problems *problems)
{
    *problems = problems_create(arena);
    return winner_jobs_parse(arena, "winner-jobs.csv", text, strlen(text), jobs, problems);
}

/* Two runs, of which the factor "seed" is not the seed. Waits: 0, 90 and 100 s; one job of size 8
 * still waits after 50 s. */
static const char two_runs[] = HEADING "4,low,7,day,1,1,0,0,60,60,succeeded,0\n"
                                       "4,low,7,day,2,1,10,90,60,150,succeeded,0\n"
                                       "4,low,8,day,1,1,0,100,60,160,succeeded,0\n"
                                       "4,low,8,day,2,8,100,50,,,unfinished,1\n";

START_TEST(jobs_belong_to_runs_by_their_seeds)
{
    WinnerJobs jobs;
    Problems problems;
    ck_assert(parsed(two_runs, &jobs, &problems));
    ck_assert_int_eq(jobs.point, 4);
    ck_assert_int_eq(jobs.first_seed, 7);
    ck_assert_int_eq(jobs.run_count, 2);
    ck_assert_int_eq(jobs.count, 4);
    ck_assert_int_eq(jobs.jobs[1].run, 0);
    ck_assert_int_eq(jobs.jobs[3].run, 1);
    ck_assert(jobs.jobs[3].is_waiting);
}
END_TEST

START_TEST(a_wait_that_has_not_ended_is_within_no_time)
{
    WinnerJobs jobs;
    Problems problems;
    WaitCurve curves[WAIT_CLASSES_MAX];
    ck_assert(parsed(two_runs, &jobs, &problems));
    ck_assert_int_eq(winner_wait_curves(arena, &jobs, curves), 3); // all, size 1, size 8
    const int32_t last = curves[0].count - 1;
    ck_assert_double_eq_tol(curves[0].x_s[0], 1, 1e-12);
    ck_assert_double_eq_tol(curves[0].x_s[last], 100, 1e-6);
    ck_assert_double_eq_tol(curves[0].shares[0], 0.25, 1e-12);
    ck_assert_double_eq_tol(curves[0].shares[last], 0.75, 1e-12);
    ck_assert_str_eq(curves[1].name, "jobs of size 1");
    ck_assert_double_eq_tol(curves[1].shares[last], 1, 1e-12);
    ck_assert_double_eq_tol(curves[2].shares[last], 0, 1e-12);
    for (int32_t c = 0; c < 3; c++)
        for (int32_t k = 1; k <= last; k++) {
            ck_assert_double_ge(curves[c].low[k], curves[c].low[k - 1]);
            ck_assert_double_ge(curves[c].high[k], curves[c].high[k - 1]);
        }
}
END_TEST

/* In 150 s with 3 parts of 50 s: run 7 has one job waiting from 10 to 100 s, 0.8, 1 and 0 of the
 * parts; run 8 one from 0 to 100 and one from 100 to 150: 1, 1, 1. */
START_TEST(the_queue_is_a_mean_over_time_and_runs)
{
    WinnerJobs jobs;
    Problems problems;
    ck_assert(parsed(two_runs, &jobs, &problems));
    const QueueCurve queue = winner_queue(arena, &jobs, 0, 3);
    const double means[] = {0.9, 1, 0.5};
    ck_assert_int_eq(queue.count, 3);
    for (int32_t k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(queue.t_s[k], 25 + 50 * k, 1e-9);
        ck_assert_double_eq_tol(queue.mean[k], means[k], 1e-9);
        ck_assert_double_eq_tol(queue.p95[k], 1, 1e-9);
    }
    // The period of the study has parts of 100 s.
    ck_assert_double_eq_tol(winner_queue(arena, &jobs, 300, 3).t_s[2], 250, 1e-9);
}
END_TEST

START_TEST(wrong_files_are_refused_with_the_place)
{
    static const struct {
        const char *text, *message;
        int32_t line;
    } rows[] = {
        {"", "an empty file", 0},
        {"point,seed\n", "a row with another number of columns", 1},
        {"point,a,b,c,d,e,f,g,h,i,j,k\n", "another column is expected here", 1},
        {HEADING "4,low,7,day,1,1,0,0,60,60,succeeded\n", "a row with another number of columns",
         2},
        {HEADING "4,low,7,day,1,1,0,x,60,60,succeeded,0\n", "not a number as in jobs.csv", 2},
        {HEADING "4,low,7,day,1,1,0,-1,60,60,succeeded,0\n", "not a number as in jobs.csv", 2},
        {HEADING "4,low,7,day,1,1,0,1,60,60,succeeded,2\n", "a row that no plan writes", 2},
        {HEADING "4,low,7,day,1,1,0,1,60,60,succeeded,0\n5,low,7,day,1,1,0,1,60,60,succeeded,0\n",
         "a row of another point", 3},
        {HEADING "4,\"low,7,day,1,1,0,1,60,60,succeeded,0\n", "a quote without its end", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        WinnerJobs jobs;
        Problems problems;
        ck_assert_msg(!parsed(rows[i].text, &jobs, &problems), "row %zu", i);
        ck_assert_str_eq(problems.items[0].message, rows[i].message);
        ck_assert_int_eq(problems.items[0].at.line, rows[i].line);
        ck_assert_str_ne(problems.items[0].hint, "");
    }
}
END_TEST

START_TEST(more_runs_than_a_plan_writes_are_refused)
{
    Text text = {0};
    WinnerJobs jobs;
    Problems problems;
    text_add(&text, HEADING);
    for (int32_t i = 0; i <= WINNER_RUNS_MAX; i++)
        text_printf(&text, "4,low,%d,day,1,1,0,1,60,60,succeeded,0\n", (int)i);
    ck_assert(!parsed(text_string(&text), &jobs, &problems));
    ck_assert_str_eq(problems.items[0].message, "more runs than a plan writes");
    text_free(&text);
}
END_TEST

START_TEST(a_folder_without_the_file_has_no_jobs)
{
    WinnerJobs jobs;
    Problems problems = problems_create(arena);
    ck_assert(winner_jobs_read(arena, memory_files_source(&files), "out", &jobs, &problems));
    ck_assert_int_eq(jobs.run_count, 0);
    ck_assert_int_eq(problems.count, 0);
}
END_TEST

Suite *test_suite(void)
{
    TCase *tests = tcase_create("winner jobs");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, jobs_belong_to_runs_by_their_seeds);
    tcase_add_test(tests, a_wait_that_has_not_ended_is_within_no_time);
    tcase_add_test(tests, the_queue_is_a_mean_over_time_and_runs);
    tcase_add_test(tests, wrong_files_are_refused_with_the_place);
    tcase_add_test(tests, more_runs_than_a_plan_writes_are_refused);
    tcase_add_test(tests, a_folder_without_the_file_has_no_jobs);
    Suite *suite = suite_create("winner_jobs");
    suite_add_tcase(suite, tests);
    return suite;
}
