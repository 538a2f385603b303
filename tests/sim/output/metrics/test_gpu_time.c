/* The account of node time where jobs share nodes: exact, over random lists and failures. */
#include "sim/output/metrics/metrics.h"

#include "sim/base/units.h"
#include "sim/output/trace/fan.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

enum { ROWS = 60, GPUS = 4, NODES = 3 };

static int32_t roll(uint64_t seed, uint64_t *draw, int32_t sides)
{
    return (int32_t)(rng_word(seed, RNG_WORKLOAD, 5, (*draw)++) % (uint64_t)sides);
}

/* A list of jobs of 0 to 9 GPUs, for a cluster of three nodes with four GPUs each. */
static JobList *random_list(Arena *arena, uint64_t seed)
{
    JobList *list = ARENA_NEW(arena, JobList);
    int64_t *submit_ns = ARENA_ARRAY(arena, int64_t, ROWS), at_s = 0;
    int64_t *run_ns = ARENA_ARRAY(arena, int64_t, ROWS);
    int32_t *gpus = ARENA_ARRAY(arena, int32_t, ROWS);
    uint64_t draw = 0;
    for (int32_t row = 0; row < ROWS; row++) {
        submit_ns[row] = at_s * NS_PER_S;
        at_s += roll(seed, &draw, 60);
        run_ns[row] = roll(seed, &draw, 200) * NS_PER_S + roll(seed, &draw, 1000);
        gpus[row] = roll(seed, &draw, 6) > 0 ? roll(seed, &draw, GPUS + 1) : roll(seed, &draw, 10);
    }
    *list = (JobList){.count = ROWS, .submit_ns = submit_ns, .run_ns = run_ns, .gpus = gpus};
    return list;
}

static Scenario *random_scenario_of(Arena *arena, uint64_t seed, const JobList *list)
{
    CommandList commands = commands_begin(arena);
    ClusterSpec *cluster = ARENA_NEW(arena, ClusterSpec);
    *cluster = (ClusterSpec){
        .vm_size = vm_size_of_gpus(arena, GPUS), .target_nodes = NODES, .admin_user = "demo"};
    commands_create_cluster(&commands, "c", 0, cluster);
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 0, 0));
    spec->max_wall_clock_ns = INT64_MAX;
    spec->std_out_err = (OutputPlace){0};
    const JobSpec **specs = ARENA_NEW(arena, const JobSpec *);
    int64_t *share = ARENA_NEW(arena, int64_t);
    Workload *load = ARENA_NEW(arena, Workload);
    specs[0] = spec;
    share[0] = PPM;
    *load = (Workload){.name = "load",
                       .path = {.group = "g", .workspace = "w", .experiment = "e"},
                       .cluster = {.group = "g", .workspace = "w", .name = "c"},
                       .list = list,
                       .spec_count = 1,
                       .specs = specs,
                       .probability_ppm = share};
    Scenario *scenario = scenario_of(&commands, seed);
    if (seed % 2 == 0)
        scenario->service = ideal_service(arena);
    scenario->placement = (PlacementKind)(seed % PLACEMENT_COUNT);
    scenario->workload_count = 1;
    scenario->workloads = load;
    return scenario;
}

START_TEST(each_nanosecond_of_each_gpu_has_one_use)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Arena *arena = arena_create();
        const JobList *list = random_list(arena, seed);
        const Scenario *scenario = random_scenario_of(arena, seed, list);
        TraceFan *fan = trace_fan_create(arena);
        MetricsFold *fold = metrics_fold_create(arena);
        trace_fan_join(fan, metrics_fold_listener(fold, TRACE_LEVEL_JOBS));
        World *world = world_create(arena, scenario, trace_fan_sink(fan));
        trace_fan_watch(fan, world);
        world_run(world);
        const ClusterMetrics *cluster = &metrics_fold_result(fold)->clusters[0];
        Wide use_ns[USE_COUNT], gpu_ns = 0, kept_ns = 0;
        ck_assert_msg(cluster_uses(cluster, use_ns), "seed %d", (int)seed);
        ck_assert_msg(use_ns[USE_UNATTRIBUTED] == 0, "seed %d", (int)seed);
        ck_assert_int_eq(cluster->gpus_per_node, GPUS);
        ck_assert_int_eq(cluster->shared_gpus, 0);
        for (int32_t row = 0; row < ROWS; row++)
            gpu_ns += (Wide)list->run_ns[row] * list->gpus[row];
        // With a service that takes time, the start on the host is useful time, too.
        kept_ns = cluster->attempt_ns[USE_USEFUL] + cluster->attempt_ns[USE_STARTUP];
        ck_assert_msg(seed % 2 == 0 ? kept_ns == gpu_ns : kept_ns > gpu_ns, "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_time");
    TCase *tests = tcase_create("gpu_time");
    tcase_add_test(tests, each_nanosecond_of_each_gpu_has_one_use);
    suite_add_tcase(suite, tests);
    return suite;
}
