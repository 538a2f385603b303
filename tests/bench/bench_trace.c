/* The replay of a job list at scale: GPUs of shared nodes, first come, first served.
 *
 *     bench_trace [JOBS]      82,247 jobs, or JOBS
 *
 * Then one run under every other policy, without a listener.
 *
 * The list is made here in the shape of a published one (capacity notes of Philly, 2017): eleven
 * queues, each on a separate cluster with nodes of eight GPUs; 93 of 100 jobs ask for one GPU, the
 * others for 2 to 32; run times are lognormal with a median of 1,144 s and a mean of 13,136 s, so
 * that few jobs have most of the GPU time. Jobs come evenly, so that two thirds of the GPUs are
 * busy. Seconds are the processor's. Bytes are those of the run's arena, without the list. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/units.h"
#include "sim/cloud/policy/policy.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/trace/fan.h"
#include "tests/support/worlds.h"

enum { QUEUES = 11, GPUS_PER_NODE = 8, ROUNDS = 5 };

typedef struct {
    double s;
    int64_t events, bytes;
} Measurement;

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t word(int64_t row, uint64_t what)
{
    return rng_word(1, RNG_WORKLOAD, what, (uint64_t)row);
}

static int32_t gpus_of(int64_t row)
{
    static const struct {
        int32_t gpus;
        uint32_t permille;
    } sizes[] = {{1, 932}, {4, 23}, {2, 22}, {8, 20}, {16, 2}, {32, 1}};
    uint32_t at = (uint32_t)(word(row, 1) % 1000);
    size_t i = 0;
    while (at >= sizes[i].permille)
        at -= sizes[i++].permille;
    return sizes[i].gpus;
}

static JobList *make_list(Arena *arena, int64_t count)
{
    static const char *const queues[QUEUES] = {"q0", "q1", "q2", "q3", "q4", "q5",
                                               "q6", "q7", "q8", "q9", "q10"};
    int64_t *submit_ns = ARENA_ARRAY(arena, int64_t, count);
    int64_t *run_ns = ARENA_ARRAY(arena, int64_t, count);
    int32_t *gpus = ARENA_ARRAY(arena, int32_t, count);
    int32_t *queue = ARENA_ARRAY(arena, int32_t, count);
    const Distribution run = {.kind = DISTRIBUTION_LOGNORMAL,
                              .scale = 1144 * NS_PER_S,
                              .shape_ppm = 2209500}; // sqrt(2 ln(13136 / 1144))
    for (int64_t row = 0; row < count; row++) {
        submit_ns[row] = row * 100 * NS_PER_S;
        run_ns[row] = distribution_at(run, word(row, 2)) / NS_PER_S * NS_PER_S;
        gpus[row] = gpus_of(row);
        queue[row] = (int32_t)(word(row, 3) % QUEUES);
    }
    JobList *list = ARENA_NEW(arena, JobList);
    *list = (JobList){.count = count,
                      .submit_ns = submit_ns,
                      .run_ns = run_ns,
                      .gpus = gpus,
                      .queue = queue,
                      .queues = {.count = QUEUES, .texts = queues}};
    return list;
}

static Scenario *make_scenario(Arena *arena, const JobList *list)
{
    CommandList commands = commands_begin(arena);
    ResourcePath *paths = ARENA_ARRAY(arena, ResourcePath, QUEUES);
    for (int32_t q = 0; q < QUEUES; q++) {
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        *spec = (ClusterSpec){.vm_size = vm_size_of_gpus(arena, GPUS_PER_NODE),
                              .target_nodes = 3,
                              .admin_user = "demo"};
        paths[q] = (ResourcePath){.group = "g", .workspace = "w", .name = list->queues.texts[q]};
        commands_create_cluster(&commands, list->queues.texts[q], 0, spec);
    }
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 0, 0));
    spec->max_wall_clock_ns = INT64_MAX;
    spec->std_out_err = (OutputPlace){0};
    const JobSpec **specs = ARENA_NEW(arena, const JobSpec *);
    int64_t *share = ARENA_NEW(arena, int64_t);
    Workload *load = ARENA_NEW(arena, Workload);
    specs[0] = spec;
    share[0] = PPM;
    *load = (Workload){.name = "trace",
                       .path = {.group = "g", .workspace = "w", .experiment = "e"},
                       .list = list,
                       .cluster_of_row = list->queue,
                       .clusters = paths,
                       .cluster_count = list->queues.count,
                       .spec_count = 1,
                       .specs = specs,
                       .probability_ppm = share};
    Scenario *scenario = scenario_of(&commands, 1);
    scenario->service = ideal_service(arena);
    scenario->placement = PLACEMENT_CONSOLIDATE;
    scenario->refuses_wide_jobs = true;
    scenario->workload_count = 1;
    scenario->workloads = load;
    return scenario;
}

/* One run, without a listener or with the metrics. */
static Measurement measure(const Scenario *scenario, bool has_metrics)
{
    Arena *run = arena_create(), *output = arena_create();
    const double begin_s = clock_s();
    TraceFan *fan = trace_fan_create(output);
    if (has_metrics)
        trace_fan_join(fan, metrics_fold_listener(metrics_fold_create(output), TRACE_LEVEL_JOBS));
    World *world = world_create(run, scenario, has_metrics ? trace_fan_sink(fan) : (TraceSink){0});
    trace_fan_watch(fan, world);
    world_forget_ended(world);
    world_run(world);
    const Measurement measured = {.s = clock_s() - begin_s,
                                  .events = world_events(world),
                                  .bytes = (int64_t)(arena_bytes(run) + arena_bytes(output))};
    arena_destroy(run);
    arena_destroy(output);
    return measured;
}

/* Prints the best of `rounds` runs. */
static void report(const Scenario *scenario, int rounds, const char *what, bool has_metrics)
{
    const int64_t jobs = scenario->workloads->list->count;
    Measurement best = measure(scenario, has_metrics);
    for (int round = 1; round < rounds; round++) {
        const Measurement again = measure(scenario, has_metrics);
        best = again.s < best.s ? again : best;
    }
    printf("%-20s %8.3f s  %6.3f us a job  %5.2f events a job  %6.1f B a job\n", what, best.s,
           1e6 * best.s / (double)jobs, (double)best.events / (double)jobs,
           (double)best.bytes / (double)jobs);
}

int main(int argc, char **argv)
{
    const int64_t jobs = argc > 1 ? atoll(argv[1]) : 82247;
    Arena *arena = arena_create();
    const JobList *list = make_list(arena, jobs);
    Scenario *scenario = make_scenario(arena, list);
    printf("%" PRId64 " jobs on %d clusters\n", jobs, (int)QUEUES);
    report(scenario, ROUNDS, "world alone", false);
    report(scenario, ROUNDS, "with metrics", true);
    for (scenario->policy = POLICY_SERVICE + 1; scenario->policy < POLICY_COUNT; scenario->policy++)
        report(scenario, 1, policy_of(scenario->policy)->name, false);
    arena_destroy(arena);
    return 0;
}
