/* Nodes that several jobs share: losses, resizes, automatic scaling, backfill, accounts. */
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

enum { GPUS = 4, MOST_NODES = 10 };

/* A cluster "c" of nodes with four GPUs; automatic: from 0 to MOST_NODES. */
static void add_cluster(int32_t nodes, bool is_automatic)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = vm_size_of_gpus(arena, GPUS),
                          .is_automatic = is_automatic,
                          .maximum_nodes = MOST_NODES,
                          .target_nodes = nodes,
                          .admin_user = "demo"};
    commands_create_cluster(&list, "c", 0, spec);
}

static void add_job(const char *name, int64_t at_s, int32_t gpus, int64_t run_s)
{
    commands_create_job(&list, name, at_s * NS_PER_S, "c",
                        gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s));
}

static const Job *job(const World *world, uint32_t id)
{
    return world_job(world, (JobId){id});
}

static Node *node_at(World *world, int32_t place)
{
    return cluster_node_at(world->clusters, world_cluster(world, (ClusterId){0}), place);
}

static int32_t running_nodes(const World *world)
{
    return world_cluster(world, (ClusterId){0})->node_count[NODE_RUNNING];
}

START_TEST(a_lost_node_takes_all_jobs_on_it_and_no_others)
{
    // a and b fill the first node, d has two GPUs of the second and w the first GPU of both.
    add_cluster(2, false);
    add_job("a", 0, 3, 1000);
    add_job("b", 0, 1, 1000);
    add_job("d", 0, 2, 1000);
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
    world_advance(world, 100 * NS_PER_S);
    ck_assert_int_eq(running_nodes(world), 2);
    ck_assert_int_eq(node_at(world, 0)->shared_count, 2);
    ck_assert_int_eq(node_at(world, 1)->free_gpus, 2);
    cluster_node_preempted(world->clusters, node_at(world, 0));
    world_advance(world, 200 * NS_PER_S);
    // The replacement comes at once, and both start again on it.
    ck_assert_int_eq(job(world, 0)->starts, 2);
    ck_assert_int_eq(job(world, 1)->starts, 2);
    ck_assert_int_eq(job(world, 2)->starts, 1);
    world_run(world);
    ck_assert_int_eq(job(world, 0)->ended_ns, 1100 * NS_PER_S);
    ck_assert_int_eq(job(world, 2)->ended_ns, 1000 * NS_PER_S);
    const TraceRecord *lost = recording_find(&recording, TRACE_JOB_ATTEMPT, "lost", 0);
    ck_assert_int_eq(lost->job_attempt.lost_ns, 3 * 100 * NS_PER_S); // of GPUs
}
END_TEST

START_TEST(a_silent_node_stalls_all_its_jobs)
{
    add_cluster(1, false);
    add_job("a", 0, 1, 1000);
    add_job("b", 0, 1, 1000);
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
    world_advance(world, 100 * NS_PER_S);
    cluster_node_crashes(
        world->clusters, node_at(world, 0),
        (NodeFailure){.cause = CAUSE_CRASH, .recovery = RECOVERY_REBOOT, .repair_ns = NS_PER_S});
    ck_assert(job_is_stalled(job(world, 0)) && job_is_stalled(job(world, 1)));
    world_run(world);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STALLED, NULL), 2);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "succeeded"), 2);
}
END_TEST

START_TEST(a_retiring_node_leaves_after_its_last_job_and_takes_no_new_one)
{
    // Two nodes with a and b on the first and c on the second, which has the higher place and
    // retires. d would fit on the second node, but waits for a.
    add_cluster(2, false);
    add_job("a", 0, 4, 500);
    add_job("b", 0, 1, 800);
    add_job("c", 0, 1, 300);
    commands_resize(&list, "c", 100 * NS_PER_S, 1);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    add_job("d", 200, 2, 10);
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
    world_advance(world, 250 * NS_PER_S);
    ck_assert(node_at(world, 1)->is_retiring);
    ck_assert_int_eq(job(world, 3)->state, JOB_QUEUED);
    world_advance(world, 400 * NS_PER_S);
    ck_assert_int_eq(node_at(world, 1)->shared_count, 1); // b is still there
    world_run(world);
    ck_assert_int_eq(job(world, 3)->started_ns, 500 * NS_PER_S);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->current_nodes, 1);
    ck_assert_int_eq(job(world, 1)->starts, 1);
}
END_TEST

START_TEST(a_resize_that_terminates_ends_the_jobs_of_the_nodes_that_leave)
{
    // w runs on both nodes. Its loss frees the first one, which leaves before any other is taken.
    add_cluster(2, false);
    commands_create_job(&list, "w", 0, "c", gpu_job(arena, REQUEST_GPUS_PER_NODE, 2, 4, 1000));
    commands_resize(&list, "c", 100 * NS_PER_S, 0);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_TERMINATE;
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
    world_run(world);
    ck_assert_int_eq(job(world, 0)->state, JOB_FAILED);
    ck_assert_int_eq(job(world, 0)->ended_ns, 100 * NS_PER_S);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->current_nodes, 0);
}
END_TEST

START_TEST(automatic_scaling_packs_waiting_jobs_into_nodes)
{
    // Five jobs of 3 GPUs need a node each, although 15 GPUs would fit on four nodes. One of 5
    // needs a whole node more, and has its last GPU on the node of one of them.
    static const int32_t gpus[] = {3, 3, 3, 3, 3, 5};
    for (int32_t count = 5; count <= 6; count++) {
        list = commands_begin(arena);
        add_cluster(0, true);
        for (int32_t i = 0; i < count; i++)
            add_job(arena_printf(arena, "j%d", (int)i), 0, gpus[i], 100);
        World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
        world_advance(world, 650 * NS_PER_S); // the first evaluation is at 600 s
        ck_assert_int_eq(world_cluster(world, (ClusterId){0})->target_nodes, count);
        ck_assert_int_eq(world_queue_length(world, (ClusterId){0}), 0);
        world_run(world);
        ck_assert_int_eq(world_cluster(world, (ClusterId){0})->current_nodes, 0);
    }
}
END_TEST

START_TEST(automatic_scaling_gives_a_job_as_many_nodes_as_it_needs_at_once)
{
    // One GPU on each of three nodes would fit into one node as parts.
    add_cluster(0, true);
    commands_create_job(&list, "wide", 0, "c", gpu_job(arena, REQUEST_GPUS_PER_NODE, 3, 1, 10));
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
    world_run(world);
    ck_assert_int_eq(job(world, 0)->state, JOB_SUCCEEDED);
}
END_TEST

START_TEST(whole_nodes_and_gpus_wait_in_one_queue)
{
    // a has one GPU, so the job of two whole nodes waits for it; b comes after it and waits too.
    add_cluster(2, false);
    add_job("a", 0, 1, 100);
    commands_create_job(&list, "whole", NS_PER_S, "c", gpu_job(arena, REQUEST_NODES, 2, 0, 50));
    add_job("b", 2, 1, 10);
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
    world_run(world);
    ck_assert_int_eq(job(world, 1)->started_ns, 100 * NS_PER_S);
    ck_assert_int_eq(job(world, 2)->started_ns, 150 * NS_PER_S);
}
END_TEST

START_TEST(backfill_counts_gpus)
{
    // One node: a has 3 GPUs until 100 s. The head needs 4 and is reserved for 100 s. b of 1 GPU
    // may pass if it ends by then: c does, b does not. With backfill by slots, none is spare.
    add_cluster(1, false);
    add_job("a", 0, 3, 100);
    add_job("head", 1, 4, 50);
    add_job("b", 2, 1, 99);
    add_job("c", 2, 1, 98);
    World *world = ideal_world(&list, POLICY_BACKFILL, PLACEMENT_CONSOLIDATE, &recording);
    world_run(world);
    ck_assert_int_eq(job(world, 3)->started_ns, 2 * NS_PER_S);
    ck_assert_int_eq(job(world, 1)->started_ns, 100 * NS_PER_S);
    ck_assert_int_eq(job(world, 2)->started_ns, 150 * NS_PER_S);
}
END_TEST

START_TEST(cores_bind_and_the_reason_is_recorded)
{
    // One node of 4 GPUs and 4 cores (vm_size_of_gpus). a has 1 GPU and 3 cores, so b, which asks
    // for 1 GPU and 2 cores, waits for a's end; c, which asks for no cores, waits for b.
    add_cluster(1, false);
    JobSpec *a = gpu_job(arena, REQUEST_GPUS, 1, 1, 100),
            *b = gpu_job(arena, REQUEST_GPUS, 1, 1, 10);
    a->cpus = 3;
    b->cpus = 2;
    commands_create_job(&list, "a", NS_PER_S, "c", a);
    commands_create_job(&list, "b", 2 * NS_PER_S, "c", b);
    add_job("c", 3, 1, 10);
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_CONSOLIDATE, &recording);
    world_run(world);
    ck_assert_int_eq(job(world, 1)->started_ns, 101 * NS_PER_S);
    ck_assert_int_eq(job(world, 2)->started_ns, 101 * NS_PER_S);
    const TraceRecord *waits = recording_find(&recording, TRACE_JOB_WAITS, "cores", 0);
    ck_assert_ptr_nonnull(waits);
    ck_assert_int_eq(waits->job.index, 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_WAITS, NULL), 1);
}
END_TEST

/* Random jobs with cores and memory on checked worlds under every policy and placement. */
START_TEST(random_cores_and_memory_keep_all_invariants)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        begin();
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        VmSize *size = ARENA_NEW(arena, VmSize);
        *size = *vm_size_of_gpus(arena, GPUS);
        size->vcpus = 10;
        size->memory_bytes = INT64_C(100) << 20;
        *spec = (ClusterSpec){.vm_size = size, .target_nodes = 3, .admin_user = "demo"};
        commands_create_cluster(&list, "c", 0, spec);
        for (uint64_t j = 0; j < 40; j++) {
            const uint64_t word = rng_word(seed, RNG_IDENTITY, 7, j);
            const int32_t gpus = (int32_t)(word % 9);
            const int32_t nodes = gpus > GPUS ? (gpus + GPUS - 1) / GPUS : 1;
            JobSpec *job = gpu_job(arena, REQUEST_GPUS, 1, gpus, 1 + (int64_t)(word >> 8) % 300);
            job->cpus = (int32_t)((word >> 20) % 10) * nodes / 2;
            job->memory_mib = (int32_t)((word >> 32) % 100) * nodes / 2;
            commands_create_job(&list, arena_printf(arena, "j%d", (int)j),
                                (int64_t)(j * 20) * NS_PER_S, "c", job);
        }
        Scenario *scenario = scenario_of(&list, 1);
        scenario->service = ideal_service(arena);
        scenario->policy = (PolicyKind)(seed % POLICY_COUNT);
        scenario->placement = (PlacementKind)(seed / POLICY_COUNT % PLACEMENT_COUNT);
        World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_check_always(world);
        world_run(world);
        for (uint32_t j = 0; j < 40; j++)
            ck_assert_msg(job(world, j)->state == JOB_SUCCEEDED, "seed %d, job %d", (int)seed,
                          (int)j);
        end();
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shared");
    TCase *tests = tcase_create("shared");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_lost_node_takes_all_jobs_on_it_and_no_others);
    tcase_add_test(tests, a_silent_node_stalls_all_its_jobs);
    tcase_add_test(tests, a_retiring_node_leaves_after_its_last_job_and_takes_no_new_one);
    tcase_add_test(tests, a_resize_that_terminates_ends_the_jobs_of_the_nodes_that_leave);
    tcase_add_test(tests, automatic_scaling_packs_waiting_jobs_into_nodes);
    tcase_add_test(tests, automatic_scaling_gives_a_job_as_many_nodes_as_it_needs_at_once);
    tcase_add_test(tests, whole_nodes_and_gpus_wait_in_one_queue);
    tcase_add_test(tests, backfill_counts_gpus);
    tcase_add_test(tests, cores_bind_and_the_reason_is_recorded);
    suite_add_tcase(suite, tests);
    TCase *random = tcase_create("random");
    tcase_add_test(random, random_cores_and_memory_keep_all_invariants);
    suite_add_tcase(suite, random);
    return suite;
}
