/* Faults that a scenario requests, by examples on paper from plain_service (tests/support/worlds.h:
 * nodes come at 100 s and are idle at 230 s; a job on idle nodes starts 2 s after it was created,
 * its program a second later; a silent node is noticed after 60 s; 30 s notice). */
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/cluster/region.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static Command *add_fault(CommandKind kind, const char *name, int64_t at_s)
{
    return commands_add(&list, kind, name, at_s * NS_PER_S);
}

/* A fault of a node of a job. */
static Command *add_job_fault(CommandKind kind, const char *job, int64_t at_s)
{
    Command *command = add_fault(kind, job, at_s);
    command->path.experiment = "e";
    command->as.fault.is_of_job = true;
    return command;
}

static void repair(Command *command, NodeRecovery recovery, int64_t duration_s)
{
    command->as.fault.recovery = recovery;
    command->as.fault.duration_ns = duration_s * NS_PER_S;
}

static const NodeGroup *group_of(const char *name, GroupMember member)
{
    GroupMember *members = ARENA_NEW(arena, GroupMember);
    NodeGroup *group = ARENA_NEW(arena, NodeGroup);
    *members = member;
    *group = (NodeGroup){.name = name, .member_count = 1, .members = members};
    return group;
}

static ClusterSpec *spec_of(int32_t nodes, bool is_low_priority)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *plain_cluster(arena, nodes);
    spec->is_low_priority = is_low_priority;
    return spec;
}

static void add_job(const char *name, int64_t at_s, int32_t nodes, int64_t seconds)
{
    commands_create_job(&list, name, at_s * NS_PER_S, "c",
                        plain_job(arena, nodes, plain_fixed_program(arena, seconds * NS_PER_S, 0)));
}

static World *run_until_ns(int64_t until_ns, uint64_t seed)
{
    Scenario *scenario = scenario_of(&list, seed);
    scenario->until_ns = until_ns;
    recording = recording_create(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    return world;
}

static World *run_until(int64_t until_s, uint64_t seed)
{
    return run_until_ns(until_s * NS_PER_S, seed);
}

static int64_t at_s(TraceKind kind, const char *name, int32_t n)
{
    const TraceRecord *record = recording_find(&recording, kind, name, n);
    ck_assert_msg(record != NULL, "no record %d of %s %s", n, trace_kind_name(kind),
                  name ? name : "");
    return record->at_ns / NS_PER_S;
}

/* The node of the n-th record; 0-based. */
static uint32_t node_of(TraceKind kind, const char *name, int32_t n)
{
    const TraceRecord *record = recording_find(&recording, kind, name, n);
    ck_assert(record != NULL);
    return record->node.index;
}

START_TEST(a_node_crashes_at_its_place_and_is_repaired)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    Command *crash = add_fault(COMMAND_NODE_CRASH, "c", 300);
    crash->as.fault.node = 2;
    crash->as.fault.reason = "power supply";
    repair(crash, RECOVERY_REBOOT, 600);
    run_until(2000, 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 360);
    ck_assert_uint_eq(node_of(TRACE_NODE_STATE, "unusable", 0), 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 900);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 1);
    ck_assert(strstr(recording_find(&recording, TRACE_NODE_ERROR, NULL, 0)->name, "power supply") !=
              NULL);
}
END_TEST

START_TEST(a_fault_without_a_place_strikes_a_random_working_node)
{
    // Three crashes of four nodes strike three different nodes. Over the seeds each node is equally
    // often the first.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    for (int32_t i = 0; i < 5; i++)
        add_fault(COMMAND_NODE_CRASH, "c", 300 + 100 * i);
    int32_t first[4] = {0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        run_until(1000, seed);
        bool struck[4] = {false};
        ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 4);
        for (int32_t i = 0; i < 4; i++) {
            uint32_t node = node_of(TRACE_NODE_STATE, "unusable", i);
            ck_assert(!struck[node]);
            struck[node] = true;
        }
        first[node_of(TRACE_NODE_STATE, "unusable", 0)]++;
        ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED,
                                         "node.crash c: cluster c has no node that works"),
                         1);
    }
    // 50 of 200 each, give or take four times sqrt(200 x 0.25 x 0.75) = 6.1.
    for (int32_t n = 0; n < 4; n++)
        ck_assert_msg(abs(first[n] - 50) <= 24, "node %d first %d times", n + 1, first[n]);
}
END_TEST

START_TEST(an_additional_node_changes_the_victim_only_if_it_is_the_victim)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint32_t victims[2];
        for (int32_t more = 0; more < 2; more++) {
            list = commands_begin(arena);
            commands_create_cluster(&list, "c", 0, plain_cluster(arena, 5 + more));
            add_fault(COMMAND_NODE_CRASH, "c", 300);
            run_until(1000, seed);
            victims[more] = node_of(TRACE_NODE_STATE, "unusable", 0);
        }
        ck_assert(victims[1] == victims[0] || victims[1] == 5);
    }
}
END_TEST

START_TEST(only_low_priority_nodes_are_preempted)
{
    commands_create_cluster(&list, "c", 0, spec_of(2, true));
    commands_create_cluster(&list, "d", 0, spec_of(2, false));
    add_fault(COMMAND_NODE_PREEMPT, "c", 300)->as.fault.node = 1;
    add_fault(COMMAND_NODE_PREEMPT, "d", 300)->as.fault.node = 1;
    run_until(1000, 1);
    ck_assert_int_eq(at_s(TRACE_NODE_NOTICE, NULL, 0), 300);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 0), 330);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_NOTICE, NULL), 1);
    ck_assert_int_eq(
        recording_count(&recording, TRACE_COMMAND_REFUSED,
                        "node.preempt d: cluster d is dedicated; its nodes are not preempted"),
        1);
}
END_TEST

START_TEST(a_reboot_prepares_the_node_again)
{
    // 90 s down, 130 s of preparation.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    add_fault(COMMAND_NODE_REBOOT, "c", 300);
    run_until(1000, 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 1), 300);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "idle", 1), 520);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_STATE, "preparing", 1)->cause,
                     CAUSE_REBOOT);
}
END_TEST

START_TEST(a_slow_node_stays_slow)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    Command *slow = add_fault(COMMAND_NODE_SLOW, "c", 300);
    slow->as.fault.node = 1;
    slow->as.fault.speed_ppm = PPM / 2;
    const World *world = run_until(1000, 1);
    ck_assert_int_eq(world_node(world, (NodeId){0})->speed_ppm, PPM / 2);
    ck_assert_int_eq(world_node(world, (NodeId){1})->speed_ppm, PPM);
}
END_TEST

START_TEST(a_fault_finds_the_node_that_a_job_runs_on)
{
    // The job holds two of four nodes from 302 s on; it starts again on two of the other three.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    add_job("j", 300, 2, 1000);
    add_job_fault(COMMAND_NODE_CRASH, "j", 400)->as.fault.node = 2;
    const World *world = run_until(5000, 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 460);
    ck_assert_uint_eq(node_of(TRACE_NODE_STATE, "unusable", 0), 1);
    ck_assert_int_eq(world_job(world, (JobId){0})->starts, 2);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_SUCCEEDED);
}
END_TEST

START_TEST(the_nodes_of_a_group_crash_or_are_preempted_together)
{
    commands_create_cluster(&list, "c", 0, spec_of(4, true));
    Command *crash = add_fault(COMMAND_GROUP_CRASH, "rack1", 300);
    crash->as.fault.group = group_of("rack1", (GroupMember){"c", 1, 2});
    repair(crash, RECOVERY_STAYS, 0);
    add_fault(COMMAND_GROUP_PREEMPT, "rack2", 500)->as.fault.group =
        group_of("rack2", (GroupMember){"c", 3, INT32_MAX});
    run_until(600, 1);
    ck_assert_int_eq(at_s(TRACE_GROUP_STRUCK, "rack1", 0), 300);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 1), 360);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 2);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_STATE, "unusable", 0)->cause,
                     CAUSE_GROUP);
    ck_assert_int_eq(at_s(TRACE_GROUP_STRUCK, "rack2", 0), 500);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_NOTICE, NULL), 2);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "released"), 2);
    ck_assert_uint_eq(node_of(TRACE_NODE_STATE, "released", 0), 2);
}
END_TEST

START_TEST(a_region_outage_takes_all_nodes_and_allocates_none_until_its_end)
{
    // The region is out from 300 to 1300 s, when the two nodes are back. A third node, requested at
    // 400 s, is allocated by a retry after that.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    add_fault(COMMAND_REGION_OUTAGE, "eastus", 300)->as.fault.duration_ns = 1000 * NS_PER_S;
    commands_resize(&list, "c", 400 * NS_PER_S, 3);
    const World *world = run_until(5000, 1);
    ck_assert_int_eq(at_s(TRACE_GROUP_STRUCK, "eastus", 0), 300);
    ck_assert_int_eq(recording_find(&recording, TRACE_GROUP_STRUCK, NULL, 0)->group_struck.nodes,
                     2);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 1), 360);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 1300);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 1300);
    ck_assert_int_ge(at_s(TRACE_NODE_STATE, "preparing", 4), 1300);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->node_count[NODE_IDLE], 3);
}
END_TEST

START_TEST(an_outage_within_another_ends_with_the_longer_one)
{
    add_fault(COMMAND_REGION_OUTAGE, "eastus", 0)->as.fault.duration_ns = 1000 * NS_PER_S;
    add_fault(COMMAND_REGION_OUTAGE, "eastus", 100)->as.fault.duration_ns = 10 * NS_PER_S;
    Scenario *scenario = scenario_of(&list, 1);
    World *world = world_create(arena, scenario, (TraceSink){0});
    static const struct {
        int64_t at_s;
        bool is_out;
    } rows[] = {{50, true}, {150, true}, {999, true}, {1000, false}, {2000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        world_advance(world, rows[i].at_s * NS_PER_S);
        ck_assert_msg(region_is_out(world->clusters) == rows[i].is_out, "at %d s",
                      (int)rows[i].at_s);
    }
}
END_TEST

START_TEST(a_node_is_not_repaired_while_the_region_is_out)
{
    // Silent at 300 s and due again at 900 s, when the region is out: back with it at 1500 s. A
    // second outage begins before the first has ended, and the nodes are back at the end of the
    // longer one.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    Command *crash = add_fault(COMMAND_NODE_CRASH, "c", 300);
    crash->as.fault.node = 1;
    repair(crash, RECOVERY_REBOOT, 600);
    add_fault(COMMAND_REGION_OUTAGE, "eastus", 400)->as.fault.duration_ns = 200 * NS_PER_S;
    add_fault(COMMAND_REGION_OUTAGE, "eastus", 500)->as.fault.duration_ns = 1000 * NS_PER_S;
    run_until(5000, 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 1500);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 1500);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "preparing"), 4);
}
END_TEST

START_TEST(allocation_is_not_retried_in_a_region_that_is_out_for_ever)
{
    // Steady at 170 s (100 + 70) without nodes, and nothing happens after that.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 0));
    add_fault(COMMAND_REGION_OUTAGE, "eastus", 50)->as.fault.duration_ns = INT64_MAX;
    commands_resize(&list, "c", 100 * NS_PER_S, 3);
    const World *world = run_until(100000, 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ERROR, NULL), 1);
    ck_assert(strstr(recording_find(&recording, TRACE_CLUSTER_ERROR, NULL, 0)->name,
                     "asks again") == NULL);
    ck_assert_int_eq(at_s(TRACE_RUN_ENDED, NULL, 0), 170);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->allocation, ALLOCATION_STEADY);
}
END_TEST

START_TEST(a_node_that_waits_for_a_region_which_never_comes_back_keeps_no_run_going)
{
    // Due again at 900 s, after the region has gone for ever: nothing is left to happen then.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    Command *crash = add_fault(COMMAND_NODE_CRASH, "c", 300);
    crash->as.fault.node = 1;
    repair(crash, RECOVERY_REBOOT, 600);
    add_fault(COMMAND_REGION_OUTAGE, "eastus", 400)->as.fault.duration_ns = INT64_MAX;
    run_until_ns(INT64_MAX, 1);
    ck_assert_int_eq(at_s(TRACE_RUN_ENDED, NULL, 0), 900);
    ck_assert_ptr_null(recording_find(&recording, TRACE_RUN_ENDED, NULL, 0)->name);
}
END_TEST

START_TEST(allocations_fail_for_any_number_of_nodes)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    for (int32_t i = 0; i < 2; i++)
        add_fault(COMMAND_ALLOCATION_FAIL, "c", 1)->as.fault.count = INT32_MAX;
    run_until(2000, 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ERROR, NULL), 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 100 + 120 + 70);
}
END_TEST

START_TEST(the_next_allocation_or_preparation_fails)
{
    // One of three nodes is allocated by the retry, 120 + 70 s later. The node at place 2 is
    // unusable at the end of its preparation, and is prepared again after its repair.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    add_fault(COMMAND_ALLOCATION_FAIL, "c", 1)->as.fault.count = 1;
    Command *fail = add_fault(COMMAND_PREPARATION_FAIL, "c", 1);
    fail->as.fault.node = 2;
    repair(fail, RECOVERY_REBOOT, 100);
    run_until(2000, 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ERROR, NULL), 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 100 + 120 + 70);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 230);
    ck_assert_uint_eq(node_of(TRACE_NODE_STATE, "unusable", 0), 1);
    ck_assert_int_eq(recording_find(&recording, TRACE_NODE_ERROR, NULL, 0)->cause,
                     CAUSE_PREPARATION_FAILURE);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 330);
}
END_TEST

START_TEST(a_fault_ends_a_program)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    add_job("j", 300, 1, 1000);
    Command *leave = add_fault(COMMAND_JOB_EXIT, "j", 400);
    leave->path.experiment = "e";
    leave->as.fault.exit_code = 137;
    const World *world = run_until(5000, 1);
    const Job *job = world_job(world, (JobId){0});
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert_int_eq(job->exit_code, 137);
    ck_assert_int_eq(job->ended_ns, 400 * NS_PER_S);
}
END_TEST

START_TEST(a_container_that_does_not_start_fails_its_job)
{
    static const ContainerImage image = {"ubuntu", 50000000};
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 1000 * NS_PER_S, 0));
    spec->image = &image;
    commands_create_job(&list, "j", 300 * NS_PER_S, "c", spec);
    add_fault(COMMAND_CONTAINER_FAIL, "j", 301)->path.experiment = "e";
    const World *world = run_until(5000, 1);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_FAILED);
    ck_assert_int_lt(world_job(world, (JobId){0})->ended_ns, 400 * NS_PER_S);
}
END_TEST

START_TEST(a_fault_without_a_possible_target_is_refused_with_a_clear_message)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    add_job("queued", 0, 2, 100);
    add_job("later", 0, 2, 100);
    struct {
        CommandKind kind;
        const char *name;
        bool is_of_job;
        int32_t node;
        const char *words;
    } rows[] = {
        {COMMAND_NODE_CRASH, "x", false, 0, "The specified cluster x is not found"},
        {COMMAND_NODE_CRASH, "c", false, 7, "cluster c has no node at place 7"},
        {COMMAND_NODE_PREEMPT, "c", false, 1, "is dedicated"},
        {COMMAND_NODE_SLOW, "x", true, 1, "The specified job x is not found"},
        {COMMAND_NODE_REBOOT, "later", true, 1, "job later is queued and has no nodes"},
        {COMMAND_NODE_CRASH, "queued", true, 3, "job queued has no node at place 3"},
        {COMMAND_ALLOCATION_FAIL, "x", false, 0, "The specified cluster x is not found"},
        {COMMAND_PREPARATION_FAIL, "x", false, 0, "The specified cluster x is not found"},
        {COMMAND_SHARE_SLOW, "a/x", false, 0, "The specified share a/x is not found"},
        {COMMAND_CONTAINER_FAIL, "x", true, 0, "The specified job x is not found"},
        {COMMAND_JOB_EXIT, "later", true, 0, "job later is queued and its program does not run"},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (size_t i = 0; i < ROWS; i++) {
        Command *fault = add_fault(rows[i].kind, rows[i].name, 240);
        fault->path.experiment = rows[i].is_of_job ? "e" : NULL;
        fault->as.fault.is_of_job = rows[i].is_of_job;
        fault->as.fault.node = rows[i].node;
    }
    add_fault(COMMAND_GROUP_CRASH, "none", 240)->as.fault.group =
        group_of("none", (GroupMember){"c", 5, 6});
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 2000 * NS_PER_S);
    add_fault(COMMAND_ALLOCATION_FAIL, "c", 2001);
    add_fault(COMMAND_CONTAINER_FAIL, "queued", 2001)->path.experiment = "e";
    run_until(3000, 1);
    for (size_t i = 0; i < ROWS; i++) {
        const TraceRecord *record =
            recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, (int32_t)i);
        ck_assert_msg(record != NULL && strstr(record->name, rows[i].words) != NULL, "row %zu: %s",
                      i, record ? record->name : "not refused");
    }
    ck_assert(recording_find(&recording, TRACE_COMMAND_REFUSED,
                             "group.crash none: group none has no node that works", 0) != NULL);
    ck_assert(recording_find(&recording, TRACE_COMMAND_REFUSED,
                             "allocation.fail c: cluster c is being deleted", 0) != NULL);
    ck_assert(recording_find(
                  &recording, TRACE_COMMAND_REFUSED,
                  "container.fail queued: job queued is succeeded and no longer starts containers",
                  0) != NULL);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 0);
}
END_TEST

START_TEST(a_node_that_is_down_does_not_crash_again)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    for (int32_t i = 0; i < 3; i++)
        add_fault(COMMAND_NODE_CRASH, "c", 300 + 30 * i * i)->as.fault.node = 1;
    run_until(1000, 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 1);
    ck_assert(recording_find(&recording, TRACE_COMMAND_REFUSED,
                             "node.crash c: the node at place 1 of cluster c is silent",
                             0) != NULL);
    ck_assert(recording_find(&recording, TRACE_COMMAND_REFUSED,
                             "node.crash c: the node at place 1 of cluster c is unusable",
                             0) != NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fault");
    TCase *tests = tcase_create("fault");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_node_crashes_at_its_place_and_is_repaired);
    tcase_add_test(tests, a_fault_without_a_place_strikes_a_random_working_node);
    tcase_add_test(tests, an_additional_node_changes_the_victim_only_if_it_is_the_victim);
    tcase_add_test(tests, only_low_priority_nodes_are_preempted);
    tcase_add_test(tests, a_reboot_prepares_the_node_again);
    tcase_add_test(tests, a_slow_node_stays_slow);
    tcase_add_test(tests, a_fault_finds_the_node_that_a_job_runs_on);
    tcase_add_test(tests, the_nodes_of_a_group_crash_or_are_preempted_together);
    tcase_add_test(tests, a_region_outage_takes_all_nodes_and_allocates_none_until_its_end);
    tcase_add_test(tests, an_outage_within_another_ends_with_the_longer_one);
    tcase_add_test(tests, a_node_is_not_repaired_while_the_region_is_out);
    tcase_add_test(tests, allocation_is_not_retried_in_a_region_that_is_out_for_ever);
    tcase_add_test(tests, a_node_that_waits_for_a_region_which_never_comes_back_keeps_no_run_going);
    tcase_add_test(tests, allocations_fail_for_any_number_of_nodes);
    tcase_add_test(tests, the_next_allocation_or_preparation_fails);
    tcase_add_test(tests, a_fault_ends_a_program);
    tcase_add_test(tests, a_container_that_does_not_start_fails_its_job);
    tcase_add_test(tests, a_fault_without_a_possible_target_is_refused_with_a_clear_message);
    tcase_add_test(tests, a_node_that_is_down_does_not_crash_again);
    suite_add_tcase(suite, tests);
    return suite;
}
