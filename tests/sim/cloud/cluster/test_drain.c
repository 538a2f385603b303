/* Drained nodes: examples on paper, on a service that takes no time, checked after every event. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/cluster/drain.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static Scenario *scenario;
static World *world;

/* A cluster "c" of nodes of `gpus` GPUs. */
static ClusterSpec *add_cluster(int32_t nodes, int32_t gpus)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){
        .vm_size = vm_size_of_gpus(arena, gpus), .target_nodes = nodes, .admin_user = "demo"};
    commands_create_cluster(&list, "c", 0, spec);
    return spec;
}

/* Jobs have the ids 0, 1, ... in the order of their submission, and state how long they take. */
static JobSpec *add_job(const char *name, int64_t at_s, int32_t gpus, int64_t run_s)
{
    JobSpec *spec = gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s);
    spec->expected_ns = run_s * NS_PER_S;
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
    return spec;
}

static void add_nodes_job(const char *name, int64_t at_s, int32_t nodes, int64_t run_s)
{
    JobSpec *spec = gpu_job(arena, REQUEST_NODES, nodes, 0, run_s);
    spec->expected_ns = run_s * NS_PER_S;
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
}

/* A command about the node at a place, from 1. */
static Command *add_on_node(CommandKind kind, int64_t at_s, int32_t place)
{
    Command *command = commands_add(&list, kind, "c", at_s * NS_PER_S);
    command->as.fault.node = place;
    command->as.fault.duration_ns = INT64_MAX;
    return command;
}

static void add_drain(int64_t at_s, int32_t place, int64_t work_s)
{
    add_on_node(COMMAND_NODE_DRAIN, at_s, place)->as.fault.duration_ns = work_s * NS_PER_S;
}

static void advance_under(PolicyKind policy, int64_t until_s)
{
    scenario = scenario_of(&list, 1);
    scenario->service = ideal_service(arena);
    scenario->policy = policy;
    scenario->placement = PLACEMENT_CONSOLIDATE;
    scenario->until_ns = until_s * NS_PER_S;
    world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
}

static void advance(int64_t until_s)
{
    advance_under(POLICY_SERVICE, until_s);
}

/* The time in whole seconds at which the node enters the state for the `n`-th time, counted from 0;
 * -1: it does not. */
static int64_t node_s(uint32_t node, const char *state, int32_t n)
{
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind == TRACE_NODE_STATE && record->node.index == node &&
            strcmp(record->name, state) == 0 && n-- == 0)
            return record->at_ns / NS_PER_S;
    }
    return -1;
}

static int64_t job_s(uint32_t job, const char *state, int32_t n)
{
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind == TRACE_JOB_STATE && record->job.index == job &&
            strcmp(record->name, state) == 0 && n-- == 0)
            return record->at_ns / NS_PER_S;
    }
    return -1;
}

static int32_t count_of(TraceKind kind)
{
    return recording_count(&recording, kind, NULL);
}

START_TEST(a_job_ends_in_peace_before_the_work)
{
    add_cluster(2, 1);
    add_job("runs", 100, 1, 1000);
    add_drain(200, 1, 600);
    add_job("next", 300, 1, 100);
    add_job("last", 350, 1, 100);
    advance(5000);
    ck_assert_int_eq(job_s(0, "succeeded", 0), 1100);
    ck_assert_int_eq(node_s(0, "unusable", 0), 1100);
    ck_assert_int_eq(node_s(0, "preparing", 1), 1700);
    ck_assert_int_eq(node_s(0, "idle", 1), 1700);
    ck_assert_int_eq(job_s(1, "running", 0), 300); // on the other node
    ck_assert_int_eq(job_s(2, "running", 0), 400); // when that is free again
    const TraceRecord *drained = recording_get(&recording, TRACE_NODE_DRAINED, 0);
    ck_assert_int_eq(drained->at_ns, 200 * NS_PER_S);
    ck_assert_int_eq(drained->node_drained.work_ns, 600 * NS_PER_S);
    const TraceRecord *resumed = recording_get(&recording, TRACE_NODE_RESUMED, 0);
    ck_assert_int_eq(resumed->since_ns, 200 * NS_PER_S);
    ck_assert_int_eq(resumed->at_ns, 1700 * NS_PER_S);
    ck_assert_int_eq(count_of(TRACE_NODE_ERROR), 0); // it has not failed
}
END_TEST

START_TEST(a_node_without_a_job_is_worked_on_at_once)
{
    add_cluster(2, 1);
    add_drain(200, 2, 600);
    add_nodes_job("wide", 300, 2, 100);
    advance(5000);
    ck_assert_int_eq(node_s(1, "unusable", 0), 200);
    ck_assert_int_eq(node_s(1, "idle", 1), 800);
    ck_assert_int_eq(job_s(0, "running", 0), 800);
}
END_TEST

START_TEST(a_node_stays_drained_until_it_is_resumed)
{
    add_cluster(1, 1);
    add_on_node(COMMAND_NODE_DRAIN, 200, 1);
    add_job("waits", 300, 1, 100);
    add_on_node(COMMAND_NODE_RESUME, 10000, 1);
    advance(20000);
    ck_assert_int_eq(recording_get(&recording, TRACE_NODE_DRAINED, 0)->node_drained.work_ns, -1);
    ck_assert_int_eq(node_s(0, "preparing", 1), 10000);
    ck_assert_int_eq(job_s(0, "running", 0), 10000);
}
END_TEST

START_TEST(a_node_resumed_before_the_work_takes_jobs_again)
{
    add_cluster(1, 2);
    add_job("runs", 100, 1, 1000);
    add_drain(200, 1, 600);
    add_job("second", 300, 1, 100);
    add_on_node(COMMAND_NODE_RESUME, 500, 1);
    advance(5000);
    ck_assert_int_eq(job_s(1, "running", 0), 500);
    ck_assert_int_eq(node_s(0, "unusable", 0), -1);
}
END_TEST

START_TEST(a_shared_node_waits_for_all_its_jobs)
{
    add_cluster(1, 4);
    add_job("short", 100, 1, 200);
    add_job("long", 100, 2, 500);
    add_drain(150, 1, 60);
    add_job("waits", 200, 1, 10);
    advance(5000);
    ck_assert_int_eq(node_s(0, "unusable", 0), 600);
    ck_assert_int_eq(job_s(2, "running", 0), 660);
}
END_TEST

START_TEST(a_gang_ends_on_all_its_nodes)
{
    add_cluster(3, 1);
    add_nodes_job("gang", 100, 2, 500);
    add_drain(200, 1, 300);
    add_nodes_job("next", 200, 2, 100);
    advance(5000);
    ck_assert_int_eq(job_s(0, "succeeded", 0), 600);
    ck_assert_int_eq(node_s(0, "unusable", 0), 600);
    ck_assert_int_eq(node_s(1, "unusable", 0), -1);
    ck_assert_int_eq(job_s(1, "running", 0), 600); // on the second and the third
}
END_TEST

START_TEST(a_failed_node_is_repaired_first)
{
    add_cluster(1, 1);
    add_job("runs", 100, 1, 1000);
    Command *crash = add_on_node(COMMAND_NODE_CRASH, 300, 1);
    crash->as.fault.recovery = RECOVERY_REBOOT;
    crash->as.fault.duration_ns = 100 * NS_PER_S;
    add_drain(200, 1, 600);
    advance(5000);
    ck_assert_int_eq(node_s(0, "unusable", 0), 360); // the failure is noticed
    ck_assert_int_eq(node_s(0, "unusable", 1), 400); // the work
    ck_assert_int_eq(node_s(0, "idle", 1), 1000);
    ck_assert_int_eq(job_s(0, "running", 1), 1000);
    ck_assert_int_eq(count_of(TRACE_NODE_ERROR), 1);
}
END_TEST

START_TEST(a_replaced_node_is_not_drained)
{
    add_cluster(1, 1);
    Command *crash = add_on_node(COMMAND_NODE_CRASH, 300, 1);
    crash->as.fault.recovery = RECOVERY_REPLACE;
    crash->as.fault.duration_ns = 100 * NS_PER_S;
    add_drain(380, 1, 600); // the failure was noticed at 360 s
    advance(5000);
    ck_assert_int_eq(node_s(0, "released", 0), 400);
    ck_assert_int_eq(node_s(1, "idle", 0), 400);
    ck_assert_int_eq(node_s(1, "unusable", 0), -1);
    ck_assert_int_eq(count_of(TRACE_NODE_RESUMED), 1);
}
END_TEST

START_TEST(work_mends_a_failure_that_was_not_noticed)
{
    add_cluster(1, 1);
    add_on_node(COMMAND_NODE_CRASH, 300, 1)->as.fault.recovery = RECOVERY_STAYS;
    add_drain(350, 1, 600);
    advance(5000);
    ck_assert_int_eq(node_s(0, "unusable", 0), 350);
    ck_assert_int_eq(node_s(0, "idle", 1), 950);
    ck_assert_int_eq(count_of(TRACE_NODE_ERROR), 0);
}
END_TEST

START_TEST(a_reboot_begins_the_work_and_does_not_end_it)
{
    add_cluster(1, 1);
    add_job("runs", 100, 1, 1000);
    add_drain(200, 1, 600);
    add_on_node(COMMAND_NODE_REBOOT, 300, 1);
    add_on_node(COMMAND_NODE_REBOOT, 500, 1);
    advance(5000);
    ck_assert_int_eq(node_s(0, "unusable", 0), 300);
    ck_assert_int_eq(node_s(0, "idle", 1), 900);
    ck_assert_int_eq(job_s(0, "running", 1), 900);
}
END_TEST

START_TEST(drained_nodes_leave_with_a_smaller_cluster)
{
    // Both nodes of a gang are drained: the one that is not taken from it would be worked on.
    add_cluster(3, 1);
    add_nodes_job("gang", 100, 2, 500);
    add_drain(200, 1, 300);
    add_drain(200, 2, 300);
    commands_resize(&list, "c", 300 * NS_PER_S, 0);
    advance(5000);
    for (uint32_t node = 0; node < 3; node++)
        ck_assert_int_eq(node_s(node, "released", 0), 300);
    ck_assert_int_eq(count_of(TRACE_NODE_RESUMED), 2);
}
END_TEST

START_TEST(a_node_under_work_leaves_before_others)
{
    add_cluster(2, 1);
    add_job("runs", 100, 1, 1000); // on the first node
    add_drain(200, 2, 600);
    commands_resize(&list, "c", 300 * NS_PER_S, 1);
    advance(5000);
    ck_assert_int_eq(node_s(1, "released", 0), 300);
    ck_assert_int_eq(node_s(0, "released", 0), -1);
}
END_TEST

START_TEST(a_retiring_node_leaves_when_its_job_ends)
{
    // Its policy has no more plans for the job that ends on the node.
    static const PolicyKind policies[] = {POLICY_SERVICE, POLICY_BACKFILL};
    add_cluster(1, 1)->deallocation = DEALLOCATE_WAIT_FOR_JOB;
    add_nodes_job("runs", 100, 1, 1000);
    add_drain(200, 1, 600);
    commands_resize(&list, "c", 300 * NS_PER_S, 0);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    advance_under(policies[_i], 5000);
    ck_assert_int_eq(node_s(0, "unusable", 0), -1);
    ck_assert_int_eq(node_s(0, "released", 0), 1100);
}
END_TEST

START_TEST(a_preempted_node_is_gone)
{
    ClusterSpec *spec = add_cluster(1, 1);
    spec->is_low_priority = true;
    add_drain(200, 1, 600);
    add_on_node(COMMAND_NODE_PREEMPT, 300, 1);
    advance(5000);
    ck_assert_int_eq(node_s(0, "released", 0), 330); // after the notice
    ck_assert_int_eq(node_s(1, "idle", 0), 330);
}
END_TEST

START_TEST(crews_do_the_work)
{
    add_cluster(2, 1);
    add_drain(200, 1, 600);
    add_drain(300, 2, 600);
    Scenario *one_crew = scenario_of(&list, 1);
    one_crew->service = ideal_service(arena);
    one_crew->failures.repair_crews = 1;
    one_crew->until_ns = 5000 * NS_PER_S;
    world = world_create(arena, one_crew, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    ck_assert_int_eq(node_s(0, "idle", 1), 800);
    ck_assert_int_eq(node_s(1, "idle", 1), 1400);
}
END_TEST

/* The first job waits for two nodes. Without drains it has a reservation at 300 s, when the long
 * job ends; a short one that ends by then may pass, and one that ends later may not. */
START_TEST(backfill_does_not_reserve_drained_nodes)
{
    const bool is_drained = _i % 2 == 1;
    const PolicyKind policy = _i / 2 == 0 ? POLICY_BACKFILL : POLICY_CONSERVATIVE;
    add_cluster(2, 1);
    add_job("runs", 0, 1, 300);
    if (is_drained)
        add_drain(50, 1, 10000);
    add_nodes_job("wide", 100, 2, 100);
    add_job("long", 150, 1, 1000);
    advance_under(policy, 20000);
    // It is not known when a drained node is back: "long" need not wait for "wide".
    ck_assert_int_eq(job_s(2, "running", 0), is_drained ? 150 : 400);
    ck_assert_int_eq(job_s(1, "running", 0), is_drained ? 10300 : 300);
}
END_TEST

/* A running job on a drained node is not stopped for a waiting one that could not have the node. */
START_TEST(no_job_is_stopped_for_a_drained_node)
{
    static const PolicyKind policies[] = {POLICY_SRTF, POLICY_PRIORITY_PREEMPTIVE};
    add_cluster(1, 1);
    add_job("runs", 0, 1, 1000);
    add_drain(100, 1, 100);
    add_job("short", 200, 1, 10)->priority = PRIORITY_HIGH;
    advance_under(policies[_i], 20000);
    ck_assert_int_eq(job_s(0, "succeeded", 0), 1000);
    ck_assert_int_eq(job_s(1, "running", 0), 1100);
}
END_TEST

START_TEST(what_cannot_be_drained_or_resumed_is_refused)
{
    add_cluster(2, 1);
    add_drain(100, 1, 600);
    add_drain(200, 1, 600);
    add_on_node(COMMAND_NODE_RESUME, 200, 2);
    add_on_node(COMMAND_NODE_DRAIN, 200, 3);
    add_drain(300, 0, 600); // draws the only node that is not drained
    add_drain(400, 0, 600);
    advance(5000);
    static const char *const messages[] = {
        "the node at place 1 of cluster c is drained already",
        "the node at place 2 of cluster c is not drained",
        "cluster c has no node at place 3",
        "cluster c has no node that is in service and not drained",
    };
    for (int32_t i = 0; i < 4; i++) {
        const TraceRecord *refused = recording_get(&recording, TRACE_COMMAND_REFUSED, i);
        ck_assert_msg(strstr(refused->name, messages[i]) != NULL, "%s", refused->name);
    }
    ck_assert_int_eq(node_s(1, "unusable", 0), 300);
}
END_TEST

/* --- Rolling maintenance --- */

/* Begins at 1000 s and takes 100 s for each node. */
static MaintenanceSpec *roll(ClusterSpec *spec, int32_t nodes_at_once)
{
    MaintenanceSpec *own = ARENA_NEW(arena, MaintenanceSpec);
    *own = (MaintenanceSpec){
        .begin_ns = 1000 * NS_PER_S, .takes_ns = 100 * NS_PER_S, .nodes_at_once = nodes_at_once};
    spec->maintenance = own;
    spec->maintenance_count = 1;
    return own;
}

/* The only maintenance begins at 1000 s and ends then. */
static void ck_ends(int64_t end_s)
{
    ck_assert_int_eq(count_of(TRACE_CLUSTER_MAINTENANCE), 2);
    const TraceRecord *ends = recording_find(&recording, TRACE_CLUSTER_MAINTENANCE, "ends", 0);
    ck_assert_int_eq(ends->since_ns, 1000 * NS_PER_S);
    ck_assert_int_eq(ends->at_ns / NS_PER_S, end_s);
}

START_TEST(one_node_after_the_other_is_worked_on)
{
    roll(add_cluster(3, 1), 1);
    add_nodes_job("wide", 1050, 3, 100);
    advance(5000);
    for (uint32_t node = 0; node < 3; node++) {
        ck_assert_int_eq(node_s(node, "unusable", 0), 1000 + 100 * node);
        ck_assert_int_eq(node_s(node, "idle", 1), 1100 + 100 * node);
    }
    ck_ends(1300);
    ck_assert_int_eq(job_s(0, "running", 0), 1300);
    ck_assert_int_eq(
        recording_get(&recording, TRACE_CLUSTER_MAINTENANCE, 0)->cluster_maintenance.nodes, 3);
}
END_TEST

START_TEST(a_running_job_holds_up_only_its_own_node)
{
    roll(add_cluster(3, 1), 2);
    add_job("runs", 100, 1, 1400); // on the first node
    advance(5000);
    ck_assert_int_eq(node_s(1, "unusable", 0), 1000);
    ck_assert_int_eq(node_s(2, "unusable", 0), 1100);
    ck_assert_int_eq(node_s(0, "unusable", 0), 1500);
    ck_assert_int_eq(job_s(0, "succeeded", 0), 1500);
    ck_ends(1600);
}
END_TEST

START_TEST(the_next_node_has_its_turn_when_the_last_is_prepared)
{
    roll(add_cluster(2, 1), 1);
    Scenario *slow = scenario_of(&list, 1);
    slow->service = plain_service(arena); // a preparation takes 130 s
    slow->until_ns = 5000 * NS_PER_S;
    world = world_create(arena, slow, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    ck_assert_int_eq(node_s(0, "preparing", 1), 1100);
    ck_assert_int_eq(node_s(1, "unusable", 0), 1230);
    ck_ends(1460);
}
END_TEST

START_TEST(nodes_that_came_later_have_no_turn)
{
    roll(add_cluster(1, 1), 1);
    commands_resize(&list, "c", 1050 * NS_PER_S, 3);
    advance(5000);
    ck_assert_int_eq(node_s(1, "unusable", 0), -1);
    ck_ends(1100);
}
END_TEST

START_TEST(nodes_in_turn_that_go_or_are_resumed_make_room)
{
    ClusterSpec *spec = add_cluster(4, 1);
    spec->is_low_priority = true;
    roll(spec, 1);
    add_on_node(COMMAND_NODE_DRAIN, 500, 3); // on request, so it is passed over
    add_on_node(COMMAND_NODE_PREEMPT, 1000, 1);
    add_on_node(COMMAND_NODE_RESUME, 1040, 2);
    advance(5000);
    ck_assert_int_eq(node_s(0, "released", 0), 1030); // after the notice
    ck_assert_int_eq(node_s(1, "unusable", 0), 1030);
    ck_assert_int_eq(node_s(1, "idle", 1), 1040);
    ck_assert_int_eq(node_s(3, "unusable", 0), 1040);
    ck_assert_int_eq(node_s(2, "unusable", 1), -1);
    ck_ends(1140);
}
END_TEST

START_TEST(a_begin_while_it_is_under_way_is_left_out)
{
    roll(add_cluster(3, 1), 1)->every_ns = 200 * NS_PER_S;
    advance(2000);
    static const int64_t begins_s[] = {1000, 1400, 1800};
    for (int32_t i = 0; i < 3; i++)
        ck_assert_int_eq(recording_find(&recording, TRACE_CLUSTER_MAINTENANCE, "begins", i)->at_ns /
                             NS_PER_S,
                         begins_s[i]);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_MAINTENANCE, "begins"), 3);
}
END_TEST

START_TEST(a_rolling_maintenance_defers_no_job)
{
    roll(add_cluster(2, 1), 1);
    add_job("long", 900, 1, 3000);
    advance_under((PolicyKind)_i, 5000);
    ck_assert_int_eq(job_s(0, "running", 0), 900);
    ck_assert_int_eq(count_of(TRACE_JOB_DEFERRED), 0);
    ck_ends(4100); // the first node waits for its job until 3900 s
}
END_TEST

START_TEST(a_deleted_cluster_ends_its_maintenance)
{
    roll(add_cluster(2, 1), 1);
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 1050 * NS_PER_S);
    advance(5000);
    ck_assert_int_eq(count_of(TRACE_CLUSTER_MAINTENANCE), 1);
    ck_assert_int_eq(node_s(1, "unusable", 0), -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("drain");
    TCase *tests = tcase_create("drain");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_job_ends_in_peace_before_the_work);
    tcase_add_test(tests, a_node_without_a_job_is_worked_on_at_once);
    tcase_add_test(tests, a_node_stays_drained_until_it_is_resumed);
    tcase_add_test(tests, a_node_resumed_before_the_work_takes_jobs_again);
    tcase_add_test(tests, a_shared_node_waits_for_all_its_jobs);
    tcase_add_test(tests, a_gang_ends_on_all_its_nodes);
    tcase_add_test(tests, a_failed_node_is_repaired_first);
    tcase_add_test(tests, a_replaced_node_is_not_drained);
    tcase_add_test(tests, work_mends_a_failure_that_was_not_noticed);
    tcase_add_test(tests, a_reboot_begins_the_work_and_does_not_end_it);
    tcase_add_test(tests, drained_nodes_leave_with_a_smaller_cluster);
    tcase_add_test(tests, a_node_under_work_leaves_before_others);
    tcase_add_loop_test(tests, a_retiring_node_leaves_when_its_job_ends, 0, 2);
    tcase_add_test(tests, a_preempted_node_is_gone);
    tcase_add_test(tests, crews_do_the_work);
    tcase_add_loop_test(tests, backfill_does_not_reserve_drained_nodes, 0, 4);
    tcase_add_loop_test(tests, no_job_is_stopped_for_a_drained_node, 0, 2);
    tcase_add_test(tests, what_cannot_be_drained_or_resumed_is_refused);
    tcase_add_test(tests, one_node_after_the_other_is_worked_on);
    tcase_add_test(tests, a_running_job_holds_up_only_its_own_node);
    tcase_add_test(tests, the_next_node_has_its_turn_when_the_last_is_prepared);
    tcase_add_test(tests, nodes_that_came_later_have_no_turn);
    tcase_add_test(tests, nodes_in_turn_that_go_or_are_resumed_make_room);
    tcase_add_test(tests, a_begin_while_it_is_under_way_is_left_out);
    tcase_add_loop_test(tests, a_rolling_maintenance_defers_no_job, 0, POLICY_COUNT);
    tcase_add_test(tests, a_deleted_cluster_ends_its_maintenance);
    suite_add_tcase(suite, tests);
    return suite;
}
