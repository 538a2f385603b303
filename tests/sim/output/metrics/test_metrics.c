#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/summary/summary.h"
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

static const RunMetrics *metrics_of(const char *const *lines)
{
    MetricsFold *fold = metrics_fold_create(arena);
    trace_story_tell(arena, lines, metrics_fold_listener(fold, TRACE_LEVEL_STEPS));
    return metrics_fold_result(fold);
}

START_TEST(node_time_is_split_by_state_and_adds_up)
{
    // n1 is held 100 to 300 s, n2 100 to 1000 s: 200 + 900 = 1100 s.
    // preparing 2 * 60; idle 2 * (162 - 160), n1 250 - 232, n2 1000 - 232; running 2 * 70.
    const RunMetrics *run = metrics_of(trace_story_training);
    ck_assert_uint_eq(run->cluster_count, 1);
    const ClusterMetrics *cluster = &run->clusters[0];
    ck_assert(cluster->held_ns == 1100 * NS_PER_S);
    ck_assert(cluster->state_ns[NODE_PREPARING] == 120 * NS_PER_S);
    ck_assert(cluster->state_ns[NODE_IDLE] == (4 + 18 + 768) * NS_PER_S);
    ck_assert(cluster->state_ns[NODE_RUNNING] == 140 * NS_PER_S);
    ck_assert(cluster->state_ns[NODE_LEAVING] == 50 * NS_PER_S);
    ck_assert(cluster->state_ns[NODE_UNUSABLE] == 0);
    ck_assert_int_eq(cluster->nodes_max, 2);
    ck_assert_int_eq(cluster->nodes_now, 1);
}
END_TEST

START_TEST(the_bill_is_billed_time_times_price)
{
    // (180 s + 900 s) / 3600 s * 0.90 USD = 0.27 USD
    const ClusterMetrics *cluster = &metrics_of(trace_story_training)->clusters[0];
    ck_assert(cluster->billed_ns == 1080 * NS_PER_S);
    ck_assert_int_eq(cluster->cost_micro_usd, 270000);
}
END_TEST

START_TEST(a_cluster_records_when_it_was_first_steady_and_ready)
{
    const ClusterMetrics *cluster = &metrics_of(trace_story_training)->clusters[0];
    ck_assert_int_eq(cluster->created_ns, 0);
    ck_assert_int_eq(cluster->steady_ns, 100 * NS_PER_S);
    ck_assert_int_eq(cluster->ready_ns, 160 * NS_PER_S);
    ck_assert_int_eq(cluster->deleted_ns, METRIC_NEVER);
    ck_assert_str_eq(cluster->allocation, "steady");
}
END_TEST

START_TEST(a_job_records_its_times_and_its_training)
{
    const RunMetrics *run = metrics_of(trace_story_training);
    ck_assert_uint_eq(run->job_count, 1);
    const JobMetrics *job = run_job(run, 0);
    ck_assert_int_eq(job->state, JOB_SUCCEEDED);
    ck_assert_int_eq(job->exit_code, 0);
    ck_assert_int_eq(job->submitted_ns, 120 * NS_PER_S);
    ck_assert_int_eq(job->started_ns, 162 * NS_PER_S);
    ck_assert_int_eq(job_details(job)->prepared_ns, 172 * NS_PER_S); // the later of the two nodes
    ck_assert_int_eq(job_details(job)->training->begun_ns, 180 * NS_PER_S);
    ck_assert_int_eq(job_details(job)->training->trained_ns, 230 * NS_PER_S);
    ck_assert_int_eq(job->ended_ns, 232 * NS_PER_S);
    ck_assert_int_eq(job->queue_ns, 42 * NS_PER_S);
    ck_assert_int_eq(job->node_ns, 140 * NS_PER_S);
    ck_assert_int_eq(job->nodes_max, 2);
    ck_assert_int_eq(job_details(job)->training->epochs, 2);
    ck_assert_int_eq(job_details(job)->training->steps, 4);
    ck_assert_int_eq(job_details(job)->training->parts.exchange_ns, 16 * NS_PER_S);
    ck_assert_int_eq(job_details(job)->training->accuracy_ppm, 750000);
    ck_assert_uint_eq(job_details(job)->training->step_count, 4); // of rank 0
    ck_assert_int_eq(job->restarts, 0);
}
END_TEST

START_TEST(a_file_is_counted_once_and_stored_from_its_writing_to_the_end)
{
    // 1 GiB from 231 s to 1000 s, then: 2 GiB for 10 s, 1 GiB for 5 s.
    const RunMetrics *run = metrics_of(trace_story_training);
    ck_assert_uint_eq(run->file_count, 1);
    ck_assert_str_eq(run->files[0].path, "out/model.h5");
    ck_assert_int_eq(run->files[0].written_ns, 231 * NS_PER_S);
    ck_assert(run->shares[0].stored_gib_ns == 769 * NS_PER_S);
    run = metrics_of((const char *const[]){"0s 0s file_written - - - a/s 2147483648 f -",
                                           "10s 10s file_written - - - a/s 1073741824 f -",
                                           "15s 0s run_ended - - - - - - events=1 draws=0 drawn=0",
                                           NULL});
    ck_assert_uint_eq(run->file_count, 1);
    ck_assert_int_eq(run->files[0].bytes, 1073741824);
    ck_assert(run->shares[0].stored_gib_ns == 25 * NS_PER_S);
}
END_TEST

START_TEST(a_deleted_file_is_not_stored_and_a_file_written_again_is_on_the_current_share)
{
    // f: 2 GiB for 10 s. g: 1 GiB for 20 s, until the first a/s goes; on the second one 3 GiB for
    // 10 s.
    const RunMetrics *run = metrics_of((const char *const[]){
        "0s 0s file_written - - - a/s 2147483648 f -",
        "0s 0s file_written - - - a/s 1073741824 g -",
        "10s 10s file_deleted - - - a/s - f -",
        "20s 20s resource_deleted - - - a/s - share -",
        "30s 30s file_written - - - a/t 1073741824 h -",
        "90s 20s file_written - - - a/s 3221225472 g -",
        "100s 0s run_ended - - - - - - events=1 draws=0 drawn=0",
        NULL,
    });
    ck_assert_uint_eq(run->file_count, 3);
    ck_assert(run->files[0].is_gone && !run->files[1].is_gone);
    ck_assert(run->shares[0].stored_gib_ns == (20 + 20 + 30) * NS_PER_S);
    ck_assert(run->shares[1].stored_gib_ns == 70 * NS_PER_S);
}
END_TEST

START_TEST(a_requeued_job_starts_again)
{
    // Queued 10 s, runs 20 s, queued 30 s, runs until the end of the run.
    const RunMetrics *run = metrics_of((const char *const[]){
        "0s 0s cluster_provisioning d/c - - - - creating -",
        "0s 0s node_state d/c n - - - idle was=5",
        "0s 0s job_state d/c - d/e/j - - queued exit_code=-1",
        "10s 0s job_state d/c - d/e/j - - running exit_code=-1",
        "10s 0s node_state d/c n d/e/j - - running was=1",
        "15s 15s job_training d/c - d/e/j - - - ranks=1 steps=9 epochs=9",
        "16s 15s step d/c n d/e/j - - - epoch=1 step=1 rank=0 input_ns=0 compute_ns=1s wait_ns=0 "
        "exchange_ns=0 update_ns=0",
        "30s 10s job_state d/c - d/e/j - - queued exit_code=-1",
        "30s 10s node_state d/c n d/e/j - - idle was=2",
        "60s 30s job_state d/c - d/e/j - - running exit_code=-1",
        "60s 30s node_state d/c n d/e/j - - running was=1",
        "100s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
        NULL,
    });
    const JobMetrics *job = run_job(run, 0);
    ck_assert_int_eq(job->restarts, 1);
    ck_assert_int_eq(job->queue_ns, 40 * NS_PER_S);
    ck_assert_int_eq(job->started_ns, 60 * NS_PER_S);
    ck_assert_int_eq(job_details(job)->training->begun_ns, METRIC_NEVER);
    ck_assert_uint_eq(job_details(job)->training->step_count, 0);
    ck_assert_int_eq(job->node_ns, 60 * NS_PER_S); // 20 + 40, closed by the end of the run
    ck_assert_int_eq(job->state, JOB_RUNNING);
}
END_TEST

START_TEST(a_job_that_still_waits_has_waited_until_the_end)
{
    const RunMetrics *run = metrics_of((const char *const[]){
        "0s 0s cluster_provisioning d/c - - - - creating -",
        "5s 5s job_state d/c - d/e/j - - queued exit_code=-1",
        "60s 0s run_ended - - - - - - events=2 draws=0 drawn=0",
        NULL,
    });
    ck_assert_int_eq(run_job(run, 0)->queue_ns, 55 * NS_PER_S);
    ck_assert_int_eq(run_job(run, 0)->restarts, 0);
}
END_TEST

START_TEST(refused_and_skipped_commands_are_kept)
{
    const RunMetrics *run = metrics_of((const char *const[]){
        "5 5 command_refused - - - - - quota ordinal=3",
        "9 9 command_skipped - - - - - job.show ordinal=4",
        NULL,
    });
    ck_assert_uint_eq(run->refused_count, 2);
    ck_assert(run->refused[0].is_refusal);
    ck_assert_int_eq(run->refused[0].at_ns, 5);
    ck_assert_str_eq(run->refused[0].what, "quota");
    ck_assert(!run->refused[1].is_refusal);
}
END_TEST

/* Three nodes for 250 years each: 50 prepared, 100 idle, 100 running. A year has 31,536,000 s. */
#define YEARS_50 "1576800000s "
#define YEARS_150 "4730400000s "
#define YEARS_250 "7884000000s "
#define OLD_NODE(node, job)                                                                        \
    "0s 0s node_state w/c " node " - - - preparing was=5",                                         \
        YEARS_50 "0s node_state w/c " node " - - - idle was=0",                                    \
        YEARS_150 YEARS_50 "node_state w/c " node " w/e/" job " - - running was=1",                \
        YEARS_250 YEARS_150 "node_state w/c " node " - - - released was=2",                        \
        YEARS_250 "0s node_billed w/c " node " - - - released "                                    \
                  "billed_ns=7884000000s micro_usd_per_hour=1000000",                              \
        YEARS_250 YEARS_150 "job_attempt w/c - w/e/" job " - - completed nodes=1 "                 \
                            "kept_ns=3153600000s exchange_ns=0 input_ns=0 gang_ns=0 "              \
                            "startup_ns=0 checkpoint_ns=0 lost_ns=0 epochs_kept=0"

static int line_time(const void *left, const void *right)
{
    const long long a = strtoll(*(const char *const *)left, NULL, 10);
    const long long b = strtoll(*(const char *const *)right, NULL, 10);
    return (a > b) - (a < b);
}

START_TEST(the_node_time_of_a_fleet_exceeds_64_bits)
{
    const char *lines[] = {OLD_NODE("n1", "a"), OLD_NODE("n2", "b"), OLD_NODE("n3", "c"),
                           YEARS_250 "0s run_ended - - - - - - events=1 draws=0 drawn=0", NULL};
    const size_t count = sizeof lines / sizeof lines[0] - 2; // without the last record and the end
    for (size_t i = 1; i < count; i++) // stable, so that rows of a node stay in order
        for (size_t j = i; j > 0 && line_time(&lines[j - 1], &lines[j]) > 0; j--) {
            const char *later = lines[j - 1];
            lines[j - 1] = lines[j];
            lines[j] = later;
        }
    const RunMetrics *run = metrics_of(lines);
    const ClusterMetrics *cluster = &run->clusters[0];
    const Wide year_ns = (Wide)31536000 * NS_PER_S;
    ck_assert(750 * year_ns > INT64_MAX);
    ck_assert(cluster->held_ns == 750 * year_ns);
    ck_assert(cluster->billed_ns == 750 * year_ns);
    ck_assert(cluster->state_ns[NODE_PREPARING] == 150 * year_ns);
    ck_assert(cluster->state_ns[NODE_IDLE] == 300 * year_ns);
    ck_assert(cluster->state_ns[NODE_RUNNING] == 300 * year_ns);
    // 3 * 250 * 8,760 h at 1 USD
    ck_assert_int_eq(cluster->cost_micro_usd, INT64_C(6570000000000));
    Wide use_ns[USE_COUNT];
    int64_t part[USE_COUNT], sum = 0;
    ck_assert(cluster_uses(cluster, use_ns));
    ck_assert(use_ns[USE_USEFUL] == 300 * year_ns);
    ck_assert(use_ns[USE_IDLE] == 300 * year_ns);
    ck_assert(use_ns[USE_UNATTRIBUTED] == 0);
    attribution_divide(cluster->cost_micro_usd, use_ns, part);
    for (int use = 0; use < USE_COUNT; use++)
        sum += part[use];
    ck_assert_int_eq(sum, cluster->cost_micro_usd);
    Text text = {0};
    json_print(&text, summary_json(arena, summary_of_run(arena, NULL, run, NULL)), JSON_COMPACT);
    // 750 and 300 times 31,536,000 s; 300 of 750 years are 0.4.
    ck_assert_ptr_nonnull(strstr(text_string(&text), "\"node_s\":23652000000,"));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "\"useful_s\":9460800000,"));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "\"utilisation\":0.4,"));
    text_free(&text);
}
END_TEST

START_TEST(sums_of_a_forged_trace_stop_at_the_largest_number)
{
    const RunMetrics *run = metrics_of((const char *const[]){
        "0 0 node_billed d/c n - - - held billed_ns=9223372036854775807 "
        "micro_usd_per_hour=9223372036854775807",
        "0 0 node_billed d/c n - - - held billed_ns=9223372036854775807 micro_usd_per_hour=1",
        NULL,
    });
    ck_assert(run->clusters[0].billed_ns == (Wide)INT64_MAX * 2); // wide sums do not stop
    ck_assert_int_eq(run->clusters[0].cost_micro_usd, INT64_MAX);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("metrics");
    TCase *tests = tcase_create("metrics");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, node_time_is_split_by_state_and_adds_up);
    tcase_add_test(tests, the_bill_is_billed_time_times_price);
    tcase_add_test(tests, a_cluster_records_when_it_was_first_steady_and_ready);
    tcase_add_test(tests, a_job_records_its_times_and_its_training);
    tcase_add_test(tests, a_file_is_counted_once_and_stored_from_its_writing_to_the_end);
    tcase_add_test(tests,
                   a_deleted_file_is_not_stored_and_a_file_written_again_is_on_the_current_share);
    tcase_add_test(tests, a_requeued_job_starts_again);
    tcase_add_test(tests, a_job_that_still_waits_has_waited_until_the_end);
    tcase_add_test(tests, refused_and_skipped_commands_are_kept);
    tcase_add_test(tests, the_node_time_of_a_fleet_exceeds_64_bits);
    tcase_add_test(tests, sums_of_a_forged_trace_stop_at_the_largest_number);
    suite_add_tcase(suite, tests);
    return suite;
}
