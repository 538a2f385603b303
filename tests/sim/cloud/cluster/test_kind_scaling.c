/* Clusters of several kinds of nodes, of which one scales automatically: examples worked out on
 * paper from plain_service (tests/support/worlds.h), and random worlds against brute force and
 * against clusters of one kind. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/cluster/kind_demand.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/world_fixture.h"

enum { BASE, BURST };

static Scenario *scenario;
static World *world;

static void set_up(void)
{
    begin();
    world = NULL;
}

/* The kinds of one cluster: `base` nodes that stay, and others between the limits, at first
 * `minimum`. */
static NodeKind *add_kinds(const VmSize *base_size, int32_t base, const VmSize *burst_size,
                           int32_t minimum, int32_t maximum)
{
    NodeKind *kinds = ARENA_ARRAY(arena, NodeKind, 2);
    kinds[BASE] =
        (NodeKind){.name = "base", .vm_size = base_size, .target_nodes = base, .speed_ppm = PPM};
    kinds[BURST] = (NodeKind){
        .name = "burst", .vm_size = burst_size, .target_nodes = minimum, .speed_ppm = PPM};
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = base_size,
                          .kind_count = 2,
                          .kinds = kinds,
                          .is_automatic = true,
                          .scaling_kind = BURST,
                          .minimum_nodes = minimum,
                          .maximum_nodes = maximum,
                          .target_nodes = base + minimum,
                          .admin_user = "demo"};
    commands_create_cluster(&list, "c", 0, spec);
    return kinds;
}

static NodeKind *add_cluster(int32_t base, int32_t minimum, int32_t maximum)
{
    return add_kinds(plain_vm_size(), base, plain_vm_size(), minimum, maximum);
}

static JobSpec *add_job(const char *name, int64_t at_s, int32_t nodes, int64_t run_s)
{
    JobSpec *spec = plain_job(arena, nodes, plain_fixed_program(arena, run_s * NS_PER_S, 0));
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
    return spec;
}

static void add_resize(const char *kind, int64_t at_s, int32_t nodes)
{
    commands_resize(&list, "c", at_s * NS_PER_S, nodes);
    list.items[list.count - 1].as.cluster_resize.kind = kind;
}

/* With a quota of cores, unless that is NULL. */
static void prepare(const CoreQuota *quota)
{
    scenario = scenario_of(&list, 1);
    scenario->quotas = quota;
    scenario->quota_count = quota != NULL;
    world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
}

static void run(void)
{
    prepare(NULL);
    world_run(world);
}

static const Cluster *cluster(void)
{
    return world_cluster(world, (ClusterId){0});
}

static const ClusterKind *kind(int32_t index)
{
    return &cluster()->kinds[index];
}

static const Job *job(uint32_t id)
{
    return world_job(world, (JobId){id});
}

static int64_t started_s(uint32_t id)
{
    return job(id)->started_ns / NS_PER_S;
}

/* The kind of the nodes that the job had last. */
static int32_t kind_of(uint32_t id)
{
    return request_kind(job(id)->request);
}

static int64_t at_s(TraceKind kind_of_record, const char *name, int32_t n)
{
    const TraceRecord *record = recording_find(&recording, kind_of_record, name, n);
    ck_assert_ptr_nonnull(record);
    return record->at_ns / NS_PER_S;
}

static int32_t resizes(void)
{
    return recording_count(&recording, TRACE_CLUSTER_ALLOCATION, "resizing");
}

static int64_t ended_s(void)
{
    return at_s(TRACE_RUN_ENDED, NULL, 0);
}

/* --- Which jobs make nodes come --- */

START_TEST(a_gang_that_does_not_fit_on_the_base_gets_its_whole_width)
{
    // Base nodes: allocated at 100, idle at 230. Evaluations at 700, 1300, ... At 700 three nodes
    // are asked for, although two are idle: steady 770, idle 900. The gang runs there until 961. At
    // 1300 they leave, from 1303 to 1540; the base stays.
    add_cluster(2, 0, 4);
    add_job("gang", 5, 3, 60);
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 700);
    ck_assert_int_eq(recording_find(&recording, TRACE_CLUSTER_ALLOCATION, "resizing", 1)
                         ->cluster_allocation.target,
                     5);
    ck_assert_int_eq(started_s(0), 900);
    ck_assert_int_eq(kind_of(0), BURST);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1300);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 0), 1303);
    ck_assert_int_eq(ended_s(), 1540);
    ck_assert_int_eq(kind(BASE)->current_nodes, 2);
    ck_assert_int_eq(kind(BASE)->node_count[NODE_IDLE], 2);
    ck_assert_int_eq(kind(BURST)->current_nodes, 0);
}
END_TEST

START_TEST(jobs_that_fit_on_the_base_make_no_node_come)
{
    add_cluster(2, 0, 4);
    add_job("a", 300, 1, 2000);
    add_job("b", 300, 1, 2000);
    run();
    ck_assert_int_eq(started_s(0), 302);
    ck_assert_int_eq(started_s(1), 302);
    ck_assert_int_eq(kind_of(1), BASE);
    ck_assert_int_eq(resizes(), 1); // the creation
}
END_TEST

START_TEST(the_third_job_has_the_only_node_that_comes)
{
    // Two jobs fill the base from 302 on. At 700 one node is wanted, not three.
    add_cluster(2, 0, 4);
    add_job("a", 300, 1, 2000);
    add_job("b", 300, 1, 2000);
    add_job("c", 310, 1, 60);
    run();
    ck_assert_int_eq(started_s(2), 900);
    ck_assert_int_eq(kind_of(2), BURST);
    ck_assert_int_eq(recording_count(&recording, TRACE_NODE_BILLED, "released"), 1);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 2), 1300);
}
END_TEST

START_TEST(wide_jobs_are_put_on_the_base_first)
{
    // At 500 the base is busy, and four jobs wait; at 600 it is idle again and the first job, which
    // needs three nodes, keeps the others from starting. First fit decreasing puts the job of two
    // nodes on the base; those of three, one and one need five nodes.
    add_cluster(2, 0, 9);
    add_job("busy", 300, 2, 295);
    add_job("three", 400, 3, 60);
    add_job("one", 410, 1, 60);
    add_job("two", 420, 2, 60);
    add_job("another", 430, 1, 60);
    prepare(NULL);
    world_advance(world, 500 * NS_PER_S);
    ck_assert_int_eq(kind_demand_find(cluster()).whole_nodes, 7);
    world_advance(world, 650 * NS_PER_S);
    ck_assert_int_eq(kind(BASE)->node_count[NODE_IDLE], 2);
    ck_assert_int_eq(kind_demand_find(cluster()).whole_nodes, 5);
    world_run(world);
    ck_assert_int_eq(job(3)->state, JOB_SUCCEEDED);
}
END_TEST

START_TEST(nodes_that_are_being_prepared_count)
{
    // From 100 to 230 the base is prepared: it will take both first jobs.
    add_cluster(2, 0, 4);
    add_job("a", 110, 1, 60);
    add_job("b", 110, 1, 60);
    add_job("c", 120, 1, 60);
    prepare(NULL);
    world_advance(world, 115 * NS_PER_S);
    ck_assert_int_eq(kind(BASE)->node_count[NODE_PREPARING], 2);
    ck_assert_int_eq(kind_demand_find(cluster()).whole_nodes, 0);
    world_advance(world, 125 * NS_PER_S);
    ck_assert_int_eq(kind_demand_find(cluster()).whole_nodes, 1);
}
END_TEST

START_TEST(only_jobs_that_allow_the_scaling_kind_make_its_nodes_come)
{
    // The base is idle. The first job may run on burst nodes only; the last on the base only, which
    // is too small. It keeps no node away: the policy lets others pass.
    add_cluster(1, 0, 4);
    add_job("burst", 300, 1, 60)->kinds = kind_set_of(BURST);
    add_job("base", 310, 2, 60)->kinds = kind_set_of(BASE);
    run();
    ck_assert_int_eq(started_s(0), 900);
    ck_assert_int_eq(kind_of(0), BURST);
    ck_assert_int_eq(job(1)->starts, 0);
    ck_assert_int_eq(recording_find(&recording, TRACE_CLUSTER_ALLOCATION, "resizing", 1)
                         ->cluster_allocation.target,
                     2);
}
END_TEST

START_TEST(a_job_wider_than_the_maximum_makes_no_node_come)
{
    add_cluster(2, 0, 4);
    add_job("wide", 300, 5, 60);
    run();
    ck_assert_int_eq(resizes(), 1);
}
END_TEST

START_TEST(a_job_whose_memory_the_base_never_has_makes_a_node_come)
{
    // The base has two GPUs free, but a node of it has 16 GiB.
    VmSize *small = ARENA_NEW(arena, VmSize), *large = ARENA_NEW(arena, VmSize);
    *small = *vm_size_of_gpus(arena, 2);
    *large = *small;
    small->memory_bytes = INT64_C(16) << 30;
    large->memory_bytes = INT64_C(64) << 30;
    add_kinds(small, 1, large, 0, 2);
    JobSpec *spec = gpu_job(arena, REQUEST_GPUS, 1, 1, 60);
    spec->memory_mib = 32 << 10;
    commands_create_job(&list, "j", 300 * NS_PER_S, "c", spec);
    run();
    ck_assert_int_eq(started_s(0), 900);
    ck_assert_int_eq(kind_of(0), BURST);
}
END_TEST

START_TEST(gpus_on_shared_nodes_are_divided_for_each_kind)
{
    // A base node of 4 GPUs, burst nodes of 2. From 302 on a job has 3 GPUs of the base; a job of 1
    // GPU fits next to it at once. Jobs of 2, 2 and 4 GPUs need 1 + 1 + 2 burst nodes.
    add_kinds(vm_size_of_gpus(arena, 4), 1, vm_size_of_gpus(arena, 2), 0, 9);
    static const int32_t gpus[] = {3, 1, 2, 2, 4};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
        commands_create_job(&list, arena_printf(arena, "j%d", (int)i), 300 * NS_PER_S, "c",
                            gpu_job(arena, REQUEST_GPUS, 1, gpus[i], 2000));
    prepare(NULL);
    world_advance(world, 701 * NS_PER_S);
    ck_assert_int_eq(kind_of(1), BASE);
    ck_assert_int_eq(kind(BURST)->target_nodes, 4);
    world_advance(world, 950 * NS_PER_S);
    ck_assert_int_eq(kind(BURST)->node_count[NODE_RUNNING], 4);
    ck_assert_int_eq(job(4)->request.nodes, 2);
}
END_TEST

/* --- Limits, quotas, losses --- */

START_TEST(the_minimum_stays)
{
    // One burst node from the beginning. The job of three nodes makes two more come at 700, and
    // these leave at 1300.
    add_cluster(2, 1, 4);
    add_job("gang", 300, 3, 60);
    run();
    ck_assert_int_eq(started_s(0), 900);
    ck_assert_int_eq(kind(BURST)->current_nodes, 1);
    ck_assert_int_eq(kind(BASE)->current_nodes, 2);
    ck_assert_int_eq(ended_s(), 1540);
}
END_TEST

START_TEST(the_maximum_limits_one_kind)
{
    add_cluster(1, 0, 2);
    for (int32_t j = 0; j < 6; j++)
        add_job(arena_printf(arena, "j%d", (int)j), 300, 1, 2000);
    run();
    ck_assert_int_eq(recording_find(&recording, TRACE_CLUSTER_ALLOCATION, "resizing", 1)
                         ->cluster_allocation.target,
                     3);
    for (uint32_t j = 0; j < 6; j++)
        ck_assert_int_eq(job(j)->state, JOB_SUCCEEDED);
}
END_TEST

START_TEST(a_quota_of_the_base_is_asked_again_at_an_evaluation)
{
    // Room for two of three base nodes. No evaluation is due for the third while the quota is
    // full; at 1000 it grows, and at 1300 the node is asked for: steady 1370, idle 1500.
    static const CoreQuota quota = {"NC", 12, 12};
    add_kinds(plain_vm_size(), 3, vm_size_of_gpus(arena, 1), 0, 4);
    commands_add(&list, COMMAND_QUOTA_CHANGE, "NC", 1000 * NS_PER_S)->as.fault.vcpus = 36;
    prepare(&quota);
    world_advance(world, 999 * NS_PER_S);
    ck_assert_int_eq(kind(BASE)->current_nodes, 2);
    ck_assert_int_eq(resizes(), 1);
    world_run(world);
    ck_assert_int_eq(kind(BASE)->current_nodes, 3);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 1300);
    ck_assert_int_eq(ended_s(), 1500);
}
END_TEST

START_TEST(a_quota_of_the_scaling_kind_leaves_jobs_waiting)
{
    // Three nodes are wanted at 700, and the quota has room for one: the jobs run one after the
    // other.
    static const CoreQuota quota = {"gpus", 1, 1};
    add_kinds(plain_vm_size(), 1, vm_size_of_gpus(arena, 1), 0, 4);
    add_job("long", 300, 1, 9000);
    for (int32_t j = 0; j < 3; j++)
        add_job(arena_printf(arena, "j%d", (int)j), 310, 1, 60);
    prepare(&quota);
    world_run(world);
    ck_assert_int_eq(started_s(1), 900);
    ck_assert_int_eq(started_s(3), 900 + 2 * 61);
}
END_TEST

START_TEST(a_lost_base_node_is_made_up_for_and_never_taken_away)
{
    // The only base node crashes at 400 and stays unusable from 460 on: its job needs a burst node
    // from 700 on, and runs there from 900 on. The unusable node is not spare.
    add_cluster(1, 0, 4);
    add_job("a", 300, 1, 1000);
    prepare(NULL);
    world_advance(world, 400 * NS_PER_S);
    cluster_node_crashes(world->clusters, cluster_node_at(world->clusters, cluster(), 0),
                         (NodeFailure){.cause = CAUSE_CRASH,
                                       .reason = "GPU memory error",
                                       .recovery = RECOVERY_STAYS});
    world_run(world);
    ck_assert_int_eq(job(0)->starts, 2);
    ck_assert_int_eq(started_s(0), 900);
    ck_assert_int_eq(kind_of(0), BURST);
    ck_assert_int_eq(kind(BASE)->node_count[NODE_UNUSABLE], 1);
    ck_assert_int_eq(kind(BURST)->current_nodes, 0);
}
END_TEST

/* --- Resizes --- */

START_TEST(a_resize_of_the_base_leaves_the_other_kind_scaling)
{
    // At 1000 the base grows to 3: ready at 1200. The burst node of the long job stays until its
    // end at 2901, and leaves at 3100.
    add_cluster(1, 0, 4);
    add_job("base", 300, 1, 4000);
    add_job("burst", 310, 1, 2000);
    add_resize("base", 1000, 3);
    run();
    ck_assert(cluster()->is_automatic);
    ck_assert_int_eq(kind(BASE)->current_nodes, 3);
    ck_assert_int_eq(kind(BURST)->current_nodes, 0);
    const TraceRecord *scaling = recording_find(&recording, TRACE_CLUSTER_SCALING, "automatic", 1);
    ck_assert_int_eq(scaling->at_ns, 1000 * NS_PER_S);
    ck_assert_int_eq(scaling->cluster_scaling.minimum, 3); // of the whole cluster
    ck_assert_int_eq(scaling->cluster_scaling.maximum, 7);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 3), 3100);
}
END_TEST

START_TEST(a_resize_of_the_scaling_kind_ends_scaling)
{
    add_cluster(1, 0, 4);
    add_job("wide", 300, 2, 60);
    add_resize("burst", 400, 1);
    run();
    ck_assert(!cluster()->is_automatic);
    ck_assert_int_eq(kind(BURST)->current_nodes, 1);
    ck_assert_int_eq(job(0)->starts, 0);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_SCALING, "manual", 0), 400);
}
END_TEST

START_TEST(a_resize_of_the_base_takes_no_busy_node_of_the_other_kind)
{
    // At 1300 an evaluation lets the idle burst nodes go. At 1301 a job takes one of them, since
    // the base is busy, and at 1302, before any node has left, the base is resized: both stay. At
    // 1900 the evaluation takes the idle one.
    add_cluster(1, 0, 4);
    add_job("base", 300, 1, 9000);
    add_job("pair", 310, 2, 60);
    add_job("late", 1299, 1, 3000);
    add_resize("base", 1302, 2);
    prepare(NULL);
    world_advance(world, 1303 * NS_PER_S);
    ck_assert_int_eq(kind(BURST)->node_count[NODE_RUNNING], 1);
    ck_assert_int_eq(kind(BURST)->target_nodes, 2);
    world_run(world);
    ck_assert_int_eq(job(2)->starts, 1);
    ck_assert_int_eq(kind(BASE)->current_nodes, 2);
    ck_assert_int_eq(kind(BURST)->current_nodes, 0);
}
END_TEST

START_TEST(commands_cannot_exceed_the_service_or_choose_the_kind)
{
    // 100 nodes a cluster: 60 + 40 are possible, 61 + 40 are not.
    add_cluster(60, 0, 40);
    add_resize("base", 300, 61);
    Command *command = commands_add(&list, COMMAND_CLUSTER_AUTOSCALE, "c", 310 * NS_PER_S);
    command->as.cluster_autoscale.maximum_nodes = 3;
    run();
    ck_assert_str_eq(recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 0)->name,
                     "cluster.resize c: cluster \"c\": 101 nodes asked for, expected 0 to 100");
    ck_assert_str_eq(recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 1)->name,
                     "cluster.autoscale c: cluster \"c\" has nodes of 2 kinds: only its "
                     "\"node_kinds\" say which of them scales automatically");
}
END_TEST

START_TEST(a_kind_may_have_its_own_price)
{
    NodeKind *kinds = add_cluster(1, 1, 2);
    kinds[BASE].has_price = true;
    kinds[BASE].micro_usd_per_hour = 400000;
    prepare(NULL);
    world_advance(world, NS_PER_HOUR);
    ck_assert_int_eq(world_node_bill(world, cluster()->id, BASE, 0).micro_usd_per_hour, 400000);
    ck_assert_int_eq(world_node_bill(world, cluster()->id, BURST, 0).micro_usd_per_hour, 900000);
}
END_TEST

/* --- At random --- */

typedef struct {
    uint64_t seed, draw;
} Dice;

static int32_t roll(Dice *dice, int32_t sides)
{
    return (int32_t)(rng_word(dice->seed, RNG_IDENTITY, 78, dice->draw++) % (uint64_t)sides);
}

enum { JOBS = 30, NODES_MOST = 12 };

static JobSpec *random_job(Dice *dice, int32_t most)
{
    const int32_t nodes = 1 + roll(dice, most), gpus = roll(dice, 7), run_s = roll(dice, 3000);
    const int32_t what = roll(dice, 4), kinds = roll(dice, 6);
    JobSpec *spec = what < 2    ? gpu_job(arena, REQUEST_NODES, nodes, 0, run_s)
                    : what == 2 ? gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s)
                                : gpu_job(arena, REQUEST_GPUS_PER_NODE, nodes, gpus % 3, run_s);
    spec->kinds = kinds < 4 ? (KindSet)kinds : 0;
    spec->priority = (JobPriority)roll(dice, PRIORITY_COUNT);
    return spec;
}

/* A world of random jobs on a base and a kind that scales, with any policy, resizes of the base and
 * losses of nodes. */
static World *random_world(uint64_t seed)
{
    Dice dice = {.seed = seed};
    const int32_t base = roll(&dice, 5), minimum = roll(&dice, 3), sizes = roll(&dice, 3);
    const VmSize *base_size = sizes == 0 ? plain_vm_size() : vm_size_of_gpus(arena, 4);
    const VmSize *burst_size = sizes == 2 ? plain_vm_size() : vm_size_of_gpus(arena, 2);
    add_kinds(base_size, base, burst_size, minimum, minimum + 1 + roll(&dice, NODES_MOST));
    for (int32_t j = 0; j < JOBS; j++) {
        const int64_t at_ns = (int64_t)roll(&dice, 12000) * NS_PER_S;
        commands_create_job(&list, arena_printf(arena, "j%d", (int)j), at_ns, "c",
                            random_job(&dice, 4));
        if (roll(&dice, 8) == 0)
            commands_add(&list, COMMAND_JOB_TERMINATE, list.items[list.count - 1].path.name,
                         at_ns + (int64_t)roll(&dice, 2000) * NS_PER_S);
    }
    for (int32_t r = 0; r < 3; r++) {
        const int64_t at_s = roll(&dice, 15000);
        add_resize(roll(&dice, 10) == 0 ? "burst" : "base", at_s, roll(&dice, 6));
        list.items[list.count - 1].as.cluster_resize.deallocation =
            (DeallocationOption)roll(&dice, 3);
    }
    FailureModel *frail = ARENA_NEW(arena, FailureModel);
    *frail = (FailureModel){.name = "frail",
                            .between = {.quantiles = constant(arena, 20000 * NS_PER_S)},
                            .repair = {.quantiles = constant(arena, 1000 * NS_PER_S)},
                            .reason = "bad luck",
                            .recovery = (NodeRecovery)roll(&dice, RECOVERY_COUNT)};
    scenario = scenario_of(&list, seed);
    scenario->policy = (PolicyKind)(seed % POLICY_COUNT);
    scenario->placement = (PlacementKind)(seed / POLICY_COUNT % PLACEMENT_COUNT);
    scenario->until_ns = 60000 * NS_PER_S;
    scenario->failures.rate_ppm = PPM;
    if (roll(&dice, 2) == 0)
        scenario->failures.nodes = frail;
    if (seed % 2 == 0)
        scenario->service = ideal_service(arena);
    world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    return world;
}

/* --- Brute force: jobs one by one, and each node separately --- */

typedef struct {
    JobRequest request; /* divided for the scaling kind */
    int64_t slots;
} Waiter;

/* Larger ones first; among equals those that may not wait for the scaling kind, and then any order
 * that does not depend on the queue. */
static int by_size(const void *left, const void *right)
{
    const Waiter *a = left, *b = right;
    const int64_t keys[][2] = {
        {b->slots, a->slots},
        {b->request.nodes, a->request.nodes},
        {request_allows(a->request, BURST), request_allows(b->request, BURST)},
        {a->request.kinds, b->request.kinds},
        {a->request.kind, b->request.kind},
        {a->request.gpus, b->request.gpus}};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return 0;
}

typedef struct {
    int32_t free[64]; /* GPUs of each node */
    bool is_idle[64];
    int32_t count;
} BaseNodes;

static BaseNodes base_nodes(void)
{
    BaseNodes base = {.count = 0};
    for (int32_t place = 0; place < cluster()->place_count; place++) {
        const Node *node = cluster_node_at(world->clusters, cluster(), place);
        if (node == NULL || node->kind != BASE)
            continue;
        const bool is_idle = node->state == NODE_IDLE || node->state == NODE_PREPARING;
        const bool is_shared =
            node->state == NODE_RUNNING && node->shared_count > 0 && !node->is_retiring;
        if (!is_idle && !is_shared)
            continue;
        base.is_idle[base.count] = is_idle;
        base.free[base.count++] = is_idle ? kind(BASE)->whole.gpus : node->free_gpus;
    }
    return base;
}

/* The fullest node that the job does not have yet and that has room for the part; -1: none. A busy
 * node is fuller than an idle one with as many free GPUs. */
static int32_t fullest(const BaseNodes *base, const bool *has, int32_t gpus)
{
    int32_t best = -1;
    for (int32_t n = 0; n < base->count; n++) {
        if (has[n] || base->free[n] < gpus)
            continue;
        if (best < 0 || base->free[n] < base->free[best] ||
            (base->free[n] == base->free[best] && base->is_idle[best] && !base->is_idle[n]))
            best = n;
    }
    return best;
}

/* Puts the job on base nodes; false, with nothing changed: it does not fit. */
static bool put_on_base(BaseNodes *base, JobRequest request)
{
    BaseNodes after = *base;
    bool has[64] = {false};
    const int32_t gpus_per_node = kind(BASE)->whole.gpus;
    for (int32_t n = 0; n < request.nodes; n++) {
        int32_t chosen = -1;
        const int32_t gpus = request_part(request, n, gpus_per_node);
        if (request.kind != REQUEST_NODES)
            chosen = fullest(&after, has, gpus);
        for (int32_t i = 0; request.kind == REQUEST_NODES && i < after.count; i++)
            if (after.is_idle[i])
                chosen = i;
        if (chosen < 0)
            return false;
        has[chosen] = true;
        after.free[chosen] = request.kind == REQUEST_NODES ? -1 : after.free[chosen] - gpus;
        // A job without GPUs makes no node busy for those after it, which are as small.
        after.is_idle[chosen] &= request.kind != REQUEST_NODES && gpus == 0;
    }
    *base = after;
    return true;
}

static KindDemand brute_force(int64_t parts[8])
{
    Waiter waiters[JOBS];
    int32_t count = 0;
    KindDemand demand = {0};
    for (uint32_t j = 0; j < world_job_count(world); j++) {
        const Job *row = job(j);
        if (row->state != JOB_QUEUED)
            continue;
        const KindSet allowed = row->request.kinds;
        JobRequest request = request_on(row->request, kind(BURST)->whole.gpus);
        for (int32_t k = 0; k < 2; k++)
            if (!request_is_possible(request_on(request, kind(k)->whole.gpus),
                                     k == BURST ? cluster()->maximum_nodes : INT32_MAX,
                                     kind(k)->whole))
                request.kinds &= ~kind_set_of(k) & KIND_SET_ALL;
        request.kinds = request.kinds & allowed & KIND_SET_ALL;
        if (request.kinds != 0)
            waiters[count++] = (Waiter){request, request_slots(request, kind(BURST)->whole.gpus)};
    }
    qsort(waiters, (size_t)count, sizeof waiters[0], by_size);
    BaseNodes base = base_nodes();
    for (int32_t i = 0; i < count && demand.whole_nodes < cluster()->maximum_nodes; i++) {
        const JobRequest request = waiters[i].request;
        if (request_allows(request, BASE) &&
            put_on_base(&base, request_on(request, kind(BASE)->whole.gpus)))
            continue;
        if (!request_allows(request, BURST))
            continue;
        if (request.kind == REQUEST_NODES) {
            demand.whole_nodes += request.nodes;
            continue;
        }
        demand.sharing_jobs++;
        demand.widest = request.nodes > demand.widest ? request.nodes : demand.widest;
        for (int32_t n = 0; n < request.nodes; n++)
            parts[request_part(request, n, kind(BURST)->whole.gpus)]++;
    }
    return demand;
}

START_TEST(the_demand_is_what_brute_force_counts)
{
    int32_t demands = 0, placed = 0;
    for (uint64_t seed = 0; seed < (uint64_t)case_count(150); seed++) {
        set_up();
        random_world(seed);
        for (int64_t at_s = 0; at_s < 20000; at_s += 97) {
            world_advance(world, at_s * NS_PER_S);
            if (cluster() == NULL)
                continue;
            int64_t parts[8] = {0};
            const KindDemand brute = brute_force(parts), found = kind_demand_find(cluster());
            const bool is_same = found.sharing_jobs == brute.sharing_jobs &&
                                 found.widest == brute.widest &&
                                 (found.whole_nodes == brute.whole_nodes ||
                                  (found.whole_nodes >= cluster()->maximum_nodes &&
                                   brute.whole_nodes >= cluster()->maximum_nodes));
            ck_assert_msg(is_same, "seed %d at %d s: %d %d %d, expected %d %d %d", (int)seed,
                          (int)at_s, (int)found.whole_nodes, (int)found.sharing_jobs,
                          (int)found.widest, (int)brute.whole_nodes, (int)brute.sharing_jobs,
                          (int)brute.widest);
            for (int32_t gpus = 0; gpus <= kind(BURST)->whole.gpus; gpus++)
                ck_assert_msg(cluster()->waiting_parts[gpus] == parts[gpus],
                              "seed %d at %d s: %d parts of %d", (int)seed, (int)at_s,
                              (int)cluster()->waiting_parts[gpus], (int)gpus);
            demands += brute.whole_nodes + brute.sharing_jobs > 0;
            placed += cluster()->waiting.count > 0 && brute.whole_nodes + brute.sharing_jobs == 0;
        }
        end();
    }
    ck_assert_int_gt(demands, case_count(1000)); // the worlds are of use
    ck_assert_int_gt(placed, case_count(100));
}
END_TEST

START_TEST(random_clusters_keep_all_invariants_and_their_limits)
{
    for (uint64_t seed = 1000; seed < 1000 + (uint64_t)case_count(150); seed++) {
        set_up();
        const World *ran = random_world(seed);
        const ClusterSpec *spec = NULL;
        for (int32_t i = 0; i < list.count; i++)
            if (list.items[i].kind == COMMAND_CLUSTER_CREATE)
                spec = list.items[i].as.cluster_create;
        for (int64_t at_s = 0; at_s < 60000; at_s += 1000) {
            world_advance(world, at_s * NS_PER_S);
            if (cluster() != NULL && cluster()->is_automatic)
                ck_assert_msg(kind(BURST)->current_nodes <= spec->maximum_nodes, "seed %d",
                              (int)seed);
        }
        world_run(world);
        ck_assert_ptr_nonnull(ran);
        end();
    }
}
END_TEST

/* Jobs at random on a cluster of burst nodes alone: of one kind, or next to a base without nodes.
 */
static void run_twin(uint64_t seed, bool has_base)
{
    Dice dice = {.seed = seed};
    const VmSize *size = seed % 2 == 0 ? plain_vm_size() : vm_size_of_gpus(arena, 3);
    const int32_t minimum = roll(&dice, 3), maximum = minimum + 6 + roll(&dice, 6);
    if (has_base) {
        add_kinds(plain_vm_size(), 0, size, minimum, maximum);
    } else {
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        *spec = *plain_cluster(arena, minimum);
        spec->vm_size = size;
        spec->is_automatic = true;
        spec->minimum_nodes = minimum;
        spec->maximum_nodes = maximum;
        commands_create_cluster(&list, "c", 0, spec);
    }
    for (int32_t j = 0; j < JOBS; j++) {
        const int64_t at_ns = (int64_t)roll(&dice, 12000) * NS_PER_S;
        JobSpec *spec = random_job(&dice, 4);
        spec->kinds = has_base ? spec->kinds & kind_set_of(BURST) : 0;
        spec->gpus = spec->gpus > size->gpus && spec->asks_for == REQUEST_GPUS_PER_NODE
                         ? size->gpus
                         : spec->gpus;
        commands_create_job(&list, arena_printf(arena, "j%d", (int)j), at_ns, "c", spec);
    }
    scenario = scenario_of(&list, seed);
    scenario->policy = (PolicyKind)(seed % POLICY_COUNT);
    scenario->placement = (PlacementKind)(seed / POLICY_COUNT % PLACEMENT_COUNT);
    if (seed % 3 == 0)
        scenario->service.autoscale_look_back_ns = 700 * NS_PER_S;
    world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
}

START_TEST(next_to_no_base_a_kind_scales_as_a_cluster_of_one_kind)
{
    for (uint64_t seed = 0; seed < (uint64_t)case_count(120); seed++) {
        int64_t started_ns[JOBS], ended_ns[2];
        for (int has_base = 0; has_base < 2; has_base++) {
            set_up();
            run_twin(seed, has_base);
            ended_ns[has_base] = world->engine->now_ns;
            for (uint32_t j = 0; j < JOBS; j++) {
                ck_assert_msg(job(j)->state == JOB_SUCCEEDED, "seed %d, job %d", (int)seed, (int)j);
                if (!has_base)
                    started_ns[j] = job(j)->started_ns;
                else
                    ck_assert_msg(started_ns[j] == job(j)->started_ns, "seed %d, job %d", (int)seed,
                                  (int)j);
            }
            end();
        }
        ck_assert_msg(ended_ns[0] == ended_ns[1], "seed %d", (int)seed);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("kind_scaling");
    TCase *tests = tcase_create("kind_scaling");
    tcase_add_checked_fixture(tests, set_up, end);
    tcase_add_test(tests, a_gang_that_does_not_fit_on_the_base_gets_its_whole_width);
    tcase_add_test(tests, jobs_that_fit_on_the_base_make_no_node_come);
    tcase_add_test(tests, the_third_job_has_the_only_node_that_comes);
    tcase_add_test(tests, wide_jobs_are_put_on_the_base_first);
    tcase_add_test(tests, nodes_that_are_being_prepared_count);
    tcase_add_test(tests, only_jobs_that_allow_the_scaling_kind_make_its_nodes_come);
    tcase_add_test(tests, a_job_wider_than_the_maximum_makes_no_node_come);
    tcase_add_test(tests, a_job_whose_memory_the_base_never_has_makes_a_node_come);
    tcase_add_test(tests, gpus_on_shared_nodes_are_divided_for_each_kind);
    tcase_add_test(tests, the_minimum_stays);
    tcase_add_test(tests, the_maximum_limits_one_kind);
    tcase_add_test(tests, a_quota_of_the_base_is_asked_again_at_an_evaluation);
    tcase_add_test(tests, a_quota_of_the_scaling_kind_leaves_jobs_waiting);
    tcase_add_test(tests, a_lost_base_node_is_made_up_for_and_never_taken_away);
    tcase_add_test(tests, a_resize_of_the_base_leaves_the_other_kind_scaling);
    tcase_add_test(tests, a_resize_of_the_scaling_kind_ends_scaling);
    tcase_add_test(tests, a_resize_of_the_base_takes_no_busy_node_of_the_other_kind);
    tcase_add_test(tests, commands_cannot_exceed_the_service_or_choose_the_kind);
    tcase_add_test(tests, a_kind_may_have_its_own_price);
    suite_add_tcase(suite, tests);
    TCase *random = tcase_create("random");
    tcase_add_test(random, the_demand_is_what_brute_force_counts);
    tcase_add_test(random, random_clusters_keep_all_invariants_and_their_limits);
    tcase_add_test(random, next_to_no_base_a_kind_scales_as_a_cluster_of_one_kind);
    suite_add_tcase(suite, random);
    return suite;
}
