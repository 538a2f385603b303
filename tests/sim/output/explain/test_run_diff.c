#include <string.h>

#include "sim/output/explain/run_diff.h"
#include "tests/support/suite.h"
#include "tests/support/trace_story.h"

static Arena *arena;
static Text out;
static bool is_same;
static Problems problems;

static void begin(void)
{
    arena = arena_create();
    problems = problems_create(arena);
}

static void end(void)
{
    text_free(&out);
    arena_destroy(arena);
}

static const Json *parsed(const char *text)
{
    return text == NULL ? NULL
                        : json_parse(arena, "summary", text, strlen(text), JSON_STRICT, &problems);
}

static bool diff(const char *trace_a, const char *summary_a, const char *trace_b,
                 const char *summary_b)
{
    const RecordedRun a = {"a", trace_a, strlen(trace_a), parsed(summary_a)};
    const RecordedRun b = {"b", trace_b, strlen(trace_b), parsed(summary_b)};
    RunDiff found;
    if (!run_diff(arena, &a, &b, &found, &problems))
        return false;
    is_same = found.is_same;
    run_diff_print(arena, &found, &out);
    return true;
}

static const char *const short_run[] = {
    "0s 0s cluster_provisioning w/c - - - - creating -",
    "1s 1s cluster_shown w/c - - - - - -",
    "2s 2s cluster_shown w/c - - - - - -",
    "3s 3s cluster_shown w/c - - - - - -",
    "90s 90s cluster_ready w/c - - - - - nodes=1",
    "100s 0s run_ended - - - - - - events=5 draws=0 drawn=0",
    NULL,
};
static const char *const later_run[] = {
    "0s 0s cluster_provisioning w/c - - - - creating -",
    "1s 1s cluster_shown w/c - - - - - -",
    "2s 2s cluster_shown w/c - - - - - -",
    "3s 3s cluster_shown w/c - - - - - -",
    "99s 99s cluster_ready w/c - - - - - nodes=1",
    "100s 0s run_ended - - - - - - events=5 draws=0 drawn=0",
    NULL,
};

START_TEST(a_run_equals_itself)
{
    const char *trace = trace_story_text(arena, trace_story_training);
    ck_assert(diff(trace, NULL, trace, NULL));
    ck_assert(is_same);
    ck_assert_str_eq(text_string(&out),
                     "All 40 records are the same.\nThe summaries are the same.\n");
}
END_TEST

START_TEST(the_first_record_that_differs_is_named_with_its_predecessors)
{
    // ready_s goes from 90 to 99: +9, 10 %.
    ck_assert(
        diff(trace_story_text(arena, short_run), NULL, trace_story_text(arena, later_run), NULL));
    ck_assert(!is_same);
    ck_assert_str_eq(
        text_string(&out),
        "Records 1 to 4 are the same. Record 5 is the first that differs:\n\n"
        "          2  1 s  1000000000 1000000000 cluster_shown w/c - - - - - - -\n"
        "          3  2 s  2000000000 2000000000 cluster_shown w/c - - - - - - -\n"
        "          4  3 s  3000000000 3000000000 cluster_shown w/c - - - - - - -\n"
        "  A       5  1 min 30 s  90000000000 90000000000 cluster_ready w/c - - - - - nodes=1 -\n"
        "  B       5  1 min 39 s  99000000000 99000000000 cluster_ready w/c - - - - - nodes=1 -\n"
        "The runs differ in: times. They are the same in: events, nodes, jobs, bills, files, "
        "draws.\n"
        "\n"
        "Metric                A    B    Change      %\n"
        "------------------  ---  ---  --------  -----\n"
        "clusters.c.ready_s   90   99        +9  +10.0\n");
}
END_TEST

START_TEST(a_run_that_ends_sooner_differs_there)
{
    const char *const cut[] = {short_run[0], short_run[1], NULL};
    ck_assert(diff(trace_story_text(arena, cut), NULL, trace_story_text(arena, short_run), NULL));
    ck_assert(!is_same);
    ck_assert_ptr_nonnull(strstr(text_string(&out), "Record 3 is the first that differs"));
    ck_assert_ptr_nonnull(
        strstr(text_string(&out), "  A       3  (there is no such record: the run is over)\n"));
    ck_assert_ptr_nonnull(strstr(text_string(&out), "  B       3  2 s  2000000000"));
}
END_TEST

START_TEST(summaries_are_compared_leaf_by_leaf)
{
    const char *trace = trace_story_text(arena, short_run);
    ck_assert(
        diff(trace,
             "{\"same\": 1, \"zero\": 0, \"rate\": 0.3, \"state\": \"a\", \"gone\": {\"x\": 1}, "
             "\"list\": [1], \"fingerprint\": \"1\"}",
             trace,
             "{\"same\": 1, \"zero\": 2, \"rate\": 0.1, \"state\": \"b\", \"new\": [null], "
             "\"list\": [1, 2], \"fingerprint\": \"2\"}"));
    ck_assert(!is_same);
    ck_assert_str_eq(text_string(&out), "All 6 records are the same.\n"
                                        "The runs differ in: ingredients without a name.\n"
                                        "\n"
                                        "Metric         A       B    Change      %\n"
                                        "--------  ------  ------  --------  -----\n"
                                        "zero           0       2        +2\n"
                                        "rate         0.3     0.1      -0.2  -66.6\n"
                                        "state          a       b\n"
                                        "gone.x         1  absent\n"
                                        "list.1    absent       2\n"
                                        "new.0     absent    null\n");
}
END_TEST

START_TEST(differences_finer_than_the_traces_show_in_the_fingerprints)
{
    const char *trace = trace_story_text(arena, short_run);
    ck_assert(diff(trace, "{\"fingerprint\": \"events:1/jobs:2\"}", trace,
                   "{\"fingerprint\": \"events:1/jobs:3\"}"));
    ck_assert(!is_same);
    ck_assert_str_eq(text_string(&out), "All 6 records are the same.\n"
                                        "The runs differ in: jobs. They are the same in: events.\n"
                                        "The summaries are the same.\n");
}
END_TEST

START_TEST(long_texts_show_their_end)
{
    // 40 bytes at most; the e with its accent takes two and is not cut in half.
    const char *trace = trace_story_text(arena, short_run);
    ck_assert(diff(trace, "{\"path\": \"account/share/a/0123456789/0123456789/0123456789/end\"}",
                   trace, "{\"path\": \"0123456789\u00e9/123456789/123456789/123456789/12345\"}"));
    ck_assert_ptr_nonnull(strstr(text_string(&out), " .../0123456789/0123456789/0123456789/end  "));
    ck_assert_ptr_nonnull(strstr(text_string(&out), " .../123456789/123456789/123456789/12345"));
}
END_TEST

START_TEST(an_invalid_trace_is_refused_with_all_its_problems)
{
    ck_assert(!diff("", NULL, "nonsense\n", NULL));
    ck_assert_int_eq(problems.count, 2);
    ck_assert_str_eq(problems.items[0].at.source, "a");
    ck_assert_str_eq(problems.items[1].at.source, "b");
    ck_assert_str_eq(text_string(&out), "");
}
END_TEST

START_TEST(traces_of_two_levels_are_compared_at_the_coarser)
{
    // The same run recorded twice: once with its epoch and one step, once without.
    static const char *const fine_run[] = {
        "0s 0s cluster_provisioning w/c - - - - creating -",
        "5s 4s step w/c n1 w/e/j - - - epoch=1 step=1 rank=0 input_ns=1 compute_ns=1 wait_ns=1 "
        "exchange_ns=1 update_ns=1",
        "5s 4s checkpoint w/c n1 w/e/j - 9 c.h5 epoch=1",
        "9s 0s run_ended - - - - - - events=5 draws=0 drawn=0",
        NULL,
    };
    const char *const coarse_run[] = {fine_run[0], fine_run[3], NULL};
    const char *fine = trace_story_text(arena, fine_run);
    const char *coarse = trace_story_text(arena, coarse_run);
    const char *level = strstr(coarse, "level=steps");
    ck_assert_ptr_nonnull(level);
    const char *jobs = arena_printf(arena, "%.*slevel=jobs%s", (int)(level - coarse), coarse,
                                    level + strlen("level=steps"));
    const bool is_read = diff(fine, "{}", jobs, "{}");
    ck_assert_msg(is_read, "%s", problems.items[0].message);
    ck_assert(is_same);
    ck_assert_str_eq(text_string(&out),
                     "A was traced at level steps and B at level jobs: records of level jobs are "
                     "compared.\nAll 2 records are the same.\nThe summaries are the same.\n");
}
END_TEST

START_TEST(different_seeds_are_listed_without_a_change)
{
    const char *trace = trace_story_text(arena, short_run);
    ck_assert(diff(trace, "{\"seed\": 7}", trace, "{\"seed\": 8}"));
    ck_assert(!is_same);
    ck_assert_str_eq(text_string(&out), "All 6 records are the same.\n"
                                        "\n"
                                        "Metric      A    B    Change    %\n"
                                        "--------  ---  ---  --------  ---\n"
                                        "seed        7    8\n");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("run_diff");
    TCase *tests = tcase_create("run_diff");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_run_equals_itself);
    tcase_add_test(tests, the_first_record_that_differs_is_named_with_its_predecessors);
    tcase_add_test(tests, a_run_that_ends_sooner_differs_there);
    tcase_add_test(tests, summaries_are_compared_leaf_by_leaf);
    tcase_add_test(tests, differences_finer_than_the_traces_show_in_the_fingerprints);
    tcase_add_test(tests, long_texts_show_their_end);
    tcase_add_test(tests, traces_of_two_levels_are_compared_at_the_coarser);
    tcase_add_test(tests, different_seeds_are_listed_without_a_change);
    tcase_add_test(tests, an_invalid_trace_is_refused_with_all_its_problems);
    suite_add_tcase(suite, tests);
    return suite;
}
