/* Clusters whose nodes are of several kinds: which nodes jobs get, losses, resizes, quotas, bills,
 * the speed of a kind, and every policy. Worked out on paper, and checked after every event. */
#include "sim/base/units.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

enum { OLD, NEW };

/* A cluster "c": `old` nodes of one GPU, and `new` nodes of four that take a third of a stated
 * time. */
static ClusterSpec *add_cluster(int32_t old, int32_t new)
{
    NodeKind *kinds = ARENA_ARRAY(arena, NodeKind, 2);
    kinds[OLD] = (NodeKind){
        .name = "old", .vm_size = vm_size_of_gpus(arena, 1), .target_nodes = old, .speed_ppm = PPM};
    kinds[NEW] = (NodeKind){.name = "new",
                            .vm_size = vm_size_of_gpus(arena, 4),
                            .target_nodes = new,
                            .speed_ppm = 3 * PPM};
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = kinds[OLD].vm_size,
                          .kind_count = 2,
                          .kinds = kinds,
                          .target_nodes = old + new,
                          .admin_user = "demo"};
    commands_create_cluster(&list, "c", 0, spec);
    return spec;
}

static JobSpec *add_job(const char *name, int64_t at_s, int32_t gpus, int64_t run_s)
{
    JobSpec *spec = gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s);
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
    return spec;
}

static void resize(const char *kind, int64_t at_s, int32_t nodes)
{
    commands_resize(&list, "c", at_s * NS_PER_S, nodes);
    list.items[list.count - 1].as.cluster_resize.kind = kind;
}

static const Job *job(const World *world, uint32_t id)
{
    return world_job(world, (JobId){id});
}

static Node *node_at(World *world, int32_t place)
{
    return cluster_node_at(world->clusters, world_cluster(world, (ClusterId){0}), place);
}

static int32_t kind_of(const World *world, uint32_t id)
{
    return world_node(world, job(world, id)->nodes[0])->kind;
}

START_TEST(placement_compares_nodes_of_all_kinds)
{
    // Places 0 and 1 are old nodes of one GPU, place 2 is a new one of four.
    static const struct {
        PlacementKind placement;
        int32_t kind;
    } rows[] = {{PLACEMENT_FIRST_FIT, OLD},
                {PLACEMENT_BEST_FIT, OLD},
                {PLACEMENT_SPREAD, NEW},
                {PLACEMENT_CONSOLIDATE, OLD}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        begin();
        add_cluster(2, 1);
        add_job("a", 0, 1, 300);
        World *world = ideal_world(&list, POLICY_SERVICE, rows[r].placement, &recording);
        world_advance(world, NS_PER_S);
        ck_assert_int_eq(kind_of(world, 0), rows[r].kind);
        world_run(world);
        ck_assert_int_eq(job(world, 0)->ended_ns, (rows[r].kind == OLD ? 300 : 100) * NS_PER_S);
        end();
    }
}
END_TEST

START_TEST(a_gang_runs_on_nodes_of_one_kind)
{
    // Four GPUs are four old nodes or one new one. Two old nodes are too few, so it has the new
    // one; a job of six GPUs waits for ever, although six GPUs are free.
    add_cluster(2, 1);
    add_job("gang", 0, 4, 300);
    add_job("wide", 500, 6, 300);
    World *world = ideal_world(&list, POLICY_BACKFILL, PLACEMENT_FIRST_FIT, &recording);
    world_advance(world, NS_PER_S);
    ck_assert_int_eq(kind_of(world, 0), NEW);
    ck_assert_int_eq(job(world, 0)->request.nodes, 1);
    world_run(world);
    ck_assert_int_eq(job(world, 1)->starts, 0);
}
END_TEST

START_TEST(a_job_keeps_to_the_kinds_that_it_allows)
{
    add_cluster(1, 1);
    add_job("a", 0, 1, 300)->kinds = kind_set_of(OLD);
    add_job("b", 0, 1, 300)->kinds = kind_set_of(OLD);
    add_job("c", 0, 1, 300)->kinds = kind_set_of(NEW);
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_FIRST_FIT, &recording);
    world_run(world);
    // First come, first served: c waits after b, which waits for a.
    ck_assert_int_eq(job(world, 1)->started_ns, 300 * NS_PER_S);
    ck_assert_int_eq(job(world, 2)->started_ns, 300 * NS_PER_S);
    ck_assert_int_eq(job(world, 2)->ended_ns, 400 * NS_PER_S);
}
END_TEST

START_TEST(backfill_passes_on_other_kinds)
{
    // The same queue: b has its reservation on old nodes, so c passes it on a new one. d may run on
    // either; on the old node it would delay b, so it has the new one.
    add_cluster(1, 1);
    add_job("a", 0, 1, 300)->kinds = kind_set_of(OLD);
    add_job("b", 0, 1, 300)->kinds = kind_set_of(OLD);
    add_job("c", 0, 1, 300)->kinds = kind_set_of(NEW);
    add_job("d", 0, 1, 3000);
    for (PolicyKind policy = POLICY_BACKFILL; policy <= POLICY_CONSERVATIVE;
         policy = policy == POLICY_BACKFILL ? POLICY_CONSERVATIVE : POLICY_COUNT) {
        World *world = ideal_world(&list, policy, PLACEMENT_BEST_FIT, &recording);
        world_run(world);
        ck_assert_int_eq(job(world, 2)->started_ns, 0);
        ck_assert_int_eq(job(world, 3)->ended_ns, 1000 * NS_PER_S);
        ck_assert_int_eq(job(world, 1)->started_ns, 300 * NS_PER_S);
    }
}
END_TEST

START_TEST(a_preempted_job_may_continue_on_more_nodes_of_another_kind)
{
    // The job has the new node alone. After 50 s, which are 150 s of its 900 s, the node is taken
    // for an urgent job of 100 s that allows new nodes only. Four old nodes come at 60 s: the rest,
    // 750 s, runs there at the stated speed.
    add_cluster(0, 1);
    add_job("a", 0, 4, 900);
    JobSpec *urgent = add_job("urgent", 50, 4, 300);
    urgent->kinds = kind_set_of(NEW);
    urgent->priority = PRIORITY_HIGH;
    resize("old", 60, 4);
    World *world = ideal_world(&list, POLICY_PRIORITY_PREEMPTIVE, PLACEMENT_FIRST_FIT, &recording);
    world_advance(world, 70 * NS_PER_S);
    ck_assert_int_eq(job(world, 0)->request.nodes, 4);
    ck_assert_int_eq(kind_of(world, 0), OLD);
    ck_assert_int_eq(job(world, 0)->carried_ns, 150 * NS_PER_S);
    world_run(world);
    ck_assert_int_eq(job(world, 0)->ended_ns, (60 + 750) * NS_PER_S);
    ck_assert_int_eq(job(world, 1)->ended_ns, 150 * NS_PER_S);
}
END_TEST

START_TEST(kinds_are_resized_and_replaced_separately)
{
    add_cluster(2, 1);
    resize("old", 100, 1);
    resize("new", 100, 3);
    World *world = ideal_world(&list, POLICY_SERVICE, PLACEMENT_FIRST_FIT, &recording);
    world_advance(world, 50 * NS_PER_S);
    cluster_node_preempted(world->clusters, node_at(world, 1));
    cluster_node_preempted(world->clusters, node_at(world, 2));
    world_advance(world, 60 * NS_PER_S);
    ck_assert_int_eq(node_at(world, 1)->kind,
                     OLD); // each replacement has the place of the lost node
    ck_assert_int_eq(node_at(world, 2)->kind, NEW);
    world_run(world);
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    ck_assert_int_eq(cluster->kinds[OLD].current_nodes, 1);
    ck_assert_int_eq(cluster->kinds[NEW].current_nodes, 3);
    ck_assert_int_eq(cluster->current_nodes, 4);
    ck_assert_int_eq(node_at(world, 3)->kind, NEW); // place 1 stays one of old nodes
    ck_assert_ptr_null(node_at(world, 1));
}
END_TEST

START_TEST(each_kind_has_its_price_and_its_quota)
{
    // One core and one cent an hour a GPU: 2 x 1 and 1 x 4 cores. The quota has room for one node
    // of four cores less than asked.
    ClusterSpec *spec = add_cluster(2, 2);
    Scenario *scenario = scenario_of(&list, 1);
    CoreQuota quota = {.family = spec->vm_size->family, .dedicated_vcpus = 9};
    scenario->service = ideal_service(arena);
    scenario->quotas = &quota;
    scenario->quota_count = 1;
    scenario->until_ns = NS_PER_HOUR;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    ck_assert_int_eq(cluster->kinds[OLD].current_nodes, 2);
    ck_assert_int_eq(cluster->kinds[NEW].current_nodes, 1);
    ck_assert_int_eq(world_vcpus_used(world, quota.family, false), 6);
    ck_assert(cluster->is_short_of_cores);
    const Bill old = world_node_bill(world, cluster->id, OLD, 0);
    const Bill new = world_node_bill(world, cluster->id, NEW, 0);
    ck_assert_int_eq(new.micro_usd_per_hour, 4 * old.micro_usd_per_hour);
}
END_TEST

/* A random cluster, jobs and resizes, with any policy and placement; the world checks itself. */
static void run_random(uint64_t seed)
{
    uint64_t draw = 0;
#define ROLL(sides) (int32_t)(rng_word(seed, RNG_IDENTITY, 77, draw++) % (sides))
    const int32_t old = ROLL(4), new = ROLL(4);
    add_cluster(old, new);
    for (int32_t j = 0; j < 20; j++) {
        const int32_t nodes = 1 + ROLL(2), gpus = ROLL(7), at_s = ROLL(1000), run_s = ROLL(500);
        const int32_t kinds = ROLL(4), priority = ROLL(PRIORITY_COUNT), what = ROLL(4);
        const int32_t of_old = ROLL(4), of_new = ROLL(4); /* quarters; 0: the kind's own */
        JobSpec *spec = what == 0 ? gpu_job(arena, REQUEST_NODES, nodes, 0, run_s)
                        : what == 1
                            ? gpu_job(arena, REQUEST_GPUS_PER_NODE, nodes, 1 + gpus % 4, run_s)
                            : gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s);
        KindSpeeds *speeds = ARENA_NEW(arena, KindSpeeds);
        speeds->ppm[OLD] = of_old * (int32_t)PPM / 4;
        speeds->ppm[NEW] = of_new * 3 * (int32_t)PPM;
        spec->speeds = of_old + of_new > 0 ? speeds : NULL;
        spec->expected_ns = run_s % 3 == 0 ? run_s * NS_PER_S : 0;
        spec->kinds = (KindSet)kinds;
        spec->priority = (JobPriority)priority;
        commands_create_job(&list, arena_printf(arena, "j%d", (int)j), at_s * NS_PER_S, "c", spec);
    }
    for (int32_t r = 0; r < 6; r++) {
        const int32_t at_s = ROLL(1200), nodes = ROLL(5), which = ROLL(2), option = ROLL(3);
        resize(which == OLD ? "old" : "new", at_s, nodes);
        list.items[list.count - 1].as.cluster_resize.deallocation = (DeallocationOption)option;
    }
    Scenario *scenario = scenario_of(&list, seed);
    scenario->service = seed % 2 == 0 ? ideal_service(arena) : plain_service(arena);
    scenario->policy = (PolicyKind)(seed % POLICY_COUNT);
    scenario->placement = (PlacementKind)(seed / POLICY_COUNT % PLACEMENT_COUNT);
    scenario->kind_choice = (KindChoice)(seed / 2 % KIND_CHOICE_COUNT);
    scenario->until_ns = 20000 * NS_PER_S;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
}

START_TEST(random_clusters_keep_all_invariants)
{
    for (uint64_t seed = 0; seed < (uint64_t)4 * POLICY_COUNT * PLACEMENT_COUNT; seed++) {
        begin();
        run_random(seed);
        end();
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("kinds");
    TCase *tests = tcase_create("kinds");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_gang_runs_on_nodes_of_one_kind);
    tcase_add_test(tests, a_job_keeps_to_the_kinds_that_it_allows);
    tcase_add_test(tests, backfill_passes_on_other_kinds);
    tcase_add_test(tests, a_preempted_job_may_continue_on_more_nodes_of_another_kind);
    tcase_add_test(tests, kinds_are_resized_and_replaced_separately);
    tcase_add_test(tests, each_kind_has_its_price_and_its_quota);
    suite_add_tcase(suite, tests);
    TCase *many = tcase_create("many");
    tcase_add_test(many, placement_compares_nodes_of_all_kinds);
    tcase_add_test(many, random_clusters_keep_all_invariants);
    suite_add_tcase(suite, many);
    return suite;
}
