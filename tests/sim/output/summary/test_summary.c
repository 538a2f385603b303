#include <string.h>

#include "sim/base/units.h"
#include "sim/output/summary/summary.h"
#include "sim/output/summary/text.h"
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

static const ClusterFacts nc6[] = {{.vm_size = "STANDARD_NC6", .priority = "dedicated"},
                                   {.vm_size = "STANDARD_NC6", .priority = "dedicated"}};
static const JobFacts horovod[] = {
    {"horovod", 2, "acc/share/out/segment", 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false,
     false},
    {"custom", 3, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false},
    {"custom", 3, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false}};
static const ShareFacts standard_share[] = {{.micro_usd_per_gib_month = 60000}}; // 0.06 USD

static const RunFacts facts = {.scenario = "story",
                               .seed = 7,
                               .version = "0.1.0",
                               .fidelity = "step",
                               .start_unix_ms = INT64_C(1531935900000),
                               .clusters = nc6,
                               .jobs = horovod,
                               .shares = standard_share,
                               .share_count = 1};

static const Json *summary_of(const char *const *lines, const RunFacts *known)
{
    MetricsFold *fold = metrics_fold_create(arena);
    trace_story_tell(arena, lines, metrics_fold_listener(fold, TRACE_LEVEL_STEPS));
    return summary_json(arena, summary_of_run(arena, known, metrics_fold_result(fold), "e:1"));
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
    // The sums are worked out in test_metrics.c. Steps of rank 0 take 10, 12, 10 and 14 s. Storage:
    // 1 GiB for 769 s at 60000 micro-USD for 730 h: 60000 * 769 / 2628000 = 17.55. Utilisation: 140
    // of 1100 node-seconds. A job waits 120 to 162 s, so the nodes that are idle from 160 to 162 s
    // wait for their gang: 4 of 790 s. There is no record of an attempt, so the 140 s are
    // unattributed. 0.27 USD by time: gang 981.8, provisioning 29454.5, idle 192927.3, leaving
    // 12272.7, unattributed 34363.6 micro-USD; of the 3 left over one each to .8, .7 and .6.
    ck_assert_str_eq(
        printed(summary_of(trace_story_training, &facts)),
        "{\"scenario\":\"story\",\"seed\":7,\"version\":\"0.1.0\",\"rng\":\"philox4x32-10/v1\","
        "\"simulated_s\":1000,\"events\":42,\"draws\":9,\"fidelity\":\"step\","
        "\"start\":\"2018-07-18T17:45:00Z\","
        "\"clusters\":{\"gpu\":{\"path\":\"dev/gpu\",\"state\":\"steady\","
        "\"vm_size\":\"STANDARD_NC6\",\"priority\":\"dedicated\",\"created_s\":0,"
        "\"steady_s\":100,\"ready_s\":160,\"deleted_s\":null,\"nodes_max\":2,\"node_s\":1100,"
        "\"billed_node_s\":1080,\"cost_usd\":0.27,\"preparing_s\":120,\"idle_s\":790,"
        "\"running_s\":140,\"leaving_s\":50,\"unusable_s\":0,"
        "\"attribution\":{"
        "\"useful_s\":0,\"useful_usd\":0,\"exchange_s\":0,\"exchange_usd\":0,"
        "\"input_s\":0,\"input_usd\":0,\"gang_s\":4,\"gang_usd\":0.000982,\"startup_s\":0,"
        "\"startup_usd\":0,\"checkpoint_s\":0,\"checkpoint_usd\":0,\"lost_s\":0,"
        "\"lost_usd\":0,\"provisioning_s\":120,\"provisioning_usd\":0.029454,"
        "\"idle_s\":786,\"idle_usd\":0.192927,\"leaving_s\":50,\"leaving_usd\":0.012273,"
        "\"unusable_s\":0,\"unusable_usd\":0,\"unattributed_s\":140,"
        "\"unattributed_usd\":0.034364"
        "}}},"
        "\"jobs\":{\"train\":{\"path\":\"dev/exp/train\",\"cluster\":\"gpu\",\"tool\":\"horovod\","
        "\"nodes\":2,\"ranks\":2,\"state\":\"succeeded\",\"exit_code\":0,\"submitted_s\":120,"
        "\"started_s\":162,\"ended_s\":232,\"queue_s\":42,\"prep_s\":10,\"start_s\":8,"
        "\"train_s\":50,\"finish_s\":2,\"run_s\":70,\"steps\":4,"
        "\"step_ms\":{\"mean\":11500,\"p50\":10000,\"p95\":14000},"
        "\"split_s\":{\"input\":4,\"compute\":20,\"wait\":2,\"exchange\":16,\"update\":4,"
        "\"evaluate\":4,\"checkpoint\":0},\"epochs\":2,\"val_accuracy\":0.75,\"val_loss\":0.73,"
        "\"node_s\":140,\"gpu_s\":140,\"restarts\":0,\"attempts\":0,\"lost_node_s\":0,\"wasted_gpu_"
        "s\":0,"
        "\"goodput\":null,\"output_path\":\"acc/share/out/segment\"}},"
        "\"queue_s\":{\"mean\":42,\"p50\":42,\"p95\":42,\"p99\":42,\"max\":42},"
        "\"job_counts\":{\"submitted\":1,\"succeeded\":1,\"failed\":0,\"unfinished\":0},"
        "\"cost_usd\":{\"total\":0.270017,\"clusters\":{\"gpu\":0.27},\"file_servers\":{},"
        "\"storage\":0.000017},\"held_nodes\":1,\"held_usd_per_h\":0.9,"
        "\"attribution\":{"
        "\"useful_s\":0,\"useful_usd\":0,\"exchange_s\":0,\"exchange_usd\":0,"
        "\"input_s\":0,\"input_usd\":0,\"gang_s\":4,\"gang_usd\":0.000982,\"startup_s\":0,"
        "\"startup_usd\":0,\"checkpoint_s\":0,\"checkpoint_usd\":0,\"lost_s\":0,"
        "\"lost_usd\":0,\"provisioning_s\":120,\"provisioning_usd\":0.029454,"
        "\"idle_s\":786,\"idle_usd\":0.192927,\"leaving_s\":50,\"leaving_usd\":0.012273,"
        "\"unusable_s\":0,\"unusable_usd\":0,\"unattributed_s\":140,"
        "\"unattributed_usd\":0.034364"
        "},"
        "\"utilisation\":0.127272,\"problems\":[],\"errors\":[],\"fingerprint\":\"e:1\"}");
}
END_TEST

START_TEST(a_share_with_a_provisioned_size_is_paid_by_that_size)
{
    // 1 TiB for a day at 0.16 USD for a GiB and month: 1024 * 0.16 * 24 / 730 = 5.386520 USD,
    // though it stores only 1 GiB for 769 s. The second share stores nothing, and half a day of 2
    // GiB costs 2 * 0.16 * 12 / 730 = 0.005260. The files on the third cost nothing more.
    static const ShareFacts shares[] = {{160000, INT64_C(1) << 40, 24 * NS_PER_HOUR},
                                        {160000, INT64_C(2) << 30, 12 * NS_PER_HOUR},
                                        {60000, 0, 24 * NS_PER_HOUR}};
    RunFacts premium = facts;
    premium.shares = shares;
    premium.share_count = 3;
    ck_assert_str_eq(
        printed(json_find(summary_of(trace_story_training, &premium), "/cost_usd/storage")),
        "5.39178");
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

START_TEST(resources_have_their_shortest_unique_name)
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

START_TEST(failures_are_listed_with_their_reasons)
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
        "100s 0s node_billed w/c n1 - - - held billed_ns=100s micro_usd_per_hour=0",
        "100s 0s node_billed w/c n2 - - - held billed_ns=100s micro_usd_per_hour=0",
        "100s 0s run_ended - - - - - - events=1 draws=0 drawn=0",
        NULL,
    };
    const JobFacts late[] = {
        {"custom", 1, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false},
        {"custom", 3, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false},
        {"custom", 1, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false}};
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

START_TEST(a_job_in_the_queue_after_one_that_can_never_start_is_reported)
{
    static const char *const lines[] = {
        "0s 0s cluster_provisioning w/c - - - - creating -",
        "0s 0s node_state w/c n1 - - - idle was=5",
        "1s 1s job_state w/c - w/e/wide - - queued exit_code=-1",
        "2s 2s job_state w/c - w/e/narrow - - queued exit_code=-1",
        "9s 0s run_ended - - - - - - events=1 draws=0 drawn=0",
        NULL,
    };
    JobFacts jobs[] = {
        {"custom", 3, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false},
        {"custom", 1, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false}};
    RunFacts known = facts;
    known.jobs = jobs;
    static const char reason[] = "job narrow was still queued when the run ended: job wide was "
                                 "ahead of it and could not start";
    ck_assert_str_eq(json_member(summary_of(lines, &known), "problems")->last->text, reason);
    known.policy = POLICY_BACKFILL; // which lets it pass
    ck_assert_str_ne(json_member(summary_of(lines, &known), "problems")->last->text, reason);
    known.policy = POLICY_SERVICE;
    jobs[0].priority = PRIORITY_LOW;
    ck_assert_str_ne(json_member(summary_of(lines, &known), "problems")->last->text, reason);
}
END_TEST

START_TEST(the_table_for_people_has_one_row_per_job)
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
        "Node time went to           Share  Node time           Cost\n"
        "------------------------  -------  -----------  -----------\n"
        "unused while jobs waited    0.4 %  4 s          0.00098 USD\n"
        "preparing nodes            10.9 %  2 min          0.029 USD\n"
        "idle nodes                 71.5 %  13 min 6 s      0.19 USD\n"
        "leaving nodes               4.5 %  50 s           0.012 USD\n"
        "unattributed               12.7 %  2 min 20 s     0.034 USD\n\n"
        "Cost: 0.27 USD, of which storage 0.000017 USD. Nodes ran jobs 12.7 % of the time they "
        "were "
        "held.\n"
        "1 node was still held when the run ended, at 0.90 USD an hour.\n");
    text_free(&text);
}
END_TEST

/* One node for 100 s at 3.6 USD an hour: 0.1 USD. A job takes the node at 10 s, is preempted at 40
 * s, waits for the replacement until 60 s and ends at 90 s. */
static const char *const lossy_run[] = {
    "0s 0s cluster_provisioning w/c - - - - creating -",
    "0s 0s node_state w/c n1 - - - preparing was=5",
    "5s 0s node_state w/c n1 - - - idle was=0",
    "6s 6s job_state w/c - w/e/j - - queued exit_code=-1",
    "10s 6s job_state w/c - w/e/j - - running exit_code=-1",
    "10s 5s node_state w/c n1 w/e/j - - running was=1",
    "40s 10s job_attempt:preemption w/c - w/e/j - - lost nodes=1 kept_ns=10s exchange_ns=0 "
    "input_ns=0 gang_ns=0 startup_ns=5s checkpoint_ns=1s lost_ns=14s epochs_kept=3",
    "40s 10s job_state:preemption w/c - w/e/j - - queued exit_code=-1",
    "40s 10s node_state:preemption w/c n1 - - - released was=2",
    "40s 0s node_billed w/c n1 - - - released billed_ns=40s micro_usd_per_hour=3600000",
    "40s 40s node_state:replacement w/c n2 - - - preparing was=5",
    "60s 40s node_state w/c n2 - - - idle was=0",
    "60s 40s job_state w/c - w/e/j - - running exit_code=-1",
    "60s 60s node_state w/c n2 w/e/j - - running was=1",
    "90s 60s job_attempt w/c - w/e/j - - completed nodes=1 kept_ns=20s exchange_ns=2s input_ns=3s "
    "gang_ns=0 startup_ns=5s checkpoint_ns=0 lost_ns=0 epochs_kept=5",
    "90s 60s job_state w/c - w/e/j - - succeeded exit_code=0",
    "90s 60s node_state w/c n2 - - - idle was=2",
    "100s 40s node_billed w/c n2 - - - held billed_ns=60s micro_usd_per_hour=3600000",
    "100s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
    NULL,
};

static void check_money(const Json *uses, const char *use, const char *seconds, const char *usd)
{
    ck_assert_str_eq(printed(json_member(uses, arena_printf(arena, "%s_s", use))), seconds);
    ck_assert_str_eq(printed(json_member(uses, arena_printf(arena, "%s_usd", use))), usd);
}

START_TEST(checkpoints_on_notice_are_counted_where_a_job_writes_them)
{
    static const char *const lines[] = {
        "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
        "1s 0s job_state w/c - w/e/j - - running exit_code=-1",
        "2s 2s job_training w/c - w/e/j - - - ranks=1 steps=7 epochs=3",
        "9s 6s job_saved:preemption w/c n1 w/e/j - - c-0-step-3.h5 epochs=0 steps=3",
        "12s 11s job_saved:preemption w/c n2 w/e/j - - c-2-step-5.h5 epochs=2 steps=5",
        "20s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
        NULL,
    };
    const JobFacts saves[] = {
        {"custom", 1, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, true, false}};
    RunFacts known = facts;
    known.jobs = saves;
    ck_assert_str_eq(printed(json_find(summary_of(lines, &known), "/jobs/j/notice_checkpoints")),
                     "2");
    ck_assert_ptr_null(json_find(summary_of(lines, &facts), "/jobs/j/notice_checkpoints"));
}
END_TEST

START_TEST(a_program_that_only_takes_time_reports_its_checkpoints)
{
    static const char *const lines[] = {
        "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
        "1s 0s job_state w/c - w/e/j - - running exit_code=-1",
        "9s 6s job_work_saved:preemption w/c n1 w/e/j - - - work_ns=5s",
        "12s 1s job_attempt:preemption w/c n1 w/e/j - - lost nodes=1 kept_ns=5s exchange_ns=0 "
        "input_ns=0 gang_ns=0 startup_ns=0 checkpoint_ns=3s lost_ns=3s epochs_kept=0",
        "20s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
        NULL,
    };
    const JobFacts saves[] = {
        {"custom", 1, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, true, true}};
    RunFacts known = facts;
    known.jobs = saves;
    const Json *job = json_find(summary_of(lines, &known), "/jobs/j");
    ck_assert_str_eq(printed(json_member(job, "notice_checkpoints")), "1");
    ck_assert_str_eq(printed(json_member(job, "checkpoint_node_s")), "3");
    ck_assert_str_eq(printed(json_member(job, "lost_node_s")), "3");
    ck_assert_ptr_null(json_member(job, "ranks")); // it does not train
    ck_assert_ptr_null(json_find(summary_of(lines, &facts), "/jobs/j/checkpoint_node_s"));
}
END_TEST

START_TEST(node_time_and_money_go_to_their_uses)
{
    // Useful 10 + 20, startup 5 + 5, gang 10 - 6, provisioning 5 + 20, idle 6 - 5 and 100 - 90.
    const Json *summary = summary_of(lossy_run, &facts);
    const Json *uses = json_member(summary, "attribution");
    check_money(uses, "useful", "30", "0.03");
    check_money(uses, "exchange", "2", "0.002");
    check_money(uses, "input", "3", "0.003");
    check_money(uses, "gang", "4", "0.004");
    check_money(uses, "startup", "10", "0.01");
    check_money(uses, "checkpoint", "1", "0.001");
    check_money(uses, "lost", "14", "0.014");
    check_money(uses, "provisioning", "25", "0.025");
    check_money(uses, "idle", "11", "0.011");
    check_money(uses, "leaving", "0", "0");
    check_money(uses, "unusable", "0", "0");
    check_money(uses, "unattributed", "0", "0");
    ck_assert_str_eq(printed(uses), printed(json_find(summary, "/clusters/c/attribution")));
}
END_TEST

START_TEST(nodes_draw_busy_power_in_the_uses_in_which_they_compute)
{
    // 100 s of nodes at 3.6 kW; useful 30, lost 14 and half of exchange 2 at 3.6 kW more: 145 s.
    static const NodePower power = {"STANDARD_NC6", 3600000, 7200000};
    static const ClusterFacts clusters[] = {
        {.vm_size = "STANDARD_NC6", .priority = "dedicated", .power = &power}};
    RunFacts known = facts;
    known.clusters = clusters;
    known.energy = (EnergyTerms){.pue_ppm = 1200000,
                                 .carbon_g_per_kwh = 500,
                                 .exchange_load_ppm = 500000,
                                 .micro_usd_per_kwh = 250000};
    const Json *summary = summary_of(lossy_run, &known);
    ck_assert_str_eq(printed(json_find(summary, "/clusters/c/energy_kwh")), "0.145");
    const char *energy = printed(json_member(summary, "energy"));
    ck_assert_msg(strstr(energy, "\"total_kwh\":0.174,\"nodes_kwh\":0.145,") != NULL, "%s", energy);
    ck_assert_msg(strstr(energy, "\"carbon_kg\":0.087") != NULL, "%s", energy);
    ck_assert_str_eq(printed(json_find(summary, "/cost_usd/energy")), "0.0435");
    // The whole bill has it too: 0.1 USD for nodes.
    ck_assert_str_eq(printed(json_find(summary, "/cost_usd/total")), "0.1435");
    // A fold that does not count hours does not know prices by the hour.
    known.energy.cycle_hours = HOURS_A_DAY;
    summary = summary_of(lossy_run, &known);
    ck_assert_ptr_null(json_find(summary, "/energy/carbon_kg"));
    ck_assert_ptr_null(json_find(summary, "/cost_usd/energy"));
    ck_assert_ptr_null(json_find(summary, "/cost_usd/total"));
    ck_assert_ptr_nonnull(json_find(summary, "/energy/total_kwh"));
}
END_TEST

START_TEST(energy_that_is_not_known_is_not_zero)
{
    ck_assert_ptr_null(json_member(summary_of(lossy_run, &facts), "energy"));
    ck_assert_ptr_null(json_member(summary_of(lossy_run, NULL), "energy"));
    RunFacts paid = facts;
    paid.energy =
        (EnergyTerms){.pue_ppm = PPM, .exchange_load_ppm = PPM, .micro_usd_per_kwh = 250000};
    const Json *summary = summary_of(lossy_run, &paid);
    ck_assert_ptr_null(json_find(summary, "/cost_usd/energy"));
    ck_assert_ptr_null(json_find(summary, "/cost_usd/total"));
}
END_TEST

START_TEST(a_job_reports_its_lost_and_its_useful_time)
{
    // 36 of 60 s: useful 30, exchange 2, input 3, checkpoint 1. Two GPUs to a node.
    const ClusterFacts two_gpus[] = {{.vm_size = "STANDARD_NC12", .priority = "lowpriority"}};
    JobFacts jobs[] = {horovod[0], horovod[1], horovod[2]};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        jobs[i].gpus_per_node = 2;
    RunFacts known = facts;
    known.clusters = two_gpus;
    known.jobs = jobs;
    const Json *job = json_find(summary_of(lossy_run, &known), "/jobs/j");
    ck_assert_str_eq(printed(json_member(job, "attempts")), "2");
    ck_assert_str_eq(printed(json_member(job, "restarts")), "1");
    ck_assert_str_eq(printed(json_member(job, "lost_node_s")), "14");
    ck_assert_str_eq(printed(json_member(job, "wasted_gpu_s")), "28");
    ck_assert_str_eq(printed(json_member(job, "goodput")), "0.6");
}
END_TEST

START_TEST(an_abandoned_run_has_a_reason)
{
    Arena *scratch = arena_create();
    MetricsFold *fold = metrics_fold_create(scratch);
    const TraceRow row = {
        .record = {.kind = TRACE_RUN_ENDED, .at_ns = NS_PER_S, .name = "it never ends"}};
    TraceListener listener = metrics_fold_listener(fold, TRACE_LEVEL_JOBS);
    listener.row(listener.listener, &row);
    const Json *summary =
        summary_json(scratch, summary_of_run(scratch, NULL, metrics_fold_result(fold), NULL));
    ck_assert_str_eq(printed(json_member(summary, "problems")),
                     "[\"the run was given up: it never ends\"]");
    arena_destroy(scratch);
}
END_TEST

START_TEST(rows_that_contradict_each_other_are_a_problem)
{
    static const char *const lines[] = {
        "0s 0s cluster_provisioning w/c - - - - creating -",
        "0s 0s node_state w/c n1 - - - idle was=5",
        "9s 0s job_attempt w/c - w/e/j - - completed nodes=1 kept_ns=9s exchange_ns=0 input_ns=0 "
        "gang_ns=0 startup_ns=0 checkpoint_ns=0 lost_ns=0 epochs_kept=0",
        "9s 0s node_billed w/c n1 - - - held billed_ns=9s micro_usd_per_hour=3600000",
        "9s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
        NULL,
    };
    ck_assert_str_eq(printed(json_member(summary_of(lines, NULL), "problems")),
                     "[\"cluster c: node time does not add up: the trace contradicts itself\"]");
}
END_TEST

START_TEST(jobs_of_a_workload_are_summarized_and_not_listed)
{
    // Waiting 1 and 2 s, and one still waits after 7 s: 7 is a lower bound, and so is the mean (1 +
    // 2 + 7) / 3; running 10 and 17 s, in all 11 and 19, and at least 7. The median of these is 11
    // only if the job that waits ends by then. With the scenario's own job, which waited 3 s, the
    // mean wait is 13 / 4.
    static const char *const lines[] = {
        "0s 0s cluster_provisioning w/c - - - - creating -",
        "0s 0s job_state w/c - w/e/n-1 - - queued exit_code=-1",
        "1s 0s job_state w/c - w/e/n-1 - - running exit_code=-1",
        "1s 1s job_state w/c - w/e/n-2 - - queued exit_code=-1",
        "2s 2s job_state w/c - w/e/own - - queued exit_code=-1",
        "3s 1s job_state w/c - w/e/n-2 - - running exit_code=-1",
        "5s 2s job_state w/c - w/e/own - - running exit_code=-1",
        "11s 1s job_state w/c - w/e/n-1 - - succeeded exit_code=0",
        "13s 13s job_state w/c - w/e/n-3 - - queued exit_code=-1",
        "20s 5s job_state w/c - w/e/own - - succeeded exit_code=0",
        "20s 3s job_state w/c - w/e/n-2 - - failed exit_code=1",
        "20s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
        NULL,
    };
    static const JobFacts jobs[] = {
        {"custom", 1, NULL, 1, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false},
        {"custom", 1, NULL, 1, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false},
        {"custom", 1, NULL, 0, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false},
        {"custom", 1, NULL, 1, NULL, PRIORITY_NORMAL, 1, -1, -1, 1, NULL, false, false}};
    static const char *const workloads[] = {"n", "none"};
    RunFacts known = facts;
    known.jobs = jobs;
    known.workload_count = 2;
    known.workloads = workloads;
    const Json *summary = summary_of(lines, &known);
    ck_assert_int_eq(json_member(summary, "jobs")->count, 1);
    ck_assert_str_eq(
        printed(json_member(summary, "workloads")),
        "{\"n\":{\"jobs\":3,\"succeeded\":1,\"failed\":1,\"unfinished\":1,"
        "\"queue_s\":{\"mean\":3.333333333,\"p50\":2,\"p95\":7,\"p99\":7,\"max\":7,"
        "\"waiting\":1,\"at_least\":[\"mean\",\"p95\",\"p99\",\"max\"]},"
        "\"run_s\":{\"mean\":13.5,\"p50\":10,\"p95\":17,\"p99\":17,\"max\":17},"
        "\"turnaround_s\":{\"mean\":12.333333333,\"p50\":11,\"p95\":19,\"p99\":19,\"max\":19,"
        "\"waiting\":1,\"at_least\":[\"mean\",\"p50\",\"p95\",\"p99\",\"max\"]},\"last_ended_s\":"
        "20,\"restarts\":0,"
        "\"lost_node_s\":0,\"goodput\":null},"
        "\"none\":{\"jobs\":0,\"succeeded\":0,\"failed\":0,\"unfinished\":0,\"queue_s\":null,"
        "\"run_s\":null,\"turnaround_s\":null,\"last_ended_s\":null,\"restarts\":0,\"lost_node_s\":"
        "0,\"goodput\":null}}");
    ck_assert_str_eq(printed(json_member(summary, "queue_s")),
                     "{\"mean\":3.25,\"p50\":2,\"p95\":7,\"p99\":7,\"max\":7,\"waiting\":1,"
                     "\"at_least\":[\"mean\",\"p95\",\"p99\",\"max\"]}");
    Text text = {0};
    summary_text_print(&text, summary);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "Unfinished"));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "> 7 s"));
    text_free(&text);
    ck_assert_str_eq(
        printed(json_member(summary, "problems")),
        "[\"workload n: of 3 jobs 1 failed and 1 had not finished when the run ended\"]");
}
END_TEST

START_TEST(errors_of_clusters_and_nodes_are_counted_with_their_reasons)
{
    static const char *const lines[] = {
        "0s 0s cluster_provisioning w/c - - - - creating -",
        "1s 1s cluster_error:quota w/c - - - - AccountCoreQuotaReached:\\sno\\sroom -",
        "2s 2s node_error:mount_failure w/c n1 - - - AZFMountError:\\snode\\sn1:\\sno\\sshare -",
        "3s 3s node_error:mount_failure w/c n2 - - - AZFMountError:\\snode\\sn2:\\sno\\sshare -",
        NULL,
    };
    const Json *summary = summary_of(lines, NULL);
    ck_assert_str_eq(
        printed(json_member(summary, "errors")),
        "[{\"cluster\":\"c\",\"of\":\"cluster\",\"what\":\"AccountCoreQuotaReached: no room\","
        "\"cause\":\"quota\",\"count\":1,\"first_s\":1,\"last_s\":1},"
        "{\"cluster\":\"c\",\"of\":\"nodes\",\"what\":\"AZFMountError: no share\","
        "\"cause\":\"mount_failure\",\"count\":2,\"first_s\":2,\"last_s\":3}]");
    ck_assert_str_eq(printed(json_member(summary, "problems")),
                     "[\"cluster c: AccountCoreQuotaReached: no room (after 1 s)\","
                     "\"cluster c, nodes: AZFMountError: no share (2 times, first after 2 s)\"]");
}
END_TEST

START_TEST(file_servers_are_part_of_the_cost)
{
    // 3600 s at 0.9 USD, and 1800 s of the next server with the same name.
    static const char *const lines[] = {
        "3600s 0s file_server_billed - - - - - nfs billed_ns=3600s micro_usd_per_hour=900000",
        "5400s 3600s file_server_billed - - - - - nfs billed_ns=1800s micro_usd_per_hour=900000",
        NULL,
    };
    ck_assert_str_eq(printed(json_member(summary_of(lines, NULL), "cost_usd")),
                     "{\"total\":1.35,\"clusters\":{},\"file_servers\":{\"nfs\":1.35}}");
}
END_TEST

START_TEST(the_text_for_people_shows_the_uses_of_node_time)
{
    Text text = {0};
    summary_text_print(&text, summary_of(lossy_run, &facts));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "Node time went to"));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "work that was lost "));
    ck_assert_ptr_nonnull(strstr(text_string(&text), " 14.0 %  14 s "));
    ck_assert_ptr_null(strstr(text_string(&text), "unusable nodes"));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "Lost node time"));
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("summary");
    TCase *tests = tcase_create("summary");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_run_on_paper_has_its_summary);
    tcase_add_test(tests, a_share_with_a_provisioned_size_is_paid_by_that_size);
    tcase_add_test(tests, without_facts_the_counted_part_is_the_same);
    tcase_add_test(tests, resources_have_their_shortest_unique_name);
    tcase_add_test(tests, failures_are_listed_with_their_reasons);
    tcase_add_test(tests, the_table_for_people_has_one_row_per_job);
    tcase_add_test(tests, checkpoints_on_notice_are_counted_where_a_job_writes_them);
    tcase_add_test(tests, a_program_that_only_takes_time_reports_its_checkpoints);
    tcase_add_test(tests, node_time_and_money_go_to_their_uses);
    tcase_add_test(tests, nodes_draw_busy_power_in_the_uses_in_which_they_compute);
    tcase_add_test(tests, energy_that_is_not_known_is_not_zero);
    tcase_add_test(tests, a_job_reports_its_lost_and_its_useful_time);
    tcase_add_test(tests, a_job_in_the_queue_after_one_that_can_never_start_is_reported);
    tcase_add_test(tests, an_abandoned_run_has_a_reason);
    tcase_add_test(tests, rows_that_contradict_each_other_are_a_problem);
    tcase_add_test(tests, jobs_of_a_workload_are_summarized_and_not_listed);
    tcase_add_test(tests, errors_of_clusters_and_nodes_are_counted_with_their_reasons);
    tcase_add_test(tests, file_servers_are_part_of_the_cost);
    tcase_add_test(tests, the_text_for_people_shows_the_uses_of_node_time);
    suite_add_tcase(suite, tests);
    return suite;
}
