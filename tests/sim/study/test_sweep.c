#include "sim/study/sweep.h"

#include <stdio.h>
#include <unistd.h>

#include "sim/base/philox.h"
#include "sim/cli/files.h"
#include "sim/formats/csv.h"
#include "sim/study/point_estimate.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/temporary_folder.h"

static const char study_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"scenario.json\",\n"
    " \"factors\": {\n"
    "  \"size\": {\"set\": \"/commands/0/config/properties/vmSize\", \"values\": "
    "[\"STANDARD_NC6\", \"STANDARD_NC12\"]},\n"
    "  \"fidelity\": {\"set\": \"/fidelity\", \"values\": [\"job\", \"epoch\"]}},\n"
    " \"metrics\": [\"jobs.train.run_s\", \"jobs.train.queue_s\", \"cost_usd.total\"],\n"
    " \"baseline\": {\"size\": \"STANDARD_NC6\"},\n"
    " \"seeds\": {\"at_least\": 20, \"at_most\": 60, \"until\": {\"jobs.train.queue_s\": "
    "\"10%\"}}}";

static const char *folder;

static void set_up_folder(void)
{
    set_up();
    folder = temporary_folder_create(arena);
}

static void tear_down_folder(void)
{
    temporary_folder_remove(folder);
    tear_down();
}

static Study *the_study(const char *text)
{
    Problems problems = problems_create(arena);
    memory_files_set(&files, "study.json", text, strlen(text));
    Study *study = study_read(arena, memory_files_source(&files), "study.json", &problems);
    ck_assert_msg(study != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return study;
}

static const char *in(const char *name, const char *file)
{
    return arena_printf(arena, "%s/%s/%s", folder, name, file);
}

/* Sweeps into FOLDER/NAME. */
static Sweep sweep_into(const Study *study, const char *name, int32_t threads, Shard shard,
                        int64_t limit_ns)
{
    Problems problems = problems_create(arena);
    const SweepOptions options = {.folder = arena_printf(arena, "%s/%s", folder, name),
                                  .version = "test",
                                  .thread_count = threads,
                                  .time_limit_ns = limit_ns,
                                  .shard = shard,
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    Sweep sweep;
    const bool has_run =
        sweep_run(arena, study, memory_files_source(&files), &options, &sweep, &problems);
    ck_assert_msg(has_run, "%s", problems.count > 0 ? problems.items[0].message : "");
    return sweep;
}

static const Shard whole = {0, 1};

static void same_tables(const char *a, const char *b)
{
    static const char *const tables[] = {"results.csv", "points.csv", "study.json"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        ck_assert_msg(strcmp(temporary_file_text(arena, in(a, tables[i])),
                             temporary_file_text(arena, in(b, tables[i]))) == 0,
                      "%s of %s and %s differ", tables[i], a, b);
}

START_TEST(tables_do_not_depend_on_the_number_of_threads)
{
    const Study *study = the_study(study_text);
    sweep_into(study, "one", 1, whole, INT64_MAX);
    sweep_into(study, "two", 2, whole, INT64_MAX);
    sweep_into(study, "five", 5, whole, INT64_MAX);
    same_tables("one", "two");
    same_tables("one", "five");
}
END_TEST

/* Cuts the journal at random places, as a kill in the middle of a write leaves it. */
START_TEST(tables_do_not_depend_on_interruptions)
{
    const Study *study = the_study(study_text);
    sweep_into(study, "one", 1, whole, INT64_MAX);
    sweep_into(study, "cut", 2, whole, INT64_MAX);
    const char *journal = in("cut", "journal/0-0.log");
    for (uint64_t i = 0; i < 8; i++) {
        const size_t length = strlen(temporary_file_text(arena, journal));
        const uint64_t random = philox(i, (PhiloxBlock){{0}}).word[0];
        ck_assert_int_eq(truncate(journal, (off_t)(random % length)), 0);
        const Sweep sweep = sweep_into(study, "cut", 1 + (int32_t)i % 3, whole, INT64_MAX);
        ck_assert_int_eq(sweep.end, RUNNER_FINISHED);
        same_tables("one", "cut");
    }
}
END_TEST

START_TEST(a_time_limit_leaves_valid_tables_and_the_sweep_continues)
{
    const Study *study = the_study(study_text);
    sweep_into(study, "one", 1, whole, INT64_MAX);
    const Sweep first = sweep_into(study, "late", 2, whole, 0);
    ck_assert_int_eq(first.end, RUNNER_LATE);
    ck_assert(!waves_are_done(first.waves));
    ck_assert_ptr_nonnull(
        strstr(temporary_file_text(arena, in("late", "points.csv")), "point,size,fidelity,n,"));
    const Sweep second = sweep_into(study, "late", 2, whole, INT64_MAX);
    ck_assert_int_eq(second.end, RUNNER_FINISHED);
    same_tables("one", "late");
}
END_TEST

START_TEST(a_finished_sweep_runs_nothing_again)
{
    const Study *study = the_study(study_text);
    const Sweep first = sweep_into(study, "one", 2, whole, INT64_MAX);
    const Sweep second = sweep_into(study, "one", 2, whole, INT64_MAX);
    ck_assert_int_eq(second.resumed_count, first.findings.results->run_count);
    ck_assert_int_eq(second.findings.results->run_count, second.resumed_count);
}
END_TEST

START_TEST(more_seeds_continue_a_study_with_fewer)
{
    const Study *few =
        the_study(with_change(arena, study_text, "\"at_most\": 60", "\"at_most\": 20"));
    const Study *many = the_study(study_text);
    sweep_into(few, "grown", 2, whole, INT64_MAX);
    sweep_into(many, "grown", 2, whole, INT64_MAX);
    sweep_into(many, "one", 1, whole, INT64_MAX);
    same_tables("one", "grown");
}
END_TEST

START_TEST(shards_make_the_same_tables_together)
{
    const Study *study = the_study(study_text);
    sweep_into(study, "one", 1, whole, INT64_MAX);
    for (int32_t count = 2; count <= 7; count += 5) { // fewer and more shards than points
        const char *name = arena_printf(arena, "shards%d", (int)count);
        for (int32_t i = 0; i < count; i++) {
            const Sweep sweep = sweep_into(study, name, 1, (Shard){i, count}, INT64_MAX);
            ck_assert(waves_are_done(sweep.waves));
        }
        sweep_into(study, name, 2, whole, INT64_MAX);
        same_tables("one", name);
    }
}
END_TEST

START_TEST(a_folder_of_another_study_is_refused)
{
    sweep_into(the_study(study_text), "one", 1, whole, INT64_MAX);
    const Study *other = the_study(with_change(arena, study_text, "\"epoch\"", "\"step\""));
    Problems problems = problems_create(arena);
    const SweepOptions options = {.folder = in("one", ""),
                                  .version = "test",
                                  .thread_count = 1,
                                  .time_limit_ns = INT64_MAX,
                                  .shard = whole,
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    Sweep sweep;
    ck_assert(!sweep_run(arena, other, memory_files_source(&files), &options, &sweep, &problems));
    ck_assert_int_eq(problems.items[0].code, STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(problems.items[0].message, "another study"));
}
END_TEST

/* Fidelity changes neither costs nor waits much, the VM size changes the price. */
START_TEST(differences_are_paired_and_named_in_points)
{
    const Study *study = the_study(study_text);
    const Sweep sweep = sweep_into(study, "one", 2, whole, INT64_MAX);
    const int32_t cost = study_find_metric(study, "cost_usd.total");
    const int32_t nc12 = 2, nc6 = study->compared_with[nc12];
    ck_assert_int_eq(nc6, 0);
    const MetricEstimate estimate =
        metric_estimate(sweep.findings.results, cost, nc12, sweep.findings.used[nc12], nc6,
                        sweep.findings.used[nc6]);
    const MetricEstimate base =
        metric_estimate(sweep.findings.results, cost, nc6, sweep.findings.used[nc6], NO_POINT, 0);
    ck_assert_double_eq_tol(estimate.difference, estimate.mean - base.mean, 0.2);
    ck_assert(estimate.difference > 3 * estimate.difference_half_width);
}
END_TEST

/* The job of the small scenario has the same times in jobs.csv as in results.csv. */
START_TEST(jobs_have_the_times_of_their_runs)
{
    const Study *study = the_study(study_text);
    Problems problems = problems_create(arena);
    const SweepOptions options = {.folder = arena_printf(arena, "%s/jobs", folder),
                                  .version = "test",
                                  .thread_count = 2,
                                  .time_limit_ns = INT64_MAX,
                                  .shard = whole,
                                  .is_quiet = true,
                                  .writes_jobs = true,
                                  .run = sweep_on_threads};
    Sweep sweep;
    ck_assert(sweep_run(arena, study, memory_files_source(&files), &options, &sweep, &problems));
    const char *jobs = temporary_file_text(arena, in("jobs", "jobs.csv")),
               *runs = temporary_file_text(arena, in("jobs", "results.csv"));
    Text job = {0}, run = {0};
    bool ends_job = false, ends_run = false;
    int32_t rows = 0;
    while (!ends_job) // the headings
        csv_cut(&jobs, &job, &ends_job);
    while (!ends_run)
        csv_cut(&runs, &run, &ends_run);
    for (; *runs != '\0'; rows++) {
        char times[2][32]; // queue_s and run_s of the job
        for (int i = 0; i < 12;
             i++) { // 12 columns: point size fidelity seed workload job slots ...
            csv_cut(&jobs, &job, &ends_job);
            if (i == 8 || i == 9)
                snprintf(times[i - 8], sizeof times[0], "%s", text_string(&job));
        }
        for (int i = 0; i < 8; i++) {
            csv_cut(&runs, &run, &ends_run);
            if (i == 4)
                ck_assert_str_eq(text_string(&run), times[1]);
            if (i == 5)
                ck_assert_str_eq(text_string(&run), times[0]);
        }
        while (!ends_job)
            csv_cut(&jobs, &job, &ends_job);
    }
    ck_assert_int_eq(rows, (int32_t)sweep.findings.results->run_count);
    ck_assert_str_eq(jobs, "");
    text_free(&job);
    text_free(&run);
}
END_TEST

START_TEST(a_factor_that_did_nothing_is_named)
{
    const Study *study =
        the_study("{\"trainyard_study\": 1, \"scenario\": \"scenario.json\", \"factors\": "
                  "{\"text\": {\"set\": "
                  "\"/description\", \"values\": [\"a\", \"b\", \"c\"]}},\n"
                  " \"seeds\": {\"at_least\": 3}, \"metrics\": [\"cost_usd.total\"]}");
    const Sweep sweep = sweep_into(study, "one", 1, whole, INT64_MAX);
    Text text = {0};
    ck_assert_int_eq(sweep.idle_count, 1);
    idle_levels_print(study, &sweep.idle[0], &text);
    ck_assert_str_eq(text_string(&text), "text changed nothing\n");
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sweep");
    TCase *tests = tcase_create("sweep");
    tcase_add_checked_fixture(tests, set_up_folder, tear_down_folder);
    tcase_add_test(tests, tables_do_not_depend_on_the_number_of_threads);
    tcase_add_test(tests, tables_do_not_depend_on_interruptions);
    tcase_add_test(tests, a_time_limit_leaves_valid_tables_and_the_sweep_continues);
    tcase_add_test(tests, a_finished_sweep_runs_nothing_again);
    tcase_add_test(tests, more_seeds_continue_a_study_with_fewer);
    tcase_add_test(tests, shards_make_the_same_tables_together);
    tcase_add_test(tests, a_folder_of_another_study_is_refused);
    tcase_add_test(tests, differences_are_paired_and_named_in_points);
    tcase_add_test(tests, jobs_have_the_times_of_their_runs);
    tcase_add_test(tests, a_factor_that_did_nothing_is_named);
    suite_add_tcase(suite, tests);
    return suite;
}
