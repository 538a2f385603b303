/* Clusters that scale, reach quotas and lose nodes: examples worked out on paper from plain_service
 * (tests/support/worlds.h), and random sequences of events. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static Scenario *scenario;
static World *world;

/* Call after the last command is added. A test changes the scenario between this call and
 * advance(). */
static void prepare(void)
{
    scenario = scenario_of(&list, 1);
}

static void need_world(void)
{
    if (world)
        return;
    world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_STEPS));
    world_check_always(world);
}

static void advance(int64_t to_s)
{
    need_world();
    world_advance(world, to_s * NS_PER_S);
}

static void run(void)
{
    need_world();
    world_run(world);
}

static const TraceRecord *told(TraceKind kind, const char *name, int32_t n)
{
    const TraceRecord *record = recording_find(&recording, kind, name, n);
    ck_assert_msg(record != NULL, "no record %d of %s %s", n, trace_kind_name(kind),
                  name ? name : "");
    return record;
}

static int64_t at_s(TraceKind kind, const char *name, int32_t n)
{
    const TraceRecord *record = told(kind, name, n);
    ck_assert_int_eq(record->at_ns % NS_PER_S, 0);
    return record->at_ns / NS_PER_S;
}

static int64_t ended_s(void)
{
    return at_s(TRACE_RUN_ENDED, NULL, 0);
}

static const Cluster *cluster_at(uint32_t index)
{
    return world_cluster(world, (ClusterId){index});
}

static Node *node_at(int32_t place)
{
    return cluster_node_at(world->clusters, cluster_at(0), place);
}

static ClusterSpec *spec_of(int32_t nodes)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *plain_cluster(arena, nodes);
    return spec;
}

static ClusterSpec *automatic(int32_t minimum, int32_t maximum, int32_t initial)
{
    ClusterSpec *spec = spec_of(initial);
    spec->is_automatic = true;
    spec->minimum_nodes = minimum;
    spec->maximum_nodes = maximum;
    return spec;
}

static void add_job(const char *name, int64_t at, int32_t nodes, int64_t seconds)
{
    commands_create_job(&list, name, at * NS_PER_S, "c",
                        plain_job(arena, nodes, plain_fixed_program(arena, seconds * NS_PER_S, 0)));
}

static void add_autoscale(int64_t at, int32_t minimum, int32_t maximum)
{
    Command *command = commands_add(&list, COMMAND_CLUSTER_AUTOSCALE, "c", at * NS_PER_S);
    command->as.cluster_autoscale.minimum_nodes = minimum;
    command->as.cluster_autoscale.maximum_nodes = maximum;
}

static NodeFailure crash(NodeRecovery recovery, int64_t repair_s)
{
    return (NodeFailure){.cause = CAUSE_CRASH,
                         .reason = "GPU memory error",
                         .recovery = recovery,
                         .repair_ns = repair_s * NS_PER_S};
}

/* --- Automatic scaling --- */

START_TEST(autoscale_acts_every_period_from_the_first_steady_moment)
{
    // As recorded for a 0-1 cluster: steady without nodes at 2 s, so evaluations at 602, 1202, ...
    // The job of 5 s makes it grow at 602: steady 672, idle and running 802, done (1 s overhead and
    // 60 s) 863. At 1202 the node idles: leaving 1205, gone 1442. Nothing is left to look at then.
    commands_create_cluster(&list, "c", 0, automatic(0, 1, 0));
    add_job("j", 5, 1, 60);
    prepare();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_SCALING, "automatic", 0), 0);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 0), 2);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 602);
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 1)->cause, CAUSE_AUTOSCALE);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 672);
    ck_assert_int_eq(told(TRACE_NODE_STATE, "preparing", 0)->cause, CAUSE_AUTOSCALE);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 0), 802);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1202);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 0), 1205);
    ck_assert_int_eq(told(TRACE_NODE_STATE, "leaving", 0)->cause, CAUSE_AUTOSCALE);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 2), 1442);
    ck_assert_int_eq(ended_s(), 1442);
}
END_TEST

START_TEST(automatic_scaling_allocates_in_a_time_of_its_own)
{
    commands_create_cluster(&list, "c", 0, automatic(0, 1, 0));
    add_job("j", 5, 1, 60);
    prepare();
    scenario->service.allocation_autoscale_ns = constant(arena, 100 * NS_PER_S);
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 602);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 702); // 672 after a manual resize
}
END_TEST

START_TEST(the_phase_of_evaluations_does_not_depend_on_how_autoscale_was_turned_on)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 0));
    add_autoscale(300, 0, 4);
    add_job("j", 310, 2, 60);
    prepare();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_SCALING, "automatic", 0), 300);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 602);
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 1)->cluster_allocation.target, 2);
}
END_TEST

START_TEST(autoscale_keeps_its_limits_and_a_run_ends_despite_a_job_that_never_fits)
{
    // At 602 the job needs 4 nodes, and the cluster grows to its maximum of 2: steady 672, idle
    // 802, with nothing left to do.
    commands_create_cluster(&list, "c", 0, automatic(1, 2, 0));
    add_job("j", 5, 4, 60);
    prepare();
    run();
    ck_assert_int_eq(cluster_at(0)->current_nodes, 2);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_QUEUED);
    ck_assert_int_eq(ended_s(), 802);
}
END_TEST

START_TEST(autoscale_fills_up_to_the_minimum_and_no_further)
{
    commands_create_cluster(&list, "c", 0, automatic(2, 5, 0));
    prepare();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 602);
    ck_assert_int_eq(cluster_at(0)->node_count[NODE_IDLE], 2);
    ck_assert_int_eq(ended_s(), 802);
}
END_TEST

START_TEST(autoscale_takes_idle_nodes_and_leaves_busy_ones)
{
    // Both run from 802. The short one ends at 863: its node goes from 1202 on (leaving 1205, gone
    // 1442). The other ends at 2803; the tick of 3002 takes its node.
    commands_create_cluster(&list, "c", 0, automatic(0, 4, 0));
    add_job("short", 5, 1, 60);
    add_job("long", 6, 1, 2000);
    prepare();
    run();
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 2)->cluster_allocation.target, 1);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 2), 1442);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "succeeded", 1), 2803);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 3), 3002);
    ck_assert_int_eq(world_job(world, (JobId){1})->starts, 1);
}
END_TEST

START_TEST(autoscale_leaves_a_node_that_has_not_been_idle_for_long_enough)
{
    // Idle since 863; at 1202 that is 339 s, at 1802 it is 939 s.
    commands_create_cluster(&list, "c", 0, automatic(0, 1, 0));
    add_job("j", 5, 1, 60);
    prepare();
    scenario->service.autoscale_look_back_ns = 400 * NS_PER_S;
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1802);
}
END_TEST

START_TEST(autoscale_takes_busy_nodes_only_above_the_maximum)
{
    // Two nodes run from 802. A maximum of 1 at 900: at 1202 resizing, at 1205 one job loses its
    // node and waits; the other runs until 2803, and then the first runs again on that node.
    commands_create_cluster(&list, "c", 0, automatic(0, 2, 0));
    add_job("first", 5, 1, 2000);
    add_job("second", 6, 1, 2000);
    add_autoscale(900, 0, 1);
    prepare();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1202);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "queued", 2), 1205);
    ck_assert_int_eq(world_job(world, (JobId){0})->starts, 1);
    ck_assert_int_eq(world_job(world, (JobId){1})->starts,
                     2); // the node at the highest place is released first
    ck_assert_int_eq(world_job(world, (JobId){1})->started_ns, 2803 * NS_PER_S);
}
END_TEST

START_TEST(a_node_that_becomes_busy_after_the_evaluation_stays)
{
    // Nodes are idle at 802. The service sees the job of 1200 at 1202, in the instant in which the
    // evaluation decides to release 1 node of 2. The job takes the node at the lower place; the
    // other leaves at 1205.
    commands_create_cluster(&list, "c", 0, automatic(0, 2, 0));
    add_job("pair", 5, 2, 60);
    add_job("late", 1200, 1, 60);
    prepare();
    run();
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 2)->cluster_allocation.target, 1);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 0), 1205);
    ck_assert_int_eq(world_job(world, (JobId){1})->starts, 1);
    ck_assert_int_eq(world_job(world, (JobId){1})->started_ns, 1202 * NS_PER_S);
}
END_TEST

START_TEST(an_evaluation_while_the_cluster_resizes_does_nothing_and_the_next_one_looks_again)
{
    // One node from the start, idle at 230. It is lost at 1290 and replaced at 1360. The cluster is
    // first steady at 100, so the evaluation of 1300 finds it resizing, and that of 1900 finds two
    // jobs waiting.
    commands_create_cluster(&list, "c", 0, automatic(1, 4, 1));
    add_job("j", 1250, 3, 60);
    prepare();
    advance(1290);
    cluster_node_preempted(world->clusters, node_at(0));
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 1290);
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 1)->cause, CAUSE_REPLACEMENT);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 1360);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1900);
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 2)->cluster_allocation.target, 3);
}
END_TEST

START_TEST(a_resize_makes_an_automatic_cluster_manual)
{
    commands_create_cluster(&list, "c", 0, automatic(0, 4, 0));
    add_job("j", 5, 2, 60);
    commands_resize(&list, "c", 10 * NS_PER_S, 1);
    prepare();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_SCALING, "manual", 0), 10);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 1);
    ck_assert_int_eq(ended_s(), 210); // steady 80, idle 210; no evaluation after that
}
END_TEST

START_TEST(the_same_resize_again_does_not_restart_one_under_way)
{
    // Up to 2 from 0: steady at 100. Down to 1 at 300: the node shows as leaving at 303 and is gone
    // at 540, even if the same resize is requested again meanwhile. With another deallocation
    // option it is a new resize.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_resize(&list, "c", 60 * NS_PER_S, 2);
    commands_resize(&list, "c", 90 * NS_PER_S, 2);
    commands_resize(&list, "c", 300 * NS_PER_S, 1);
    commands_resize(&list, "c", 302 * NS_PER_S, 1);
    commands_resize(&list, "c", 400 * NS_PER_S, 1);
    commands_resize(&list, "c", 1000 * NS_PER_S, 2);
    commands_resize(&list, "c", 1060 * NS_PER_S, 2);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    prepare();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 0), 100);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 300);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 0), 303);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 540);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1000);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 3), 1060);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 2), 1130);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ALLOCATION, "resizing"), 4);
}
END_TEST

START_TEST(autoscale_waits_until_a_manual_resize_has_finished)
{
    // Down from 2 to 1, waiting for a running job (230 to 831 s); autoscale is turned on meanwhile.
    // The last node is released at 831 + 240 = 1071; ticks are at 100 + 600 k: 1300 is the first
    // that finds the cluster steady, with one node too many.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    add_job("j", 5, 2, 600);
    commands_resize(&list, "c", 300 * NS_PER_S, 1);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    add_autoscale(400, 0, 4);
    prepare();
    run();
    ck_assert_int_eq(world_job(world, (JobId){0})->starts, 1);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 1071);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1300);
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 2)->cluster_allocation.target, 0);
}
END_TEST

START_TEST(impossible_limits_are_refused)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 0));
    commands_create_cluster(&list, "d", 0, automatic(3, 2, 0));
    add_autoscale(10, 0, 101);
    add_autoscale(11, -1, 3);
    add_autoscale(12, 3, 2);
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 20 * NS_PER_S);
    add_autoscale(21, 0, 2);
    prepare();
    run();
    ck_assert_str_eq(told(TRACE_COMMAND_REFUSED, NULL, 0)->name,
                     "cluster.create d: cluster \"d\": at least 3 nodes, but at most 2");
    ck_assert_str_eq(told(TRACE_COMMAND_REFUSED, NULL, 1)->name,
                     "cluster.autoscale c: cluster \"c\": 101 nodes asked for, expected 0 to 100");
    ck_assert_str_eq(told(TRACE_COMMAND_REFUSED, NULL, 2)->name,
                     "cluster.autoscale c: cluster \"c\": -1 nodes asked for, expected 0 to 100");
    ck_assert_str_eq(told(TRACE_COMMAND_REFUSED, NULL, 3)->name,
                     "cluster.autoscale c: cluster \"c\": at least 3 nodes, but at most 2");
    ck_assert_str_eq(told(TRACE_COMMAND_REFUSED, NULL, 4)->name,
                     "cluster.autoscale c: cluster \"c\" is being deleted");
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_SCALING, NULL), 0);
}
END_TEST

/* --- Quotas --- */

/* 24 dedicated and 12 low-priority cores of NC: four and two nodes of 6. */
static const CoreQuota nc_quotas[] = {{"NC", 24, 12}, {"total", 100, 100}};

static void use_quotas(void)
{
    scenario->quotas = nc_quotas;
    scenario->quota_count = 2;
}

START_TEST(a_target_beyond_the_quota_ends_steady_with_fewer_nodes_and_an_error)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 5));
    commands_create_cluster(&list, "late", 10 * NS_PER_S, plain_cluster(arena, 1));
    ClusterSpec *cheap = spec_of(2);
    cheap->is_low_priority = true;
    commands_create_cluster(&list, "cheap", 20 * NS_PER_S, cheap);
    prepare();
    use_quotas();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 0), 100);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 4);
    ck_assert_str_eq(cluster_at(0)->error_code, "AccountCoreQuotaReached");
    const TraceRecord *error = told(TRACE_CLUSTER_ERROR, NULL, 0);
    ck_assert_int_eq(error->at_ns, 100 * NS_PER_S);
    ck_assert_int_eq(error->cause, CAUSE_QUOTA);
    ck_assert_str_eq(error->name,
                     "AccountCoreQuotaReached: The specified account has reached core quota: 1 of "
                     "5 nodes are missing; one more Standard_NC6 needs 6 cores, but 24 of 24 "
                     "dedicated cores (NC) are taken");
    ck_assert_int_eq(cluster_at(1)->current_nodes, 0); // created second
    ck_assert_str_eq(cluster_at(1)->error_code, "AccountCoreQuotaReached");
    ck_assert_int_eq(cluster_at(2)->current_nodes, 2); // another quota
    ck_assert_ptr_null(cluster_at(2)->error_code);
    ck_assert_int_eq(world_vcpus_used(world, "NC", false), 24);
    ck_assert_int_eq(world_vcpus_used(world, "nc", true), 12);
    ck_assert_int_eq(world_vcpus_used(world, "total", false), 24);
    ck_assert_int_eq(world_vcpus_used(world, "ND", false), 0);
}
END_TEST

START_TEST(freed_cores_go_to_the_next_cluster_that_requests_them)
{
    // c has 3 nodes (18 cores); d requests 2 more and gets 1. c is deleted at 1000 and frees its
    // cores at 1300. d does not request nodes automatically. Resized to 3 at 2000, it has all of
    // them at 2070 and no error.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    commands_create_cluster(&list, "d", 10 * NS_PER_S, plain_cluster(arena, 2));
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 1000 * NS_PER_S);
    commands_resize(&list, "d", 2000 * NS_PER_S, 3);
    prepare();
    use_quotas();
    advance(1999);
    ck_assert_int_eq(cluster_at(1)->current_nodes, 1);
    ck_assert_str_eq(cluster_at(1)->error_code, "AccountCoreQuotaReached");
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 2), 2070);
    ck_assert_int_eq(cluster_at(1)->current_nodes, 3);
    ck_assert_ptr_null(cluster_at(1)->error_code);
}
END_TEST

START_TEST(an_automatic_cluster_requests_nodes_again_when_cores_are_freed)
{
    // d requests 2 nodes for its job at 612 s (it is first steady at 12) and gets none. c is gone
    // at 1300, so the evaluation of 1812 requests them again. There is no evaluation in between.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    ClusterSpec *spec = automatic(0, 2, 0);
    commands_create_cluster(&list, "d", 10 * NS_PER_S, spec);
    commands_create_job(&list, "j", 20 * NS_PER_S, "d",
                        plain_job(arena, 2, plain_fixed_program(arena, 60 * NS_PER_S, 0)));
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 1000 * NS_PER_S);
    prepare();
    use_quotas();
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ERROR, NULL, 0), 612 + 70);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ERROR, NULL), 1);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 0), 1812 + 70 + 130);
}
END_TEST

START_TEST(a_lower_quota_releases_no_node_and_a_higher_one_is_noticed)
{
    // At 1000 c holds 4 nodes (24 cores) and keeps them with a quota of 6, but a lost node is not
    // replaced. d requests 1 node for its job at 612 and gets none. With 36 cores from 1300 on, it
    // gets the node at the evaluation of 1812.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    commands_create_cluster(&list, "d", 10 * NS_PER_S, automatic(0, 1, 0));
    commands_create_job(&list, "j", 20 * NS_PER_S, "d",
                        plain_job(arena, 1, plain_fixed_program(arena, 60 * NS_PER_S, 0)));
    commands_add(&list, COMMAND_QUOTA_CHANGE, "NC", 1000 * NS_PER_S)->as.fault.vcpus = 6;
    commands_add(&list, COMMAND_QUOTA_CHANGE, "NC", 1300 * NS_PER_S)->as.fault.vcpus = 36;
    prepare();
    use_quotas();
    advance(1001);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 4);
    cluster_node_preempted(world->clusters, node_at(2));
    advance(1299);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 3);
    ck_assert_int_eq(world_quota(world, 0)->dedicated_vcpus, 6);
    ck_assert_int_eq(world_quota(world, 0)->low_priority_vcpus, 12);
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 0), 1812 + 70 + 130);
}
END_TEST

START_TEST(a_node_lost_within_the_quota_is_replaced_within_the_quota)
{
    // The cluster has 4 of 5 nodes. One is preempted at 1000 and replaced; the fifth is still
    // refused.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 5));
    prepare();
    use_quotas();
    advance(1000);
    cluster_node_preempted(world->clusters, node_at(2));
    run();
    ck_assert_int_eq(cluster_at(0)->current_nodes, 4);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ERROR, NULL, 1), 1070);
    ck_assert_int_eq(ended_s(), 1200);
}
END_TEST

/* --- Allocation that fails --- */

START_TEST(nodes_whose_allocation_failed_are_requested_again)
{
    // The allocation of two of three nodes fails at 100: an error, and a retry 120 s later, which
    // takes 70 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    prepare();
    advance(50);
    cluster_fail_next_allocation(cluster_row(world->clusters, (ClusterId){0}), 2);
    run();
    ck_assert_str_eq(told(TRACE_CLUSTER_ERROR, NULL, 0)->name,
                     "InternalError: 2 of 3 nodes could not be allocated; the service asks again");
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "steady", 0)->cluster_allocation.current, 1);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 220);
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 1)->cause, CAUSE_RETRY);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 290);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 3);
    ck_assert_ptr_null(cluster_at(0)->error_code);
}
END_TEST

START_TEST(a_resize_replaces_a_retry)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    commands_resize(&list, "c", 150 * NS_PER_S, 1);
    prepare();
    advance(50);
    cluster_fail_next_allocation(cluster_row(world->clusters, (ClusterId){0}), 2);
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ALLOCATION, "resizing"), 2);
    ck_assert_ptr_null(cluster_at(0)->error_code);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 1);
}
END_TEST

/* --- Preparation that fails --- */

START_TEST(the_setup_task_runs_after_allocation_and_after_every_reboot)
{
    // 100 + 130 + 40 = 270 s. A reboot at 1000 takes 90 s, and then 130 and 40 again.
    ClusterSpec *spec = spec_of(1);
    spec->setup_command = "bash install.sh";
    spec->setup_ns = constant(arena, 40 * NS_PER_S);
    commands_create_cluster(&list, "c", 0, spec);
    prepare();
    advance(1000);
    cluster_node_reboots(world->clusters, node_at(0), CAUSE_REBOOT);
    run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "idle", 0), 270);
    ck_assert_int_eq(told(TRACE_NODE_STATE, "preparing", 1)->cause, CAUSE_REBOOT);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "idle", 1), 1260);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_READY, NULL, 1), 1260);
}
END_TEST

START_TEST(a_failed_setup_task_leaves_nodes_unusable_and_billed)
{
    ClusterSpec *spec = spec_of(1);
    spec->setup_command = "bash install.sh";
    spec->setup_ns = constant(arena, 40 * NS_PER_S);
    spec->setup_exit_code = 3;
    commands_create_cluster(&list, "c", 0, spec);
    add_job("j", 0, 1, 60);
    prepare();
    scenario->until_ns = 3700 * NS_PER_S;
    run();
    const TraceRecord *error = told(TRACE_NODE_ERROR, NULL, 0);
    ck_assert_str_eq(error->name,
                     arena_printf(arena,
                                  "InternalError: node %s: set-up task \"bash install.sh\" ended "
                                  "with exit code 3 (see /mnt/batch/tasks/startup/stderr.txt on "
                                  "the node)",
                                  node_at(0)->name));
    ck_assert_int_eq(error->cause, CAUSE_SETUP_FAILURE);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 270);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_READY, NULL), 0);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_QUEUED);
    ck_assert_int_eq(told(TRACE_NODE_BILLED, "held", 0)->node_billed.billed_ns,
                     (world_now_ns(world) - 100 * NS_PER_S) / NS_PER_MIN * NS_PER_MIN);
}
END_TEST

START_TEST(a_mount_of_a_missing_share_leaves_nodes_unusable)
{
    static const char *const mounts[] = {"a/s", "a/nowhere"};
    ClusterSpec *spec = spec_of(1);
    spec->mounts = mounts;
    spec->mount_count = 2;
    commands_create_cluster(&list, "c", 0, spec);
    prepare();
    run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 230);
    ck_assert_str_eq(told(TRACE_NODE_ERROR, NULL, 0)->name,
                     arena_printf(arena,
                                  "AZFMountError: node %s: unable to mount Azure file share "
                                  "\"a/nowhere\", which doesn't exist",
                                  node_at(0)->name));
}
END_TEST

START_TEST(a_cluster_is_ready_without_the_nodes_that_are_unusable)
{
    // The node at place 1 fails at 230; the two others are ready.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    prepare();
    advance(200);
    NodeFailure failure = {.cause = CAUSE_PREPARATION_FAILURE,
                           .reason = "no driver",
                           .recovery = RECOVERY_REBOOT,
                           .repair_ns = 100 * NS_PER_S};
    cluster_fail_next_preparation(world->clusters, cluster_row(world->clusters, (ClusterId){0}), 1,
                                  failure);
    advance(230);
    ck_assert_int_eq(node_at(1)->state, NODE_UNUSABLE);
    ck_assert_int_eq(told(TRACE_CLUSTER_READY, NULL, 0)->cluster_ready.nodes, 2);
    // The node is repaired 100 s later and prepared again.
    run();
    ck_assert_int_eq(told(TRACE_NODE_STATE, "preparing", 3)->cause, CAUSE_REPAIR);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 330);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_READY, NULL, 1), 460);
}
END_TEST

/* --- Nodes that fail --- */

START_TEST(a_crash_is_noticed_after_the_detection_time_and_the_node_stays_unusable)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    prepare();
    advance(1000);
    uint32_t life = node_at(0)->life;
    cluster_node_crashes(world->clusters, node_at(0), crash(RECOVERY_STAYS, 0));
    ck_assert(node_at(0)->is_silent && node_at(0)->state == NODE_IDLE);
    ck_assert_uint_gt(node_at(0)->life, life);
    run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 1060);
    ck_assert_int_eq(told(TRACE_NODE_STATE, "unusable", 0)->cause, CAUSE_CRASH);
    ck_assert(strstr(told(TRACE_NODE_ERROR, NULL, 0)->name, "GPU memory error") != NULL);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 2);
    ck_assert_int_eq(ended_s(), 1060);
}
END_TEST

START_TEST(a_crash_under_a_job_costs_the_attempt_once_it_is_noticed)
{
    // Running from 230 on place 0; crash at 1000, noticed 1060; the other node takes over at once.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    add_job("j", 5, 1, 2000);
    prepare();
    advance(1000);
    cluster_node_crashes(world->clusters, node_at(0), crash(RECOVERY_STAYS, 0));
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "queued", 1), 1060);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 1), 1060);
    ck_assert_int_eq(world_job(world, (JobId){0})->ended_ns, (1060 + 2001) * NS_PER_S);
    // The node goes from running to unusable directly.
    ck_assert_int_eq(told(TRACE_NODE_STATE, "unusable", 0)->node_state.was, NODE_RUNNING);
}
END_TEST

START_TEST(a_silent_node_is_noticed_even_if_its_job_ends)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    add_job("j", 5, 1, 2000);
    commands_add(&list, COMMAND_JOB_TERMINATE, "j", 1010 * NS_PER_S);
    prepare();
    advance(1000);
    cluster_node_crashes(world->clusters, node_at(0), crash(RECOVERY_STAYS, 0));
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "failed", 0), 1015);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 1060);
    ck_assert_int_eq(told(TRACE_NODE_STATE, "unusable", 0)->node_state.was, NODE_IDLE);
}
END_TEST

START_TEST(a_node_that_reboots_after_repair_is_prepared_again)
{
    // Crash at 1000, repair of 300 s from then: preparing at 1300, idle at 1430. A repair shorter
    // than the detection begins when the crash is noticed.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    prepare();
    advance(1000);
    cluster_node_crashes(world->clusters, node_at(0), crash(RECOVERY_REBOOT, 300));
    cluster_node_crashes(world->clusters, node_at(1), crash(RECOVERY_REBOOT, 20));
    run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 2), 1060);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 3), 1300);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "idle", 3), 1430);
    ck_assert_ptr_null(node_at(0)->failure);
}
END_TEST

START_TEST(a_replacement_takes_the_place_of_the_lost_node)
{
    // Crash at 1000, released at 1100, another at 1170 and idle at 1300, at the same place.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    prepare();
    advance(1000);
    cluster_node_crashes(world->clusters, node_at(1), crash(RECOVERY_REPLACE, 100));
    run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 0), 1100);
    ck_assert_int_eq(told(TRACE_NODE_STATE, "released", 0)->cause, CAUSE_REPLACEMENT);
    ck_assert_int_eq(told(TRACE_NODE_BILLED, "released", 0)->node_billed.billed_ns,
                     16 * NS_PER_MIN);
    ck_assert_int_eq(told(TRACE_CLUSTER_ALLOCATION, "resizing", 1)->cause, CAUSE_REPLACEMENT);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 1170);
    ck_assert_int_eq(node_at(1)->number, 4);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_READY, NULL, 1), 1300);
}
END_TEST

START_TEST(nodes_lost_together_are_replaced_together_and_later_ones_afterwards)
{
    // Two are lost at 1000: one allocation of 70 s. A third is lost at 1030 and requested after
    // that allocation, until 1140.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    prepare();
    advance(1000);
    cluster_node_preempted(world->clusters, node_at(0));
    cluster_node_preempted(world->clusters, node_at(2));
    advance(1030);
    cluster_node_preempted(world->clusters, node_at(3));
    ck_assert_int_eq(cluster_at(0)->place_count, 2);
    run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 5), 1070);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1070);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 6), 1140);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ALLOCATION, "steady"), 2);
    ck_assert_int_eq(node_at(0)->number, 5);
    ck_assert_int_eq(node_at(2)->number, 6);
    ck_assert_int_eq(node_at(3)->number, 7);
}
END_TEST

START_TEST(a_preemption_gives_notice_and_takes_the_job_with_it)
{
    // Running on two nodes from 230; notice at 1000, lost at 1030. The other node idles until the
    // replacement is ready at 1030 + 70 + 130.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    add_job("j", 5, 2, 2000);
    prepare();
    advance(1000);
    cluster_node_warned(world->clusters, node_at(1), 30 * NS_PER_S, CAUSE_PREEMPTION);
    cluster_node_warned(world->clusters, node_at(1), 10 * NS_PER_S,
                        CAUSE_PREEMPTION); // already has its notice
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_NOTICE, NULL), 1);
    ck_assert_int_eq(told(TRACE_NODE_NOTICE, NULL, 0)->node_notice.notice_ns, 30 * NS_PER_S);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 0), 1030);
    ck_assert_int_eq(told(TRACE_NODE_STATE, "released", 0)->cause, CAUSE_PREEMPTION);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "queued", 1), 1030);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 1), 1230);
}
END_TEST

START_TEST(a_node_that_crashes_after_its_notice_is_still_preempted)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    prepare();
    advance(1000);
    cluster_node_warned(world->clusters, node_at(0), 300 * NS_PER_S, CAUSE_PREEMPTION);
    cluster_node_crashes(world->clusters, node_at(0), crash(RECOVERY_REBOOT, 100));
    run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "unusable", 0), 1060);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "released", 0), 1300);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_READY, NULL, 2), 1300 + 70 + 130);
}
END_TEST

START_TEST(a_reboot_takes_the_job_and_brings_a_broken_node_back)
{
    // A reboot of a running node at 500 takes 90 + 130 s, and the job starts again at 720. A crash
    // at 1000 with a reboot at 1010, before the service notices, has no further effect.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    add_job("j", 5, 1, 400);
    prepare();
    advance(500);
    cluster_node_reboots(world->clusters, node_at(0), CAUSE_REBOOT);
    advance(720);
    ck_assert_int_eq(world_job(world, (JobId){0})->starts, 2);
    advance(2000);
    cluster_node_crashes(world->clusters, node_at(0), crash(RECOVERY_STAYS, 0));
    advance(2010);
    cluster_node_reboots(world->clusters, node_at(0), CAUSE_REBOOT);
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_STATE, "unusable"), 0);
    ck_assert_int_eq(node_at(0)->state, NODE_IDLE);
    ck_assert_int_eq(ended_s(), 2010 + 90 + 130);
}
END_TEST

START_TEST(a_leaving_node_that_waits_for_its_job_is_gone_when_preempted)
{
    // 2 nodes run a job; down to 1 with waitforjobcompletion at 300 (place 1 is chosen at 303).
    // That node is preempted at 400: the job loses its attempt, no node is left to leave, and the
    // cluster is steady at once.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    add_job("j", 5, 2, 2000);
    commands_resize(&list, "c", 300 * NS_PER_S, 1);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    prepare();
    advance(400);
    ck_assert(node_at(1)->is_retiring);
    cluster_node_preempted(world->clusters, node_at(1));
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 400);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 1);
    ck_assert_int_eq(node_at(0)->state, NODE_IDLE);
}
END_TEST

START_TEST(a_leaving_node_is_not_replaced_when_preempted)
{
    // As above, but each node runs a separate job. The job on the remaining node continues, and no
    // node is requested.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    add_job("j", 5, 1, 2000);
    add_job("k", 6, 1, 2000);
    commands_resize(&list, "c", 300 * NS_PER_S, 1);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    prepare();
    advance(400);
    ck_assert(node_at(1)->is_retiring);
    cluster_node_preempted(world->clusters, node_at(1));
    ck_assert_int_eq(cluster_at(0)->allocation, ALLOCATION_STEADY);
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_ALLOCATION, "resizing"), 2);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 1);
}
END_TEST

START_TEST(a_node_lost_while_others_leave_is_replaced_when_they_are_gone)
{
    // Down from 3 to 2 at 1000, leaving 1003. One of the others is lost at 1100. At 1240 the
    // cluster has one node and requests another: 1310.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    commands_resize(&list, "c", 1000 * NS_PER_S, 2);
    prepare();
    advance(1100);
    ck_assert_int_eq(node_at(2)->state, NODE_LEAVING);
    cluster_node_preempted(world->clusters, node_at(0));
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1240);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 1310);
    ck_assert_int_eq(cluster_at(0)->current_nodes, 2);
    ck_assert_int_eq(node_at(0)->number, 4);
}
END_TEST

START_TEST(nodes_of_a_cluster_being_deleted_do_not_fail)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 1000 * NS_PER_S);
    prepare();
    advance(1010);
    Node *gone = node_at(2);
    cluster_node_crashes(world->clusters, node_at(0), crash(RECOVERY_REPLACE, 10));
    cluster_node_reboots(world->clusters, node_at(1), CAUSE_REBOOT);
    cluster_node_preempted(world->clusters, gone); // the preemption is due at once
    run();
    ck_assert_int_eq(gone->released_ns, 1010 * NS_PER_S);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_PROVISIONING, "deleted", 0), 1300);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_BILLED, "released"), 3);
    ck_assert_int_eq(ended_s(), 1300);
}
END_TEST

START_TEST(a_slow_node_is_recorded)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    prepare();
    advance(500);
    cluster_set_node_speed(world->clusters, node_at(0), 700000);
    ck_assert_int_eq(told(TRACE_NODE_SPEED, NULL, 0)->node_speed.speed_ppm, 700000);
    ck_assert_int_eq(node_at(0)->speed_ppm, 700000);
}
END_TEST

/* --- Random sequences --- */

static void meddle(World *in, uint64_t word)
{
    uint32_t nodes = world_node_count(in), clusters = world_cluster_count(in);
    uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 40);
    NodeFailure failure = {.cause = CAUSE_CRASH,
                           .reason = "at random",
                           .recovery = (NodeRecovery)(high % RECOVERY_COUNT),
                           .repair_ns = (int64_t)(high % 500) * NS_PER_S};
    if (clusters == 0)
        return;
    Cluster *cluster = cluster_row(in->clusters, (ClusterId){low % clusters});
    if (high % 9 == 0)
        cluster_fail_next_allocation(cluster, 1 + (int32_t)(low % 3));
    if (high % 9 == 1)
        cluster_fail_next_preparation(in->clusters, cluster, (int32_t)(low % 5) - 1, failure);
    Node *node = nodes > 0 ? node_row(in->clusters, (NodeId){low % nodes}) : NULL;
    if (!node || node->state == NODE_STATE_COUNT)
        return;
    if (high % 9 <= 3)
        cluster_node_crashes(in->clusters, node, failure);
    else if (high % 9 <= 5)
        cluster_node_warned(in->clusters, node, (int64_t)(low % 60) * NS_PER_S, CAUSE_PREEMPTION);
    else if (high % 9 == 6)
        cluster_node_preempted(in->clusters, node);
    else
        cluster_node_reboots(in->clusters, node, CAUSE_REBOOT);
}

START_TEST(invariants_hold_and_node_time_is_billed_under_any_failures)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        Arena *own = arena_create();
        Recording records = recording_create(own);
        World *in = world_create(own, random_scenario(own, seed),
                                 recording_sink(&records, TRACE_LEVEL_JOBS));
        world_check_always(in);
        int64_t now_ns = 0;
        for (uint64_t step = 0; step < 150; step++) {
            uint64_t word = rng_word(seed, RNG_IDENTITY, 7, step);
            now_ns += (int64_t)(word >> 20 & 63) * NS_PER_S;
            world_advance(in, now_ns);
            meddle(in, word);
        }
        world_advance(in, 30000 * NS_PER_S);
        int64_t held_ns = 0, billed_ns = 0;
        clusters_bill_held_nodes(in->clusters);
        for (uint32_t n = 0; n < world_node_count(in); n++) {
            const Node *node = world_node(in, (NodeId){n});
            bool is_gone = node->released_ns != INT64_MAX;
            held_ns += (is_gone ? node->released_ns : world_now_ns(in)) - node->allocated_ns;
        }
        for (int32_t i = 0; i < records.count; i++)
            if (records.items[i].kind == TRACE_NODE_BILLED)
                billed_ns += records.items[i].at_ns - records.items[i].since_ns;
        ck_assert_msg(held_ns == billed_ns, "seed %d", (int)seed);
        arena_destroy(own);
    }
}
END_TEST

START_TEST(kinds_of_nodes_of_one_size_have_their_names)
{
    const VmSize k80 = {.name = "Standard_NC6"}, v100 = {.name = "Standard_NC6s_v3"};
    const NodeKind kinds[] = {{.name = "STANDARD_NC6", .vm_size = &k80},
                              {.name = "v100", .vm_size = &v100},
                              {.name = "spot", .vm_size = &k80}};
    const ClusterSpec all = {.vm_size = &k80, .kinds = kinds, .kind_count = 3};
    const ClusterSpec two = {.vm_size = &k80, .kinds = kinds, .kind_count = 2};
    const ClusterSpec one = {.vm_size = &v100};
    ck_assert_str_eq(vm_sizes_in_capitals(arena, &all),
                     "STANDARD_NC6 + STANDARD_NC6S_V3 + STANDARD_NC6 (spot)");
    ck_assert_str_eq(vm_sizes_in_capitals(arena, &two), "STANDARD_NC6 + STANDARD_NC6S_V3");
    ck_assert_str_eq(vm_sizes_in_capitals(arena, &one), "STANDARD_NC6S_V3");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cluster");
    TCase *tests = tcase_create("examples");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, autoscale_acts_every_period_from_the_first_steady_moment);
    tcase_add_test(tests, automatic_scaling_allocates_in_a_time_of_its_own);
    tcase_add_test(tests, the_phase_of_evaluations_does_not_depend_on_how_autoscale_was_turned_on);
    tcase_add_test(tests, autoscale_keeps_its_limits_and_a_run_ends_despite_a_job_that_never_fits);
    tcase_add_test(tests, autoscale_fills_up_to_the_minimum_and_no_further);
    tcase_add_test(tests, autoscale_takes_idle_nodes_and_leaves_busy_ones);
    tcase_add_test(tests, autoscale_leaves_a_node_that_has_not_been_idle_for_long_enough);
    tcase_add_test(tests, autoscale_takes_busy_nodes_only_above_the_maximum);
    tcase_add_test(tests, a_node_that_becomes_busy_after_the_evaluation_stays);
    tcase_add_test(
        tests, an_evaluation_while_the_cluster_resizes_does_nothing_and_the_next_one_looks_again);
    tcase_add_test(tests, a_resize_makes_an_automatic_cluster_manual);
    tcase_add_test(tests, the_same_resize_again_does_not_restart_one_under_way);
    tcase_add_test(tests, autoscale_waits_until_a_manual_resize_has_finished);
    tcase_add_test(tests, impossible_limits_are_refused);
    tcase_add_test(tests, a_target_beyond_the_quota_ends_steady_with_fewer_nodes_and_an_error);
    tcase_add_test(tests, freed_cores_go_to_the_next_cluster_that_requests_them);
    tcase_add_test(tests, an_automatic_cluster_requests_nodes_again_when_cores_are_freed);
    tcase_add_test(tests, a_lower_quota_releases_no_node_and_a_higher_one_is_noticed);
    tcase_add_test(tests, a_node_lost_within_the_quota_is_replaced_within_the_quota);
    tcase_add_test(tests, nodes_whose_allocation_failed_are_requested_again);
    tcase_add_test(tests, a_resize_replaces_a_retry);
    tcase_add_test(tests, the_setup_task_runs_after_allocation_and_after_every_reboot);
    tcase_add_test(tests, a_failed_setup_task_leaves_nodes_unusable_and_billed);
    tcase_add_test(tests, a_mount_of_a_missing_share_leaves_nodes_unusable);
    tcase_add_test(tests, a_cluster_is_ready_without_the_nodes_that_are_unusable);
    tcase_add_test(tests, a_crash_is_noticed_after_the_detection_time_and_the_node_stays_unusable);
    tcase_add_test(tests, a_crash_under_a_job_costs_the_attempt_once_it_is_noticed);
    tcase_add_test(tests, a_silent_node_is_noticed_even_if_its_job_ends);
    tcase_add_test(tests, a_node_that_reboots_after_repair_is_prepared_again);
    tcase_add_test(tests, a_replacement_takes_the_place_of_the_lost_node);
    tcase_add_test(tests, nodes_lost_together_are_replaced_together_and_later_ones_afterwards);
    tcase_add_test(tests, a_preemption_gives_notice_and_takes_the_job_with_it);
    tcase_add_test(tests, a_node_that_crashes_after_its_notice_is_still_preempted);
    tcase_add_test(tests, a_reboot_takes_the_job_and_brings_a_broken_node_back);
    tcase_add_test(tests, a_leaving_node_that_waits_for_its_job_is_gone_when_preempted);
    tcase_add_test(tests, a_leaving_node_is_not_replaced_when_preempted);
    tcase_add_test(tests, a_node_lost_while_others_leave_is_replaced_when_they_are_gone);
    tcase_add_test(tests, nodes_of_a_cluster_being_deleted_do_not_fail);
    tcase_add_test(tests, a_slow_node_is_recorded);
    tcase_add_test(tests, kinds_of_nodes_of_one_size_have_their_names);
    suite_add_tcase(suite, tests);
    TCase *properties = tcase_create("properties");
    tcase_add_test(properties, invariants_hold_and_node_time_is_billed_under_any_failures);
    suite_add_tcase(suite, properties);
    return suite;
}
