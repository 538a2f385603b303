#include <string.h>

#include "sim/cli/disk_files.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/metrics/waiting.h"
#include "sim/output/trace/fan.h"
#include "sim/scenario/read.h"
#include "tests/support/suite.h"

/* --- One instant, on paper --- */

enum { TYPES_MAX = 4 };

/* `sizes[i].jobs` jobs wait for `sizes[i].nodes` whole nodes each, on nodes without GPUs. */
typedef struct {
    int32_t nodes;
    int64_t jobs;
} Size;

static int64_t by_cause[WAIT_CAUSE_COUNT];

static void divide(WaitingView view, const Size *sizes, int32_t count)
{
    WaitingJobs waiting[TYPES_MAX];
    for (int32_t i = 0; i < count; i++)
        waiting[i] = (WaitingJobs){
            .request = {.kind = REQUEST_NODES, .nodes = sizes[i].nodes, .large_nodes = 0},
            .jobs = sizes[i].jobs};
    memset(by_cause, 0, sizeof by_cause);
    waiting_divide(view, waiting, count, by_cause);
}

static WaitingView idle(int32_t nodes)
{
    return (WaitingView){.room = {.idle_nodes = nodes}};
}

static void expect(WaitCause cause, int64_t jobs)
{
    ck_assert_msg(by_cause[cause] == jobs, "%s: %lld instead of %lld", wait_cause_name(cause),
                  (long long)by_cause[cause], (long long)jobs);
}

START_TEST(idle_nodes_for_all_are_the_services_delay)
{
    divide(idle(4), (Size[]){{1, 2}, {4, 1}}, 2);
    expect(WAIT_SERVICE, 3);
    expect(WAIT_AHEAD, 0);
}
END_TEST

/* Two nodes are idle: the small jobs could start, the gang of 4 is ahead of them and lacks two. */
START_TEST(a_gang_at_the_head_keeps_small_jobs_waiting)
{
    divide(idle(2), (Size[]){{1, 3}, {4, 2}}, 2);
    expect(WAIT_AHEAD, 3);
    expect(WAIT_GANG, 1);
    expect(WAIT_MAXIMUM, 1);
}
END_TEST

/* 3 nodes come, 1 is unusable, the region lacks 1, scaling may add 2 and a quota refuses 2: nine
 * jobs of one node wait for them in this order, and the tenth for a running job. */
START_TEST(nodes_are_given_in_order)
{
    const WaitingView view = {
        .coming = 3, .unusable = 1, .refused = 1, .growth = 2, .over_quota = 2};
    divide(view, (Size[]){{1, 10}}, 1);
    expect(WAIT_NODES, 3);
    expect(WAIT_REPAIR, 1);
    expect(WAIT_UNAVAILABLE, 1);
    expect(WAIT_SCALING, 2);
    expect(WAIT_QUOTA, 2);
    expect(WAIT_MAXIMUM, 1);
}
END_TEST

/* A gang of 4 needs the 2 that come, the 1 that is unusable and one more that scaling may add. */
START_TEST(a_gang_waits_for_the_last_of_its_nodes)
{
    const WaitingView view = {.coming = 2, .unusable = 1, .growth = 4, .over_quota = 1};
    divide(view, (Size[]){{4, 2}}, 1);
    expect(WAIT_SCALING, 1);
    expect(WAIT_QUOTA, 1);
}
END_TEST

/* An idle node is a part of the two nodes of the gang. */
START_TEST(idle_nodes_help_a_gang)
{
    const WaitingView view = {.room = {.idle_nodes = 1}, .coming = 1};
    divide(view, (Size[]){{2, 1}}, 1);
    expect(WAIT_NODES, 1);
}
END_TEST

/* Two nodes of 4 GPUs with 2 free each: a job of 4 GPUs on one node finds them on too many. */
START_TEST(free_gpus_on_too_many_nodes)
{
    const PlaceSet places[5] = {[2] = {.count = 2}};
    const WaitingView view = {.room = {.gpus_per_node = 4, .places = places}};
    const WaitingJobs waiting[] = {{.request = request_of_gpus(4, 4), .jobs = 1},
                                   {.request = request_of_gpus(8, 4), .jobs = 1}};
    memset(by_cause, 0, sizeof by_cause);
    waiting_divide(view, waiting, 2, by_cause);
    expect(WAIT_FRAGMENTATION, 1);
    expect(WAIT_GANG, 1);
}
END_TEST

/* --- Whole runs --- */

typedef struct {
    const char *scenario;
    const char *change; /* NULL: none */
    WaitCause has, lacks;
} RunCase;

static const RunCase runs[] = {
    {"workloads/poisson", NULL, WAIT_SCALING, WAIT_QUOTA},
    {"workloads/poisson", "/parameters/nodes/value=8", WAIT_QUOTA, WAIT_PREEMPTION},
    {"workloads/poisson", "/policy=backfill", WAIT_MAXIMUM, WAIT_QUOTA},
    {"workloads/bursts", NULL, WAIT_MAXIMUM, WAIT_FAILURE},
    {"workloads/failing-month", NULL, WAIT_PREEMPTION, WAIT_QUOTA},
    {"nodes/group-fails", NULL, WAIT_FAILURE, WAIT_QUOTA},
    {"nodes/allocation-fails", NULL, WAIT_UNAVAILABLE, WAIT_QUOTA},
    {"scheduling/gpus", NULL, WAIT_GANG, WAIT_QUOTA},
    {"scheduling/priority-preemptive", NULL, WAIT_PRECEDENCE, WAIT_FAILURE},
    {"resize", NULL, WAIT_NODES, WAIT_QUOTA},
    {"studies/commit-or-burst", NULL, WAIT_SCALING, WAIT_QUOTA},
    {"studies/commit-or-burst", "/parameters/burst/value=0", WAIT_MAXIMUM, WAIT_SCALING},
};
enum { RUN_COUNT = sizeof runs / sizeof runs[0] };

static Wide queue_ns(const RunMetrics *metrics)
{
    Wide sum_ns = 0;
    for (uint32_t i = 0; i < metrics->job_count; i++)
        sum_ns += run_job(metrics, i)->queue_ns;
    return sum_ns;
}

/* The causes add up to the time that jobs were in the queue, to the ns. */
START_TEST(causes_add_up)
{
    const RunCase *run = &runs[_i];
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    ScenarioFile *file = scenario_read(
        arena, disk_files,
        arena_printf(arena, TRAINYARD_SOURCE_DIR "/scenarios/%s/scenario.json", run->scenario),
        (ScenarioOverrides){.count = run->change != NULL, .items = &run->change}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    TraceFan *fan = trace_fan_create(arena);
    MetricsFold *fold = metrics_fold_create(arena);
    WaitingFold *waiting = waiting_fold_create(arena);
    trace_fan_join(fan, metrics_fold_listener(fold, TRACE_LEVEL_JOBS));
    trace_fan_join(fan, waiting_fold_listener(waiting));
    World *world = world_create(arena, &file->scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    waiting_fold_watch(waiting, world);
    world_run(world);
    uint32_t count;
    const ClusterWaits *waits = waiting_fold_result(waiting, &count);
    Wide ns[WAIT_CAUSE_COUNT] = {0}, sum_ns = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++)
            ns[cause] += waits[i].ns[cause];
    for (int cause = 0; cause < WAIT_CAUSE_COUNT; cause++) {
        ck_assert(ns[cause] >= 0);
        sum_ns += ns[cause];
    }
    ck_assert_msg(sum_ns == queue_ns(metrics_fold_result(fold)), "%s: %lld ns instead of %lld",
                  run->scenario, (long long)sum_ns, (long long)queue_ns(metrics_fold_result(fold)));
    ck_assert_msg(ns[run->has] > 0, "%s: no job waited for %s", run->scenario,
                  wait_cause_words(run->has));
    ck_assert_msg(ns[run->lacks] == 0, "%s: jobs waited for %s", run->scenario,
                  wait_cause_words(run->lacks));
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("waiting");
    TCase *instant = tcase_create("instant"), *whole = tcase_create("runs");
    tcase_add_test(instant, idle_nodes_for_all_are_the_services_delay);
    tcase_add_test(instant, a_gang_at_the_head_keeps_small_jobs_waiting);
    tcase_add_test(instant, nodes_are_given_in_order);
    tcase_add_test(instant, a_gang_waits_for_the_last_of_its_nodes);
    tcase_add_test(instant, idle_nodes_help_a_gang);
    tcase_add_test(instant, free_gpus_on_too_many_nodes);
    tcase_add_loop_test(whole, causes_add_up, 0, RUN_COUNT);
    suite_add_tcase(suite, instant);
    suite_add_tcase(suite, whole);
    return suite;
}
