/* Planned maintenance: no job starts that would run into it. Examples on paper, under every policy,
 * checked after every event. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/cluster/maintenance.h"
#include "sim/cloud/job/job.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static MaintenanceSpec maintenance(int64_t begin_s, int64_t takes_s, int64_t every_s)
{
    return (MaintenanceSpec){.begin_ns = begin_s * NS_PER_S,
                             .takes_ns = takes_s * NS_PER_S,
                             .every_ns = every_s * NS_PER_S};
}

/* A cluster "c" of nodes of one GPU with one maintenance. */
static ClusterSpec *add_cluster(int32_t nodes, MaintenanceSpec maintenance)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    MaintenanceSpec *own = ARENA_NEW(arena, MaintenanceSpec);
    *own = maintenance;
    *spec = (ClusterSpec){.vm_size = vm_size_of_gpus(arena, 1),
                          .target_nodes = nodes,
                          .admin_user = "demo",
                          .maintenance = own,
                          .maintenance_count = 1};
    commands_create_cluster(&list, "c", 0, spec);
    return spec;
}

/* Jobs have the ids 0, 1, ... in the order of their submission. */
static JobSpec *add_job(const char *name, int64_t at_s, int32_t gpus, int64_t run_s,
                        int64_t expected_s)
{
    JobSpec *spec = gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s);
    spec->expected_ns = expected_s * NS_PER_S;
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
    return spec;
}

static void run_until(PolicyKind policy, int64_t until_s)
{
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service = ideal_service(arena);
    scenario->policy = policy;
    scenario->placement = PLACEMENT_CONSOLIDATE;
    scenario->until_ns = until_s > 0 ? until_s * NS_PER_S : INT64_MAX;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
}

/* When the job starts for the first time, in whole seconds; -1: never. */
static int64_t start_s(uint32_t id)
{
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind == TRACE_JOB_STATE && record->job.index == id &&
            strcmp(record->name, "running") == 0)
            return record->at_ns / NS_PER_S;
    }
    return -1;
}

static int32_t turns(const char *name)
{
    return recording_count(&recording, TRACE_CLUSTER_MAINTENANCE, name);
}

START_TEST(only_jobs_that_end_in_time_start_before_it)
{
    // Both nodes are free at 100 s, and the maintenance begins at 1000 s.
    add_cluster(2, maintenance(1000, 200, 0));
    add_job("late", 100, 1, 901, 901);
    add_job("exact", 100, 1, 900, 900);
    add_job("unknown", 100, 1, 10, 0)->expected_ns = INT64_MAX;
    add_job("in-it", 1100, 1, 10, 10);
    run_until((PolicyKind)_i, 0);
    ck_assert_int_eq(start_s(1), 100);
    for (uint32_t job = 0; job < 4; job++)
        if (job != 1)
            ck_assert_int_ge(start_s(job), 1200);
    ck_assert_int_eq(turns("begins"), 1);
    ck_assert_int_eq(turns("ends"), 1);
    const TraceRecord *deferred = recording_get(&recording, TRACE_JOB_DEFERRED, 0);
    ck_assert_int_eq(deferred->job.index, 0);
    ck_assert_int_eq(deferred->job_deferred.begins_ns, 1000 * NS_PER_S);
}
END_TEST

START_TEST(a_wide_job_that_cannot_start_in_time_keeps_no_node_free)
{
    // The wide job needs both nodes for 600 s. One is used until 500 s, and from 400 s on it is too
    // late for the wide job. Backfill knows that at once; in the service's order it comes first
    // until then.
    static const int64_t starts[] = {[POLICY_SERVICE] = 400,
                                     [POLICY_BACKFILL] = 20,
                                     [POLICY_SHORTEST] = 20,
                                     [POLICY_FAIR_SHARE] = 400,
                                     [POLICY_SRTF] = 20,
                                     [POLICY_CONSERVATIVE] = 20,
                                     [POLICY_PRIORITY_PREEMPTIVE] = 400};
    _Static_assert(sizeof starts / sizeof starts[0] == POLICY_COUNT, "every policy");
    add_cluster(2, maintenance(1000, 200, 0));
    add_job("first", 1, 1, 499, 499);
    add_job("wide", 10, 2, 600, 600);
    add_job("small", 20, 1, 520, 520);
    run_until((PolicyKind)_i, 0);
    ck_assert_int_eq(start_s(2), starts[_i]);
    ck_assert_int_eq(start_s(1), 1200);
}
END_TEST

START_TEST(backfill_keeps_its_reservation_before_maintenance)
{
    // The wide job has its reservation at 500 s, and ends at 900 s. A job that would delay it
    // waits.
    add_cluster(2, maintenance(1000, 200, 0));
    add_job("first", 1, 1, 499, 499);
    add_job("wide", 10, 2, 400, 400);
    add_job("small", 20, 1, 600, 600);
    add_job("tiny", 30, 1, 470, 470);
    run_until(_i == 0 ? POLICY_BACKFILL : POLICY_CONSERVATIVE, 0);
    ck_assert_int_eq(start_s(1), 500);
    ck_assert_int_eq(start_s(2), 1200);
    ck_assert_int_eq(start_s(3), 30);
}
END_TEST

START_TEST(maintenance_comes_again)
{
    // 150 s are free at a time: at 50 to 100 s, 150 to 300 s and so on until 1000 s.
    add_cluster(1, maintenance(100, 50, 200));
    add_job("fits", 160, 1, 140, 140);
    add_job("never", 170, 1, 151, 151);
    add_job("next", 310, 1, 150, 150);
    run_until(POLICY_SERVICE, 1000);
    ck_assert_int_eq(start_s(0), 160);
    ck_assert_int_eq(start_s(1), -1);
    ck_assert_int_eq(start_s(2), 350);
    ck_assert_int_eq(turns("begins"), 5);
    ck_assert_int_eq(turns("ends"), 5);
}
END_TEST

START_TEST(a_job_that_takes_longer_than_expected_keeps_its_node)
{
    add_cluster(2, maintenance(1000, 200, 0));
    add_job("longer", 100, 1, 950, 500);
    add_job("next", 1020, 1, 10, 10);
    run_until(POLICY_BACKFILL, 0);
    ck_assert_int_eq(start_s(0), 100);
    const TraceRecord *record = recording_find(&recording, TRACE_CLUSTER_MAINTENANCE, "begins", 0);
    ck_assert_int_eq(record->cluster_maintenance.nodes, 2);
    ck_assert_int_eq(record->cluster_maintenance.running, 1);
    ck_assert_int_eq(start_s(1), 1200);
}
END_TEST

START_TEST(maintenance_of_one_kind_leaves_the_others)
{
    ClusterSpec *spec = add_cluster(2, maintenance(1000, 200, 0));
    NodeKind *kinds = ARENA_ARRAY(arena, NodeKind, 2);
    for (int k = 0; k < 2; k++)
        kinds[k] = (NodeKind){.name = k == 0 ? "north" : "south",
                              .vm_size = spec->vm_size,
                              .target_nodes = 1,
                              .speed_ppm = PPM};
    spec->kinds = kinds;
    spec->kind_count = 2;
    ((MaintenanceSpec *)spec->maintenance)->kinds = kind_set_of(0);
    add_job("any", 100, 1, 2000, 2000)->kinds = 0;
    add_job("again", 110, 1, 2000, 2000);
    add_job("north", 120, 1, 1000, 1000)->kinds = kind_set_of(0);
    run_until((PolicyKind)_i, 0);
    ck_assert_int_eq(start_s(0), 100);
    // The north node is free from 1200 s on.
    ck_assert_int_ge(start_s(1), 1200);
    ck_assert_int_ge(start_s(2), 1200);
    ck_assert(start_s(1) == 1200 || start_s(2) == 1200);
}
END_TEST

START_TEST(no_maintenance_keeps_a_deleted_cluster)
{
    add_cluster(1, maintenance(1000, 200, 2000));
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 500 * NS_PER_S);
    run_until(POLICY_SERVICE, 0);
    ck_assert_int_eq(turns(NULL), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("maintenance");
    TCase *tests = tcase_create("maintenance");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, only_jobs_that_end_in_time_start_before_it, 0, POLICY_COUNT);
    tcase_add_loop_test(tests, a_wide_job_that_cannot_start_in_time_keeps_no_node_free, 0,
                        POLICY_COUNT);
    tcase_add_loop_test(tests, backfill_keeps_its_reservation_before_maintenance, 0, 2);
    tcase_add_test(tests, maintenance_comes_again);
    tcase_add_test(tests, a_job_that_takes_longer_than_expected_keeps_its_node);
    tcase_add_loop_test(tests, maintenance_of_one_kind_leaves_the_others, 0, POLICY_COUNT);
    tcase_add_test(tests, no_maintenance_keeps_a_deleted_cluster);
    suite_add_tcase(suite, tests);
    return suite;
}
