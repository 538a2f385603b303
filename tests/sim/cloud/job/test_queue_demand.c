/* Automatic scaling and the limits of queues: a job that a limit holds back brings no node. The
 * service of these worlds evaluates every 600 s, and its nodes come at once. */
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/job/job.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/suite.h"

static QueueSpec limited(int64_t most)
{
    return (QueueSpec){.most = most};
}

/* An automatic cluster of 0 to 20 nodes. */
static void add_automatic(int32_t gpus_per_node, const QueueSpec *queues, int32_t count)
{
    add_cluster(0, gpus_per_node, queues, count);
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *list.items[list.count - 1].as.cluster_create;
    spec->is_automatic = true;
    spec->maximum_nodes = 20;
    list.items[list.count - 1].as.cluster_create = spec;
}

/* A job for whole nodes. */
static JobSpec *add_wide(const char *name, int64_t at_s, int32_t of_queue, int32_t nodes,
                         int64_t run_s)
{
    JobSpec *spec = gpu_job(arena, REQUEST_NODES, nodes, 0, run_s);
    spec->queue = queue_names[of_queue];
    commands_create_job(&list, name, at_s * NS_PER_S, "cluster", spec);
    return spec;
}

/* The nodes that the cluster has after some time. */
static int32_t nodes_at(World *world, int64_t at_s)
{
    world_advance(world, at_s * NS_PER_S);
    return world_cluster(world, (ClusterId){0})->current_nodes;
}

static World *begin_world(PolicyKind policy)
{
    return ideal_world(&list, policy, PLACEMENT_CONSOLIDATE, &recording);
}

START_TEST(jobs_beyond_the_limit_bring_no_nodes)
{
    // Five jobs of one node, three of which may run at once, and two of a queue without a limit.
    const QueueSpec queues[] = {limited(3), queue(0)};
    add_automatic(1, queues, 2);
    for (int32_t i = 0; i < 5; i++)
        add_wide(arena_printf(arena, "a%d", (int)i), 10, 0, 1, 1000);
    for (int32_t i = 0; i < 2; i++)
        add_wide(arena_printf(arena, "b%d", (int)i), 10, 1, 1, 5000);
    World *world = begin_world(POLICY_SERVICE);
    ck_assert_int_eq(nodes_at(world, 599), 0);
    ck_assert_int_eq(nodes_at(world, 601), 5);
    // At 1600 s the next two of a start on the nodes of the first three: the third is spare.
    ck_assert_int_eq(nodes_at(world, 1601), 5);
    ck_assert_int_eq(start_s(3, 0), 1600);
    ck_assert_int_eq(start_s(4, 0), 1600);
    ck_assert_int_eq(nodes_at(world, 2401), 4);
    ck_assert_int_eq(nodes_at(world, 3601), 2);
}
END_TEST

START_TEST(without_a_limit_all_jobs_do)
{
    const QueueSpec queues[] = {queue(0)};
    add_automatic(1, queues, 1);
    for (int32_t i = 0; i < 5; i++)
        add_wide(arena_printf(arena, "a%d", (int)i), 10, 0, 1, 1000);
    ck_assert_int_eq(nodes_at(begin_world(POLICY_SERVICE), 601), 5);
}
END_TEST

/* The nodes for jobs of 2, 2 and 1 nodes under a limit of 3, after one evaluation. */
static int32_t nodes_for_gangs(PolicyKind policy)
{
    const QueueSpec queues[] = {limited(3)};
    add_automatic(1, queues, 1);
    add_wide("two", 10, 0, 2, 5000);
    add_wide("two_more", 11, 0, 2, 5000);
    add_wide("one", 12, 0, 1, 5000);
    return nodes_at(begin_world(policy), 601);
}

START_TEST(in_the_service_s_order_no_job_counts_behind_one_that_is_too_large)
{
    ck_assert_int_eq(nodes_for_gangs(POLICY_SERVICE), 2);
}
END_TEST

START_TEST(a_policy_that_sees_the_queue_may_start_a_smaller_one)
{
    ck_assert_int_eq(nodes_for_gangs(POLICY_BACKFILL), 3);
}
END_TEST

START_TEST(the_urgent_jobs_count_first)
{
    // The urgent job comes last, and takes all of the limit.
    const QueueSpec queues[] = {limited(3)};
    add_automatic(1, queues, 1);
    for (int32_t i = 0; i < 9; i++)
        add_wide(arena_printf(arena, "a%d", (int)i), 10 + i, 0, 2, 5000);
    add_wide("urgent", 30, 0, 3, 5000)->priority = PRIORITY_HIGH;
    ck_assert_int_eq(nodes_at(begin_world(POLICY_SERVICE), 601), 3);
    ck_assert_int_eq(start_s(9, 0), 600);
}
END_TEST

START_TEST(jobs_that_share_nodes_count_by_their_gpus)
{
    // Eight jobs of one GPU, four of which may run at once: one node of four GPUs.
    const QueueSpec queues[] = {limited(4)};
    add_automatic(4, queues, 1);
    for (int32_t i = 0; i < 8; i++)
        add_job(arena_printf(arena, "a%d", (int)i), 10, 0, 1, 5000);
    World *world = begin_world(POLICY_SERVICE);
    ck_assert_int_eq(nodes_at(world, 601), 1);
    ck_assert_int_eq(nodes_at(world, 5601), 1);
    ck_assert_int_eq(start_s(4, 0), 5600);
}
END_TEST

START_TEST(a_job_larger_than_the_limit_brings_no_nodes)
{
    const QueueSpec queues[] = {limited(3)};
    add_automatic(1, queues, 1);
    add_wide("large", 10, 0, 4, 1000);
    ck_assert_int_eq(nodes_at(begin_world(POLICY_SERVICE), 4000), 0);
}
END_TEST

START_TEST(a_limit_that_changes_changes_the_demand)
{
    // Six jobs: first without a limit, from 100 s on with two, from 700 s on with four.
    const QueueSpec queues[] = {queue(0)};
    add_automatic(1, queues, 1);
    for (int32_t i = 0; i < 6; i++)
        add_wide(arena_printf(arena, "a%d", (int)i), 10, 0, 1, 5000);
    change_queue(100, 0, -1, 2);
    change_queue(700, 0, -1, 4);
    World *world = begin_world(POLICY_SERVICE);
    ck_assert_int_eq(nodes_at(world, 601), 2);
    ck_assert_int_eq(nodes_at(world, 1199), 2);
    ck_assert_int_eq(nodes_at(world, 1201), 4);
}
END_TEST

START_TEST(a_job_that_leaves_the_queue_lets_the_next_one_count)
{
    const QueueSpec queues[] = {limited(2)};
    add_automatic(1, queues, 1);
    add_wide("two", 10, 0, 2, 5000);
    add_wide("one", 11, 0, 1, 5000);
    commands_add(&list, COMMAND_JOB_TERMINATE, "two", 100 * NS_PER_S);
    ck_assert_int_eq(nodes_at(begin_world(POLICY_SERVICE), 601), 1);
    ck_assert_int_eq(start_s(1, 0), 600);
}
END_TEST

START_TEST(a_job_that_loses_its_node_counts_as_before)
{
    const QueueSpec queues[] = {limited(1)};
    add_automatic(1, queues, 1);
    add_wide("first", 10, 0, 1, 5000);
    add_wide("second", 11, 0, 1, 100);
    Command *crash = commands_add(&list, COMMAND_NODE_CRASH, "cluster", 1000 * NS_PER_S);
    crash->as.fault.node = 1;
    crash->as.fault.recovery = RECOVERY_REPLACE;
    crash->as.fault.duration_ns = 100 * NS_PER_S;
    World *world = begin_world(POLICY_SERVICE);
    ck_assert_int_eq(nodes_at(world, 601), 1);
    world_run(world);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_SUCCEEDED);
    ck_assert_int_eq(world_job(world, (JobId){1})->state, JOB_SUCCEEDED);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queue_demand");
    TCase *tests = tcase_create("queue_demand");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, jobs_beyond_the_limit_bring_no_nodes);
    tcase_add_test(tests, without_a_limit_all_jobs_do);
    tcase_add_test(tests, in_the_service_s_order_no_job_counts_behind_one_that_is_too_large);
    tcase_add_test(tests, a_policy_that_sees_the_queue_may_start_a_smaller_one);
    tcase_add_test(tests, the_urgent_jobs_count_first);
    tcase_add_test(tests, jobs_that_share_nodes_count_by_their_gpus);
    tcase_add_test(tests, a_job_larger_than_the_limit_brings_no_nodes);
    tcase_add_test(tests, a_limit_that_changes_changes_the_demand);
    tcase_add_test(tests, a_job_that_leaves_the_queue_lets_the_next_one_count);
    tcase_add_test(tests, a_job_that_loses_its_node_counts_as_before);
    suite_add_tcase(suite, tests);
    return suite;
}
