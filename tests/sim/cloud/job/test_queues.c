/* Queues of a cluster: limits, guarantees and borrowing on paper; queues against separate clusters;
 * random queues. */
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/policy/queue_share.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

enum { QUEUES = 3, JOBS_MAX = 60 };

static const char *const queue_names[QUEUES] = {"a", "b", "c"};

static ClusterSpec *new_cluster(int32_t nodes, int32_t gpus_per_node)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = vm_size_of_gpus(arena, gpus_per_node),
                          .target_nodes = nodes,
                          .admin_user = "demo"};
    return spec;
}

/* A cluster "cluster" with the first `count` queues. */
static void add_cluster(int32_t nodes, int32_t gpus_per_node, const QueueSpec *queues,
                        int32_t count)
{
    ClusterSpec *spec = new_cluster(nodes, gpus_per_node);
    QueueSpec *own = ARENA_ARRAY(arena, QueueSpec, QUEUES);
    for (int32_t q = 0; q < count; q++) {
        own[q] = queues[q];
        own[q].name = queue_names[q];
    }
    spec->queues = own;
    spec->queue_count = count;
    commands_create_cluster(&list, "cluster", 0, spec);
}

static JobSpec *add_job_to(const char *cluster, const char *name, int64_t at_s, const char *queue,
                           int32_t gpus, int64_t run_s)
{
    JobSpec *spec = gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s);
    spec->queue = queue;
    commands_create_job(&list, name, at_s * NS_PER_S, cluster, spec);
    return spec;
}

static void add_job(const char *name, int64_t at_s, int32_t queue, int32_t gpus, int64_t run_s)
{
    add_job_to("cluster", name, at_s, queue_names[queue], gpus, run_s);
}

static World *run_world(PolicyKind policy)
{
    World *world = ideal_world(&list, policy, PLACEMENT_CONSOLIDATE, &recording);
    world_run(world);
    return world;
}

static int64_t start_s(const World *world, uint32_t id)
{
    return world_job(world, (JobId){id})->started_ns / NS_PER_S;
}

/* The n-th reason, from 0, that was recorded for a job. */
static const char *reason(const World *world, uint32_t id, int32_t n)
{
    (void)world;
    for (int32_t i = 0; i < recording.count; i++)
        if (recording.items[i].kind == TRACE_JOB_WAITS && recording.items[i].job.index == id &&
            n-- == 0)
            return recording.items[i].name;
    return "none";
}

START_TEST(queues_are_asked_in_the_order_of_the_used_part_of_their_guarantee)
{
    const QueueSpec half = {.guaranteed = 8}, full = {.guaranteed = 2}, none = {.guaranteed = 0};
    ck_assert(queue_is_before(&half, 4, &full, 2));  // 4/8 < 2/2
    ck_assert(!queue_is_before(&full, 2, &half, 4)); // antisymmetric
    ck_assert(!queue_is_before(&half, 4, &full, 1)); // 4/8 = 1/2 ...
    ck_assert(!queue_is_before(&full, 1, &half, 4)); // ... in both directions
    ck_assert(queue_is_before(&half, 100, &none, 0));
    ck_assert(!queue_is_before(&none, 0, &half, 100));
    ck_assert(queue_is_before(&none, 1, &none, 2));
}
END_TEST

START_TEST(a_queue_never_has_more_than_its_limit)
{
    // 8 GPUs are free, and queue a may have 3: its second job of 2 waits for the first one, while b
    // takes the rest.
    const QueueSpec queues[] = {{.guaranteed = 2, .most = 3}, {.guaranteed = 0, .most = INT64_MAX}};
    add_cluster(2, 4, queues, 2);
    add_job("a1", 1, 0, 2, 100);
    add_job("a2", 1, 0, 2, 100);
    add_job("b1", 2, 1, 4, 100);
    add_job("b2", 2, 1, 2, 100);
    World *world = run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(world, 0), 1);
    ck_assert_int_eq(start_s(world, 1), 101);
    ck_assert_int_eq(start_s(world, 2), 2);
    ck_assert_int_eq(start_s(world, 3), 2);
    ck_assert_str_eq(reason(world, 1, 0), "limit");
}
END_TEST

START_TEST(a_queue_that_waits_for_its_guarantee_keeps_others_from_borrowing)
{
    // One node of 4 GPUs; a is guaranteed 4 and b none. At 1 s b borrows 3 GPUs: two until 50 s and
    // one until 100 s. At 2 s a waits for 4. At 50 s two more GPUs are free, and b may not take
    // them again, so that a starts at 100 s. Then b waits until a has ended.
    const QueueSpec queues[] = {{.guaranteed = 4, .most = INT64_MAX}, {.most = INT64_MAX}};
    add_cluster(1, 4, queues, 2);
    add_job("b1", 1, 1, 2, 49);
    add_job("b2", 1, 1, 1, 99);
    add_job("a", 2, 0, 4, 10);
    add_job("b3", 3, 1, 1, 10);
    World *world = run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(world, 0), 1);
    ck_assert_int_eq(start_s(world, 1), 1);
    ck_assert_int_eq(start_s(world, 2), 100);
    ck_assert_int_eq(start_s(world, 3), 110);
    ck_assert_str_eq(reason(world, 2, 0), "gpus");
    ck_assert_str_eq(reason(world, 3, 0), "guarantee");
}
END_TEST

START_TEST(a_job_that_can_never_start_keeps_no_other_queue_from_borrowing)
{
    const QueueSpec queues[] = {{.guaranteed = 8, .most = INT64_MAX}, {.most = INT64_MAX}};
    add_cluster(1, 4, queues, 2);
    add_job("a", 1, 0, 8, 10); // the cluster has 4 GPUs
    add_job("b", 2, 1, 4, 10);
    Scenario *scenario = scenario_of(&list, 1);
    scenario->until_ns = 100 * NS_PER_S;
    scenario->service = ideal_service(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_QUEUED);
    ck_assert_int_eq(start_s(world, 1), 2);
}
END_TEST

START_TEST(a_blocked_queue_blocks_no_other_one)
{
    const QueueSpec queues[] = {{.guaranteed = 2, .most = 2}, {.guaranteed = 2, .most = 4}};
    add_cluster(1, 4, queues, 2);
    add_job("a1", 1, 0, 2, 100);
    add_job("a2", 2, 0, 1, 100);
    add_job("b1", 3, 1, 1, 100);
    World *world = run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(world, 1), 101);
    ck_assert_int_eq(start_s(world, 2), 3);
}
END_TEST

START_TEST(a_job_of_an_unknown_queue_is_refused)
{
    const QueueSpec queues[] = {{.guaranteed = 4, .most = 4}};
    add_cluster(1, 4, queues, 1);
    add_job_to("cluster", "unknown", 1, "nowhere", 1, 10);
    add_job_to("cluster", "missing", 1, NULL, 1, 10);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 2);
}
END_TEST

/* --- At random --- */

typedef struct {
    int64_t at_s, run_s;
    int32_t queue, gpus;
} RandomJob;

static int32_t draw_jobs(uint64_t seed, int32_t gpus_most, RandomJob *jobs)
{
    const int32_t count = 1 + (int32_t)(rng_word(seed, RNG_IDENTITY, 1, 0) % JOBS_MAX);
    int64_t at_s = 1;
    for (int32_t i = 0; i < count; i++) {
        const uint64_t word = rng_word(seed, RNG_IDENTITY, 2, (uint64_t)i);
        at_s += (int64_t)(word % 30);
        jobs[i] = (RandomJob){.at_s = at_s,
                              .run_s = 1 + (int64_t)(word >> 8) % 200,
                              .queue = (int32_t)((word >> 24) % QUEUES),
                              .gpus = 1 + (int32_t)((word >> 40) % (uint64_t)gpus_most)};
    }
    return count;
}

static void add_jobs(const RandomJob *jobs, int32_t count, bool has_queues)
{
    for (int32_t i = 0; i < count; i++) {
        const char *queue = queue_names[jobs[i].queue];
        add_job_to(has_queues ? "cluster" : queue, arena_printf(arena, "j%d", (int)i), jobs[i].at_s,
                   has_queues ? queue : NULL, jobs[i].gpus, jobs[i].run_s);
    }
}

/* With nodes of one GPU nothing is fragmented: a queue that may have exactly its guarantee is a
 * separate cluster. */
START_TEST(queues_that_borrow_nothing_are_separate_clusters)
{
    static const int64_t sizes[QUEUES] = {3, 5, 2};
    for (uint64_t seed = 0; seed < 70; seed++) {
        const PolicyKind policy = (PolicyKind)(seed % POLICY_COUNT);
        RandomJob jobs[JOBS_MAX];
        int64_t separate_s[JOBS_MAX];
        begin();
        const int32_t count = draw_jobs(seed, 2, jobs);
        for (int32_t q = 0; q < QUEUES; q++)
            commands_create_cluster(&list, queue_names[q], 0, new_cluster((int32_t)sizes[q], 1));
        add_jobs(jobs, count, false);
        World *world = run_world(policy);
        for (int32_t i = 0; i < count; i++)
            separate_s[i] = start_s(world, (uint32_t)i);
        end();
        begin();
        QueueSpec queues[QUEUES];
        for (int32_t q = 0; q < QUEUES; q++)
            queues[q] = (QueueSpec){.guaranteed = sizes[q], .most = sizes[q]};
        add_cluster(10, 1, queues, QUEUES);
        add_jobs(jobs, count, true);
        world = run_world(policy);
        for (int32_t i = 0; i < count; i++)
            ck_assert_msg(start_s(world, (uint32_t)i) == separate_s[i], "seed %d, job %d: %d, %d",
                          (int)seed, (int)i, (int)start_s(world, (uint32_t)i), (int)separate_s[i]);
        end();
    }
}
END_TEST

START_TEST(random_queues_keep_all_invariants_and_finish)
{
    for (uint64_t seed = 0; seed < 140; seed++) {
        const PolicyKind policy = (PolicyKind)(seed % POLICY_COUNT);
        RandomJob jobs[JOBS_MAX];
        QueueSpec queues[QUEUES];
        begin();
        const int32_t count = draw_jobs(seed + 1000, 6, jobs);
        for (int32_t q = 0; q < QUEUES; q++) {
            const uint64_t word = rng_word(seed, RNG_IDENTITY, 3, (uint64_t)q);
            queues[q] = (QueueSpec){.guaranteed = (int64_t)(word % 9)};
            queues[q].most = word >> 20 & 1 ? INT64_MAX : queues[q].guaranteed + 6;
        }
        add_cluster(3, 4, queues, QUEUES);
        add_jobs(jobs, count, true);
        World *world = run_world(policy);
        for (int32_t i = 0; i < count; i++)
            ck_assert_msg(world_job(world, (JobId){(uint32_t)i})->state == JOB_SUCCEEDED,
                          "seed %d, job %d", (int)seed, (int)i);
        end();
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queues");
    TCase *tests = tcase_create("queues");
    TCase *random = tcase_create("random");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, queues_are_asked_in_the_order_of_the_used_part_of_their_guarantee);
    tcase_add_test(tests, a_queue_never_has_more_than_its_limit);
    tcase_add_test(tests, a_queue_that_waits_for_its_guarantee_keeps_others_from_borrowing);
    tcase_add_test(tests, a_job_that_can_never_start_keeps_no_other_queue_from_borrowing);
    tcase_add_test(tests, a_blocked_queue_blocks_no_other_one);
    tcase_add_test(tests, a_job_of_an_unknown_queue_is_refused);
    suite_add_tcase(suite, tests);
    tcase_add_test(random, queues_that_borrow_nothing_are_separate_clusters);
    tcase_add_test(random, random_queues_keep_all_invariants_and_finish);
    suite_add_tcase(suite, random);
    return suite;
}
