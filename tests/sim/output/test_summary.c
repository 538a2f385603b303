#include "sim/output/summary.h"
#include "sim/output/summary_text.h"
#include "tests/support/suite.h"
#include "tests/support/trace_story.h"

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

static const ClusterFacts nc6[] = {{"STANDARD_NC6", false, 1}, {"STANDARD_NC6", false, 1}};
static const JobFacts horovod[] = {
    {"horovod", 2, "acc/share/out/segment"}, {"custom", 3, NULL}, {"custom", 3, NULL}};
static const int64_t standard_share[] = {60000}; // 0.06 USD for a GiB and month

static const RunFacts facts = {.scenario = "story",
                               .seed = 7,
                               .version = "0.1.0",
                               .fidelity = "step",
                               .start_unix_ms = INT64_C(1531935900000),
                               .clusters = nc6,
                               .jobs = horovod,
                               .share_micro_usd_per_gib_month = standard_share};

static const Json *summary_of(const char *const *lines, const RunFacts *known)
{
    MetricsFold *fold = metrics_fold_create(arena);
    trace_story_tell(arena, lines, metrics_fold_listener(fold, TRACE_LEVEL_STEPS));
    return summary_json(arena, known, metrics_fold_result(fold), "e:1");
}

static const char *printed(const Json *value)
{
    Text text = {0};
    json_print(&text, value, JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(a_run_on_paper_has_its_summary)
{
    // The sums are worked out in test_metrics.c. Steps of rank 0 take 10, 12, 10 and 14 s.
    // Storage: 1 GiB for 769 s at 60000 micro-USD for 730 h: 60000 * 769 / 2628000 = 17.55.
    // Utilisation: 140 of 1100 node-seconds.
    ck_assert_str_eq(
        printed(summary_of(trace_story_training, &facts)),
        "{\"scenario\":\"story\",\"seed\":7,\"version\":\"0.1.0\",\"rng\":\"philox4x32-10/v1\","
        "\"simulated_s\":1000,\"events\":42,\"fidelity\":\"step\","
        "\"start\":\"2018-07-18T17:45:00Z\","
        "\"clusters\":{\"gpu\":{\"path\":\"dev/gpu\",\"state\":\"steady\","
        "\"vm_size\":\"STANDARD_NC6\",\"priority\":\"dedicated\",\"created_s\":0,"
        "\"steady_s\":100,\"ready_s\":160,\"deleted_s\":null,\"nodes_max\":2,\"node_s\":1100,"
        "\"billed_node_s\":1080,\"cost_usd\":0.27,\"preparing_s\":120,\"idle_s\":790,"
        "\"running_s\":140,\"leaving_s\":50,\"unusable_s\":0}},"
        "\"jobs\":{\"train\":{\"path\":\"dev/exp/train\",\"cluster\":\"gpu\",\"tool\":\"horovod\","
        "\"nodes\":2,\"ranks\":2,\"state\":\"succeeded\",\"exit_code\":0,\"submitted_s\":120,"
        "\"started_s\":162,\"ended_s\":232,\"queue_s\":42,\"prep_s\":10,\"start_s\":8,"
        "\"train_s\":50,\"finish_s\":2,\"run_s\":70,\"steps\":4,"
        "\"step_ms\":{\"mean\":11500,\"p50\":10000,\"p95\":14000},"
        "\"split_s\":{\"input\":4,\"compute\":20,\"wait\":2,\"exchange\":16,\"update\":4,"
        "\"evaluate\":4,\"checkpoint\":0},\"epochs\":2,\"val_accuracy\":0.75,\"val_loss\":0.73,"
        "\"node_s\":140,\"gpu_s\":140,\"restarts\":0,\"output_path\":\"acc/share/out/segment\"}},"
        "\"cost_usd\":{\"total\":0.270017,\"clusters\":{\"gpu\":0.27},\"storage\":0.000017},"
        "\"utilisation\":0.127272,\"problems\":[],\"fingerprint\":\"e:1\"}");
}
END_TEST

START_TEST(without_facts_the_counted_part_is_the_same)
{
    const Json *described = summary_of(trace_story_training, &facts);
    const Json *bare = summary_of(trace_story_training, NULL);
    ck_assert_ptr_null(json_member(bare, "scenario"));
    ck_assert_ptr_null(json_find(bare, "/clusters/gpu/vm_size"));
    static const char *const counted[] = {"/clusters/gpu/cost_usd", "/jobs/train/run_s",
                                          "/jobs/train/step_ms", "/utilisation", "/problems"};
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        ck_assert_str_eq(printed(json_find(bare, counted[i])),
                         printed(json_find(described, counted[i])));
}
END_TEST

START_TEST(things_are_called_by_the_shortest_name_that_is_theirs)
{
    static const char *const lines[] = {
        "0 0 cluster_provisioning w/c - - - - creating -",
        "0 0 job_provisioning w/c - w/a/same - - creating -",
        "0 0 job_provisioning w/c - w/b/same - - creating -",
        "0 0 job_provisioning w/c - w/a/own - - creating -",
        "0 0 job_provisioning w/c - w/a/own - - deleted -",
        "1 1 job_provisioning w/c - w/a/own - - creating -",
        NULL,
    };
    static const char *const names[] = {"w/a/same", "w/b/same", "own", "own#2"};
    const Json *job = json_member(summary_of(lines, NULL), "jobs")->first;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++, job = job->next)
        ck_assert_str_eq(job->key, names[i]);
    ck_assert_ptr_null(job);
}
END_TEST

START_TEST(what_went_wrong_is_said_with_its_reason)
{
    static const char *const lines[] = {
        "0s 0s cluster_provisioning w/c - - - - creating -",
        "0s 0s cluster_allocation w/c - - - - resizing target=2 current=0",
        "0s 0s node_state w/c n1 - - - preparing was=5",
        "0s 0s node_state w/c n2 - - - preparing was=5",
        "60s 60s command_refused - - - - - quota ordinal=1",
        "60s 60s job_state w/c - w/e/good - - succeeded exit_code=0",
        "60s 60s job_state w/c - w/e/late - - queued exit_code=-1",
        "60s 60s job_state w/c - w/e/bad - - running exit_code=-1",
        "61s 61s job_error w/c - w/e/bad - - JobFailed:\\s5 -",
        "61s 60s job_state w/c - w/e/bad - - failed exit_code=3",
        "70s 0s node_state w/c n2 - - - unusable was=0",
        "100s 100s command_skipped - - - - - job.show ordinal=2",
        "100s 0s run_ended - - - - - - events=1 draws=0 drawn=0",
        NULL,
    };
    const JobFacts late[] = {{"custom", 1, NULL}, {"custom", 3, NULL}, {"custom", 1, NULL}};
    RunFacts known = facts;
    known.jobs = late;
    ck_assert_str_eq(
        printed(json_member(summary_of(lines, &known), "problems")),
        "[\"refused after 1 min: quota\","
        "\"job.show never happened: the moment it waits for did not come\","
        "\"cluster c was still resizing when the run ended\","
        "\"cluster c: nodes were unusable, and paid, for 30 s\","
        "\"job late was still queued when the run ended: it needs 3 nodes, cluster c never had "
        "more than 2\","
        "\"job bad failed: JobFailed: 5 (exit code 3)\"]");
}
END_TEST

START_TEST(people_read_a_table)
{
    Text text = {0};
    summary_text_print(&text, summary_of(trace_story_training, &facts));
    ck_assert_str_eq(
        text_string(&text),
        "story: 16 min 40 s simulated in 42 events\n\n"
        "Cluster    VM size         Nodes  Ready after    Node time        Cost\n"
        "---------  ------------  -------  -------------  -----------  --------\n"
        "gpu        STANDARD_NC6        2  2 min 40 s     18 min 20 s  0.27 USD\n\n"
        "Job    State      Queued    Preparation    Training    Run time      Accuracy\n"
        "-----  ---------  --------  -------------  ----------  ----------  ----------\n"
        "train  succeeded  42 s      10 s           50 s        1 min 10 s      75.0 %\n\n"
        "Cost: 0.27 USD, of which storage 0.000017 USD. Nodes ran jobs 12.7 % of the time they "
        "were "
        "held.\n");
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("summary");
    TCase *tests = tcase_create("summary");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_run_on_paper_has_its_summary);
    tcase_add_test(tests, without_facts_the_counted_part_is_the_same);
    tcase_add_test(tests, things_are_called_by_the_shortest_name_that_is_theirs);
    tcase_add_test(tests, what_went_wrong_is_said_with_its_reason);
    tcase_add_test(tests, people_read_a_table);
    suite_add_tcase(suite, tests);
    return suite;
}
