#define _GNU_SOURCE // memmem
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/run/report.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/report.h"
#include "sim/cloud/cluster/cluster.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static const char samples[] = TRAINYARD_SOURCE_DIR "/tests/reports/run/samples";

static Arena *arena;
static const char *directory;

static void arena_open(void)
{
    arena = arena_create();
    directory = temporary_folder_create(arena);
}

static void arena_close(void)
{
    temporary_folder_remove(directory);
    arena_destroy(arena);
}

static char *file_text(const char *folder, const char *name)
{
    return temporary_file_text(arena, arena_printf(arena, "%s/%s", folder, name));
}

static void put(const char *name, const char *text)
{
    Status status = {0};
    const char *path = arena_printf(arena, "%s/%s", directory, name);
    ck_assert(file_write(path, text, strlen(text), &status));
}

/* With AddressSanitizer, each strstr would measure the whole rest of a page first. */
static char *with(const char *text, const char *old, const char *new)
{
    Text out = {0};
    const char *const end = text + strlen(text), *next = NULL;
    while ((next = memmem(text, (size_t)(end - text), old, strlen(old))) != NULL) {
        text_append(&out, text, (size_t)(next - text));
        text_add(&out, new);
        text = next + strlen(old);
    }
    text_add(&out, text);
    char *kept = arena_strdup(arena, text_string(&out));
    text_free(&out);
    return kept;
}

/* Puts a sample's two files into `directory`, with every `old` replaced by `new`. */
static void put_sample(const char *sample, const char *old, const char *new)
{
    const char *folder = arena_printf(arena, "%s/%s", samples, sample);
    put("summary.json", with(file_text(folder, "summary.json"), old, new));
    put("trace.tsv", with(file_text(folder, "trace.tsv"), old, new));
}

static const char *page_of_sample(const char *sample)
{
    Status status = {0};
    put_sample(sample, "second_job", "second_job");
    ck_assert_msg(report_write(arena, directory, 0, &status), "%s", status.message);
    return file_text(directory, "report.html");
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        count++;
    return count;
}

/* No-break spaces count as spaces, because line breaks do not matter here. */
static void check_says(const char *page, const char *words)
{
    ck_assert_msg(strstr(with(page, "\xC2\xA0", " "), words) != NULL,
                  "the page does not say \"%s\"", words);
}

/* --- Well-formedness --- */

enum { DEPTH_MAX = 64, NAME_MAX_LENGTH = 16 };

static bool is_void_element(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "!DOCTYPE") == 0 || strcmp(name, "?xml") == 0;
}

/* Every element that opens closes, in the right order, and no attribute is left open. */
static void check_balanced(const char *page)
{
    char open[DEPTH_MAX][NAME_MAX_LENGTH + 1];
    int depth = 0;
    for (const char *at = strchr(page, '<'); at != NULL; at = strchr(at, '<')) {
        const bool is_end = at[1] == '/';
        char name[NAME_MAX_LENGTH + 1] = "";
        ck_assert_int_eq(sscanf(at + 1 + is_end, "%16[^ >/\n]", name), 1);
        const size_t length = strcspn(at + 1, "<>");
        ck_assert_msg(at[1 + length] == '>', "tag never ends: %.40s", at);
        const bool is_closed = at[length] == '/';
        if (is_end) {
            ck_assert_msg(depth > 0 && strcmp(open[depth - 1], name) == 0,
                          "</%s> where </%s> is due", name,
                          depth > 0 ? open[depth - 1] : "nothing");
            depth--;
        } else if (!is_closed && !is_void_element(name)) {
            ck_assert_int_lt(depth, DEPTH_MAX);
            strcpy(open[depth++], name);
        }
        at += length + 1;
    }
    ck_assert_int_eq(depth, 0);
}

START_TEST(a_page_is_well_formed_and_fetches_nothing)
{
    static const char *const sample_names[] = {"two-jobs", "jobs-level", "empty"};
    static const char *const fetching[] = {
        "<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "https:"};
    for (size_t i = 0; i < 3; i++) {
        const char *page = page_of_sample(sample_names[i]);
        check_balanced(page);
        for (size_t j = 0; j < sizeof fetching / sizeof fetching[0]; j++)
            ck_assert_msg(strstr(page, fetching[j]) == NULL, "%s in %s", fetching[j],
                          sample_names[i]);
        // The only address is the name space of SVG, which is never fetched.
        ck_assert_int_eq(count_of(page, "http:"), count_of(page, "http://www.w3.org/2000/svg"));
        // Headings have ids; those of several drawings would meet.
        ck_assert_int_eq(count_of(page, " id="), count_of(page, "<h2 id="));
    }
}
END_TEST

START_TEST(a_plot_file_is_well_formed_and_says_no_version)
{
    (void)page_of_sample("two-jobs");
    static const char *const plots[] = {"nodes",    "gantt", "split", "epochs",
                                        "accuracy", "loss",  "cost"};
    for (size_t i = 0; i < sizeof plots / sizeof plots[0]; i++) {
        const char *wide = file_text(directory, arena_printf(arena, "plots/%s.svg", plots[i]));
        const char *narrow =
            file_text(directory, arena_printf(arena, "plots/%s-narrow.svg", plots[i]));
        check_balanced(wide);
        check_balanced(narrow);
        ck_assert_ptr_null(strstr(wide, "GNUPLOT"));
        ck_assert_ptr_nonnull(strstr(narrow, "viewBox=\"0 0 332 "));
    }
}
END_TEST

/* --- Contents --- */

START_TEST(a_page_answers_and_has_every_section)
{
    const char *page = page_of_sample("two-jobs");
    static const char *const expected[] = {
        "<h1>two-jobs</h1>",
        "Nodes over time",
        "Jobs and nodes over time",
        "Where a step's time goes",
        "Learning",
        "Cost over time",
        "Clusters and their bill",
        "What happened when",
        // ready_s 300.073519 after 17:45:00
        "nc6cluster was ready after 5 min (17:50:00 UTC)",
        // ended_s 626.923464 = 10 min 26.9 s; the clock shows whole seconds, rounded alike
        "cifar_distributed succeeded after 10 min 27 s (17:55:27 UTC): 8 s in the queue",
        // run_s 288.322745 less prep_s 110.965282 and start_s 23.647789: it failed while it trained
        "23.6 s starting, 2 min 34 s running.",
        "job second_job failed: JobFailed: Job failed with non-zero exit code",
        "0.42 USD in all",
        // 1680 s of node time are 0.4667 h
        "0.47 h",
        // 5.682894 + 106.00023 + 19.412503 + 0 + 10.898062 = 141.993689 s of steps:
        // compute 74.65 %, wait 13.67 %, update 7.67 %, input 4.00 %
        "An average step took 30.3 ms: 74.7 % computing gradients, 13.7 % waiting "
        "for "
        "the slowest rank, 7.7 % updating the weights, 4.0 % waiting for input.",
        // of 156.993689 s of training
        "evaluation took 12.6 s in all (8.0 % of training)",
        "60.1 % on validation data after 3 epochs, loss 1.277",
        "Cluster nc6cluster is ready: 2 nodes prepared",
        "e:9f3c/t:11ab/n:44/j:8d/b:00/f:72",
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        check_says(page, expected[i]);
    ck_assert_int_eq(count_of(page, "<svg "), 2 * 8); // for a page and for a phone
    ck_assert_int_eq(count_of(page, "class=\"failed\""), 1);
    ck_assert_int_eq(count_of(page, "class=\"missing\""), 0);
}
END_TEST

START_TEST(every_plot_has_its_numbers)
{
    const char *page = page_of_sample("two-jobs");
    ck_assert_int_eq(count_of(page, "Numbers of this plot"), 8);
    // The pointer shows the same: both drawings of a plot have a title for each row.
    check_says(page, "<title>epoch: 3\ncifar_distributed, validation: 60.1 %\n");
    check_says(page, "<td>3</td><td class=\"n\">60.1 %</td>");
    check_says(page, "<title>job: cifar_distributed\ninput: 5.68 s\ncompute: 1 min 46 s\n");
    ck_assert_int_eq(count_of(page, "<title>epoch: 3\n"), 2 * 3); // accuracy, loss, parts
}
END_TEST

static const char *page_with_expectations(const char *last_result)
{
    Status status = {0};
    put_sample("two-jobs", " \"fingerprint\"",
               arena_printf(arena,
                            " \"expectations\": [{\"expectation\": \"job a, state succeeded\", "
                            "\"result\": \"met\"}, {\"expectation\": \"jobs.a.run_s at most 1h\", "
                            "\"result\": \"%s\", \"expected\": \"at most 3600\", \"got\": "
                            "\"4012.5\"}, {\"expectation\": \"cost <b> seeds 20\", \"result\": "
                            "\"not judged\"}],\n \"fingerprint\"",
                            last_result));
    ck_assert_msg(report_write(arena, directory, 0, &status), "%s", status.message);
    return file_text(directory, "report.html");
}

START_TEST(a_missed_expectation_is_seen_at_a_glance)
{
    const char *page = page_with_expectations("missed");
    check_balanced(page);
    // The first tiles are red: a job failed, too.
    check_says(page, "<dl class=\"keys\">\n<div class=\"bad\"><dd>1 failed</dd><dt>job</dt></div>\n"
                     "<div class=\"bad\"><dd>1 of 2 missed</dd><dt>expectations</dt></div>\n");
    check_says(page, "<p>No: 1 of 2 was missed.</p><p>jobs.a.run_s at most 1h: got 4012.5.</p>");
    check_says(page, "1 is about several seeds");
    check_says(page, "cost &lt;b&gt; seeds 20");
    ck_assert_int_eq(count_of(page, "<tr class=\"failed\">"), 2); // the job, the expectation
}
END_TEST

START_TEST(met_expectations_are_a_quiet_tile)
{
    const char *page = page_with_expectations("met");
    check_says(page, "<div><dd>2 of 2</dd><dt>expectations met</dt></div>");
    check_says(page, "<p>Yes, all 2.</p>");
    ck_assert_ptr_null(strstr(page, "missed"));
}
END_TEST

START_TEST(the_target_of_waits_is_the_runs_or_the_callers)
{
    Status status = {0};
    static const struct {
        const char *of_run;
        int64_t given_ns;
        const char *tile, *row;
    } rows[] = {
        {"", 0, "of the jobs waited at most 30 min", "<td>30 min</td>"},
        {" \"wait_target_s\": 1200,\n", 0, "of the jobs waited at most 20 min", "<td>20 min</td>"},
        {" \"wait_target_s\": 1200,\n", 90 * NS_PER_MIN, "of the jobs waited at most 1 h 30 min",
         "<td>1 h 30 min</td>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_sample("mishaps", " \"fingerprint\"",
                   arena_printf(arena, "%s \"fingerprint\"", rows[i].of_run));
        ck_assert_msg(report_write(arena, directory, rows[i].given_ns, &status), "%s",
                      status.message);
        const char *page = file_text(directory, "report.html");
        check_says(page, rows[i].tile);
        check_says(page, rows[i].row);
        ck_assert_int_eq(count_of(with(page, "\xC2\xA0", " "), rows[i].row), 1);
    }
}
END_TEST

START_TEST(a_page_notes_what_the_trace_level_left_out)
{
    const char *page = page_of_sample("jobs-level");
    check_says(page, "the trace was written at level jobs and has no epochs");
    check_says(page, "Epochs, evaluations and checkpoints are not marked");
    ck_assert_int_eq(count_of(page, "class=\"missing\""), 3); // epochs, accuracy, loss
    ck_assert_int_eq(count_of(page, "<svg "), 2 * 5);
}
END_TEST

START_TEST(a_page_lists_faults_with_reasons_and_costs)
{
    const char *page = page_of_sample("mishaps");
    static const char *const expected[] = {
        "27 min 20 s since it was submitted, 2 restarts, 12 min 22 s in the queue; ",
        "of the last attempt 1 min 40 s running", "Last attempt", "Turnaround", "Cost by use",
        // 475 of 1299.75 mills
        "The nodes cost 1.30 USD: 0.48 USD (36.5 %) for unusable nodes, ",
        "0.18 USD (13.8 %) for work that was lost, ",
        // checkpoints 0.5 % and input 0.1 %
        "and 0.0080 USD for the rest.", "Errors and their reasons", "AccountCoreQuotaReached",
        "gpu, nodes", "Node n3 of cluster gpu became unusable (mount failure)",
        "Node n2 of cluster gpu was lost (preemption)", "Job j stalls: node n4 is silent",
        "Job j continues from its checkpoint: 4 epochs need not be done again",
        "Job j is in the queue (preemption)",
        "Workload night: of 812 jobs 800 succeeded, 10 failed and 2 had not ended; 95 %",
        "of them waited at most 15 min, the longest 20 min.", "801 of 814", "Goodput",
        "0.20 h", // 720 s lost
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        check_says(page, expected[i]);
    check_balanced(page);
    ck_assert_ptr_null(strstr(page, "was done</dt>")); // two jobs of the workload are not
    check_says(file_text(directory, "plots/money.svg"), "unusable nodes");
}
END_TEST

START_TEST(an_empty_run_has_a_page)
{
    const char *page = page_of_sample("empty");
    check_says(page, "The run created no cluster.");
    check_says(page, "The run had no job.");
    check_says(page, "<p>Nothing.</p>");
    ck_assert_ptr_null(strstr(page, "Where a step")); // no job trained, so the section is missing
    ck_assert_ptr_null(strstr(page, "Learning"));
    ck_assert_int_eq(count_of(page, "<svg "), 0);
}
END_TEST

START_TEST(names_do_not_break_out_of_the_page_or_the_plots)
{
    Status status = {0};
    const char hostile[] = "x<b>&'`date`%s{/5 y}";
    put_sample("two-jobs", "second_job", hostile);
    ck_assert_msg(report_write(arena, directory, 0, &status), "%s", status.message);
    const char *page = file_text(directory, "report.html");
    check_balanced(page);
    ck_assert_ptr_null(strstr(page, "<b>"));
    check_says(page, "x&lt;b&gt;&amp;&#39;`date`%s{/5 y}");
    check_balanced(file_text(directory, "plots/gantt.svg"));
    // gnuplot prints the name unchanged: it runs no command, fills no format and obeys no mark-up
    check_says(file_text(directory, "plots/gantt.svg"), "`date`%s{/5 y}</text>");
}
END_TEST

START_TEST(the_same_run_gives_the_same_bytes)
{
    const char *first = page_of_sample("two-jobs");
    const char *first_plot = file_text(directory, "plots/gantt.svg");
    const char *second = page_of_sample("two-jobs");
    ck_assert_str_eq(first, second);
    ck_assert_str_eq(first_plot, file_text(directory, "plots/gantt.svg"));
}
END_TEST

/* A run of `jobs` jobs and `nodes` nodes that all wait for ever. */
static void put_crowd(int jobs, int nodes)
{
    Text summary = {0}, trace = {0};
    text_add(&summary,
             "{\"simulated_s\": 100, \"clusters\": {\"c\": {\"path\": \"w/c\"}}, \"jobs\": {");
    text_add(&trace,
             "#trainyard-trace 2 level=jobs scenario=crowd seed=1 start=2018-07-18T17:45:00Z\n"
             "at_ns\tsince_ns\trecord\tcluster\tnode\tjob\tshare\tbytes\tname\tvalues\tcause\n");
    for (int i = 0; i < nodes; i++)
        text_printf(&trace, "0\t0\tnode_state\tw/c\ttvm-%d\t-\t-\t-\tidle\twas=%d\t-\n", i,
                    NODE_STATE_COUNT);
    for (int i = 0; i < jobs; i++) {
        text_printf(&summary, "%s\"job%03d\": {\"path\": \"w/e/job%03d\", \"state\": \"queued\"}",
                    i > 0 ? ", " : "", i, i);
        text_printf(&trace, "1\t1\tjob_state\tw/c\t-\tw/e/job%03d\t-\t-\tqueued\texit_code=-1\t-\n",
                    i);
    }
    text_add(&summary, "}}");
    put("summary.json", text_string(&summary));
    put("trace.tsv", text_string(&trace));
    text_free(&summary);
    text_free(&trace);
}

START_TEST(a_crowd_is_cut_with_a_note)
{
    Status status = {0};
    put_crowd(250, 100);
    ck_assert_msg(report_write(arena, directory, 0, &status), "%s", status.message);
    const char *page = file_text(directory, "report.html");
    check_balanced(page);
    check_says(page, "Of 250 jobs the first 24 are drawn.");
    check_says(page, "100 nodes took 100 slots.");
    check_says(page, "Of 250 jobs 0 succeeded and 0 failed.");
    check_says(page, "The first 200 of 250 jobs are listed");
    // 250 jobs in the queue are 250 events: 60 first, 20 last, the rest in one line
    check_says(page, "170 events are left out here");
    const char *gantt = file_text(directory, "plots/gantt.svg");
    check_says(gantt, ">job023<");
    ck_assert_ptr_null(strstr(gantt, ">job024<"));
}
END_TEST

/* --- Failures --- */

START_TEST(the_last_job_of_all_may_be_of_a_workload)
{
    Status status = {0};
    put_sample("two-jobs", "\"jobs\": {",
               "\"workloads\": {\"night\": {\"jobs\": 3, \"succeeded\": 3, \"failed\": 0, "
               "\"unfinished\": 0, \"last_ended_s\": 90000}}, \"jobs\": {");
    ck_assert_msg(report_write(arena, directory, 0, &status), "%s", status.message);
    const char *page = file_text(directory, "report.html");
    check_says(page, "<dd>1 d 1 h</dd><dt>until the last job was done</dt>");
}
END_TEST

START_TEST(a_job_that_still_ran_is_unfinished)
{
    Status status = {0};
    put_sample("two-jobs", "\"state\": \"failed\"", "\"state\": \"running\"");
    ck_assert_msg(report_write(arena, directory, 0, &status), "%s", status.message);
    check_says(file_text(directory, "report.html"),
               "<div class=\"open\"><dd>1 unfinished</dd><dt>job when the run ended</dt></div>");
}
END_TEST

/* Each of the two jobs was started again twice and lost an hour. */
START_TEST(repeated_work_is_told_where_no_job_failed)
{
    Status status = {0};
    const char *folder = arena_printf(arena, "%s/two-jobs", samples);
    const char *summary = with(file_text(folder, "summary.json"), "\"restarts\": 0,",
                               "\"restarts\": 2, \"lost_node_s\": 3600,");
    put("trace.tsv", file_text(folder, "trace.tsv"));
    put("summary.json", with(summary,
                             "\"job second_job failed: JobFailed: Job failed with non-zero "
                             "exit code (exit code 1)\"",
                             ""));
    ck_assert_msg(report_write(arena, directory, 0, &status), "%s", status.message);
    check_says(
        file_text(directory, "report.html"),
        "No job failed, but jobs were started again 4 times, and 2.00 h of node time was lost.");
}
END_TEST

START_TEST(plots_of_another_run_do_not_stay)
{
    Status status = {0};
    put_sample("two-jobs", "second_job", "second_job");
    ck_assert(report_write(arena, directory, 0, &status));
    ck_assert_int_eq(access(arena_printf(arena, "%s/plots/accuracy.svg", directory), F_OK), 0);
    put_sample("jobs-level", "second_job", "second_job");
    ck_assert(report_write(arena, directory, 0, &status));
    ck_assert_int_ne(access(arena_printf(arena, "%s/plots/accuracy.svg", directory), F_OK), 0);
}
END_TEST

START_TEST(a_broken_run_is_refused_and_nothing_written)
{
    static const struct {
        const char *old, *new;
        const char *message;
    } rows[] = {
        {"\"clusters\": {\n  \"nc6", "\"clusters\": [],\n\"x\": {\n\"nc6", "summary.json:"},
        {"\"steady_s\": 146.458034", "\"steady_s\": \"soon\"",
         "summary.json:15:16: \"steady_s\" is not a number"},
        {"\"nodes_max\": 2", "\"nodes_max\": -2", "\"nodes_max\" is not an integer from 0"},
        {"\"path\": \"batchaidev/nc6cluster\",", "", "\"path\" is missing"},
        {"run_ended", "run_stopped", "trace.tsv:"},
        {"\"fingerprint\"", "fingerprint", "summary.json:"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Status status = {0};
        put_sample("two-jobs", rows[i].old, rows[i].new);
        ck_assert_msg(!report_write(arena, directory, 0, &status), "read with %s", rows[i].new);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        Text said = {0};
        status_print(&status, false, &said);
        ck_assert_msg(strstr(text_string(&said), rows[i].message) != NULL, "%s", said.data);
        text_free(&said);
        ck_assert_int_ne(access(arena_printf(arena, "%s/report.html", directory), F_OK), 0);
    }
}
END_TEST

START_TEST(a_missing_directory_or_file_is_named)
{
    Status status = {0};
    const char *missing = arena_printf(arena, "%s/nowhere", directory);
    ck_assert(!report_write(arena, missing, 0, &status));
    ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    ck_assert_str_eq(status.message, "there is no such file");
    ck_assert_str_eq(status.at.source, arena_printf(arena, "%s/summary.json", missing));
    ck_assert_ptr_nonnull(strstr(status.hint, "trainyard run"));

    put("summary.json", file_text(arena_printf(arena, "%s/empty", samples), "summary.json"));
    ck_assert(!report_write(arena, directory, 0, &status));
    ck_assert_str_eq(status.message, "there is no such file");
    ck_assert_str_eq(status.at.source, arena_printf(arena, "%s/trace.tsv", directory));
}
END_TEST

START_TEST(without_gnuplot_the_page_is_written_with_notes)
{
    Status status = {0};
    put_sample("two-jobs", "second_job", "second_job");
    ck_assert_int_eq(setenv("PATH", directory, 1), 0); // this folder does not contain gnuplot
    const bool is_written = report_write(arena, directory, 0, &status);
    ck_assert_int_eq(setenv("PATH", "/usr/bin:/bin", 1), 0); // for rm
    ck_assert(!is_written);
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "the program gnuplot is not installed");
    ck_assert_ptr_nonnull(strstr(status.hint, "gnuplot-nox"));
    const char *page = file_text(directory, "report.html");
    check_balanced(page);
    check_says(page, "This plot is missing: the program gnuplot is not installed");
    check_says(page, "nc6cluster was ready after");
    ck_assert_int_eq(count_of(page, "class=\"missing\""), 8);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *tests = tcase_create("report");
    tcase_add_checked_fixture(tests, arena_open, arena_close);
    tcase_add_test(tests, a_page_is_well_formed_and_fetches_nothing);
    tcase_add_test(tests, a_plot_file_is_well_formed_and_says_no_version);
    tcase_add_test(tests, a_page_answers_and_has_every_section);
    tcase_add_test(tests, every_plot_has_its_numbers);
    tcase_add_test(tests, a_missed_expectation_is_seen_at_a_glance);
    tcase_add_test(tests, met_expectations_are_a_quiet_tile);
    tcase_add_test(tests, the_target_of_waits_is_the_runs_or_the_callers);
    tcase_add_test(tests, a_page_notes_what_the_trace_level_left_out);
    tcase_add_test(tests, a_page_lists_faults_with_reasons_and_costs);
    tcase_add_test(tests, an_empty_run_has_a_page);
    tcase_add_test(tests, names_do_not_break_out_of_the_page_or_the_plots);
    tcase_add_test(tests, the_same_run_gives_the_same_bytes);
    tcase_add_test(tests, a_crowd_is_cut_with_a_note);
    tcase_add_test(tests, the_last_job_of_all_may_be_of_a_workload);
    tcase_add_test(tests, a_job_that_still_ran_is_unfinished);
    tcase_add_test(tests, repeated_work_is_told_where_no_job_failed);
    tcase_add_test(tests, plots_of_another_run_do_not_stay);
    tcase_add_test(tests, a_broken_run_is_refused_and_nothing_written);
    tcase_add_test(tests, a_missing_directory_or_file_is_named);
    tcase_add_test(tests, without_gnuplot_the_page_is_written_with_notes);
    suite_add_tcase(suite, tests);
    return suite;
}
