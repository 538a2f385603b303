/* The whole world at scale, on scenarios made here.
 *
 *     bench_world jobs       1,000 nodes that fail, 100,000 jobs; exit code 1 when a bar is missed
 *     bench_world scale      tables over four sizes: jobs, nodes provisioned, nodes failing a year;
 * policies bench_world workload   the first again, seconds alone, for a comparison
 *
 * The workload: jobs of 1, 2, 4 or 8 nodes come one after another so that four fifths of the nodes
 * are busy; their programs take half an hour on average, exponentially. Nodes fail once in thirty
 * days on average, exponentially, and are repaired within two hours. Round numbers for a
 * measurement, of no particular system. Seconds are the processor's, so that other programs on the
 * machine count less. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/units.h"
#include "sim/cloud/policy/policy.h"
#include "sim/output/metrics/metrics.h"
#include "sim/output/trace/fan.h"
#include "sim/output/trace/fingerprint.h"
#include "tests/support/worlds.h"

#define EVENTS_PER_S_BAR 4e6
#define BYTES_PER_JOB_BAR 1024
#define BYTES_PER_NODE_BAR 512

enum { MEAN_PROGRAM_S = 1800, ROUNDS = 3 };

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- Scenarios --- */

static const FailureModel *failure_model(Arena *arena, int64_t between_ns)
{
    FailureModel *model = ARENA_NEW(arena, FailureModel);
    *model = (FailureModel){.name = "bench",
                            .between = {.kind = DISTRIBUTION_EXPONENTIAL, .scale = between_ns},
                            .repair = {.kind = DISTRIBUTION_EXPONENTIAL, .scale = 2 * NS_PER_HOUR},
                            .recovery = RECOVERY_REBOOT,
                            .reason = "hardware"};
    return model;
}

static Scenario *scenario_of_nodes(Arena *arena, int32_t nodes)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, nodes));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->fidelity = FIDELITY_JOB;
    scenario->service.nodes_per_cluster_max = nodes;
    scenario->failures = (Failures){.rate_ppm = PPM, .slow_node_speed_ppm = PPM};
    return scenario;
}

static const Workload *workload(Arena *arena, int32_t nodes, int64_t jobs)
{
    static const int32_t sizes[] = {1, 2, 4, 8};
    static const int64_t probability_ppm[] = {500000, 250000, 150000, 100000};
    const double mean_nodes = 0.5 * 1 + 0.25 * 2 + 0.15 * 4 + 0.1 * 8;
    const JobSpec **specs = ARENA_ARRAY(arena, const JobSpec *, 4);
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_fixed_program(arena, 0, 0);
    program->duration =
        (Distribution){.kind = DISTRIBUTION_EXPONENTIAL, .scale = MEAN_PROGRAM_S * NS_PER_S};
    for (int32_t i = 0; i < 4; i++)
        specs[i] = plain_job(arena, sizes[i], program);
    Workload *load = ARENA_NEW(arena, Workload);
    *load = (Workload){
        .name = "load",
        .path = {.group = "g", .workspace = "w", .experiment = "e"},
        .cluster = {.group = "g", .workspace = "w", .name = "c"},
        .end_ns = INT64_MAX,
        .jobs_max = jobs,
        .arrivals = ARRIVALS_POISSON,
        .rate = {(int64_t)(0.8 * nodes / mean_nodes / MEAN_PROGRAM_S * 86400e3), NS_PER_DAY},
        .spec_count = 4,
        .specs = specs,
        .probability_ppm = probability_ppm};
    return load;
}

static Scenario *scenario_of_jobs(Arena *arena, int32_t nodes, int64_t jobs)
{
    Scenario *scenario = scenario_of_nodes(arena, nodes);
    scenario->failures.nodes = failure_model(arena, 30 * NS_PER_DAY);
    scenario->workloads = workload(arena, nodes, jobs);
    scenario->workload_count = jobs > 0;
    return scenario;
}

/* --- Runs --- */

typedef enum { LISTEN_NOBODY, LISTEN_METRICS, LISTEN_AS_RUN, LISTEN_COUNT } Listening;

static const char *const listening_names[] = {"nobody", "the metrics", "as trainyard run does"};

typedef struct {
    double seconds;
    int64_t events;
    int64_t simulated_ns;
    size_t bytes; /* of the world, without listeners */
    uint32_t succeeded;
} Measured;

static Measured measure(const Scenario *scenario, Listening listening)
{
    Arena *run = arena_create(), *listeners = arena_create();
    Fingerprint fingerprint = fingerprint_start();
    TraceFan *fan = trace_fan_create(listeners);
    if (listening >= LISTEN_METRICS)
        trace_fan_join(fan,
                       metrics_fold_listener(metrics_fold_create(listeners), TRACE_LEVEL_STEPS));
    if (listening >= LISTEN_AS_RUN)
        trace_fan_join(fan, fingerprint_listener(&fingerprint, TRACE_LEVEL_STEPS));
    TraceSink sink = listening == LISTEN_NOBODY ? (TraceSink){0} : trace_fan_sink(fan);
    double begin_s = clock_s();
    World *world = world_create(run, scenario, sink);
    trace_fan_watch(fan, world);
    world_run(world);
    Measured measured = {.seconds = clock_s() - begin_s,
                         .events = world_events(world),
                         .simulated_ns = world_now_ns(world),
                         .bytes = arena_bytes(run)};
    for (uint32_t j = 0; j < world_job_count(world); j++)
        measured.succeeded += world_job(world, (JobId){j})->state == JOB_SUCCEEDED;
    arena_destroy(listeners);
    arena_destroy(run);
    return measured;
}

static Measured best_of_rounds(const Scenario *scenario, Listening listening)
{
    Measured best = measure(scenario, listening);
    for (int32_t round = 1; round < ROUNDS; round++) {
        Measured again = measure(scenario, listening);
        if (again.seconds < best.seconds)
            best = again;
    }
    return best;
}

/* --- What is printed --- */

static bool bench_jobs(void)
{
    enum { NODES = 1000, JOBS = 100000 };
    Arena *arena = arena_create();
    const Scenario *scenario = scenario_of_jobs(arena, NODES, JOBS);
    bool is_met = true;
    printf("%-24s %9s %9s %11s %9s\n", "listening", "events", "seconds", "M events/s", "ns/event");
    for (Listening listening = 0; listening < LISTEN_COUNT; listening++) {
        Measured measured = best_of_rounds(scenario, listening);
        double per_s = (double)measured.events / measured.seconds;
        printf("%-24s %9" PRId64 " %9.3f %11.2f %9.1f", listening_names[listening], measured.events,
               measured.seconds, per_s * 1e-6, 1e9 / per_s);
        if (listening == LISTEN_METRICS) {
            is_met = per_s >= EVENTS_PER_S_BAR;
            printf("  %s (%.0f)", is_met ? "met" : "MISSED", EVENTS_PER_S_BAR * 1e-6);
        }
        printf("\n");
        if (measured.succeeded != JOBS) {
            printf("%u of %d jobs succeeded\n", measured.succeeded, JOBS);
            is_met = false;
        }
    }
    arena_destroy(arena);
    return is_met;
}

/* One line of a table: the bytes beyond those of `base`, for each of `count` objects. */
static bool scale_line(int64_t count, Measured measured, size_t base, double bar_bytes)
{
    double bytes = (double)(measured.bytes - base) / (double)count;
    bool is_met = bytes <= bar_bytes;
    printf("%9" PRId64 " %10" PRId64 " %9.3f %9.1f %9.0f  %s (%.0f)\n", count, measured.events,
           measured.seconds, 1e9 * measured.seconds / (double)measured.events, bytes,
           is_met ? "met" : "MISSED", bar_bytes);
    fflush(stdout);
    return is_met;
}

static void scale_head(const char *title, const char *things)
{
    printf("%s\n%9s %10s %9s %9s %9s  %s\n", title, things, "events", "seconds", "ns/event",
           "bytes", "bar (bytes each)");
}

/* All jobs at once, so that the queue is as long as it can be. */
static void bench_policies(Arena *arena)
{
    enum { NODES = 1000, JOBS = 10000 };
    printf("%d jobs at one instant on %d nodes:\n%-12s %9s %9s\n", JOBS, NODES, "policy", "seconds",
           "us/job");
    for (PolicyKind policy = 0; policy < POLICY_COUNT; policy++) {
        Scenario *scenario = scenario_of_jobs(arena, NODES, JOBS);
        Workload *load = ARENA_NEW(arena, Workload);
        *load = scenario->workloads[0];
        load->arrivals = ARRIVALS_BURSTS;
        load->burst_jobs = JOBS;
        scenario->workloads = load;
        scenario->policy = policy;
        double seconds = measure(scenario, LISTEN_NOBODY).seconds;
        printf("%-12s %9.3f %9.1f\n", policy_of(policy)->name, seconds, 1e6 * seconds / JOBS);
    }
}

static bool bench_scale(void)
{
    Arena *arena = arena_create();
    bool is_met = true;
    scale_head("Jobs on 1,000 nodes that fail:", "jobs");
    size_t base = measure(scenario_of_jobs(arena, 1000, 0), LISTEN_NOBODY).bytes;
    for (int64_t jobs = 1000; jobs <= 1000000; jobs *= 10)
        is_met &= scale_line(jobs, measure(scenario_of_jobs(arena, 1000, jobs), LISTEN_NOBODY),
                             base, BYTES_PER_JOB_BAR);
    scale_head("Nodes provisioned:", "nodes");
    base = measure(scenario_of_nodes(arena, 0), LISTEN_NOBODY).bytes;
    for (int32_t nodes = 1000; nodes <= 1000000; nodes *= 10)
        is_met &= scale_line(nodes, measure(scenario_of_nodes(arena, nodes), LISTEN_NOBODY), base,
                             BYTES_PER_NODE_BAR);
    scale_head("Nodes provisioned, failing every thirty days and repaired, for a year:", "nodes");
    for (int32_t nodes = 1000; nodes <= 1000000; nodes *= 10) {
        Scenario *scenario = scenario_of_nodes(arena, nodes);
        scenario->failures.nodes = failure_model(arena, 30 * NS_PER_DAY);
        scenario->until_ns = 365 * NS_PER_DAY;
        is_met &= scale_line(nodes, measure(scenario, LISTEN_NOBODY), base, BYTES_PER_NODE_BAR);
    }
    bench_policies(arena);
    arena_destroy(arena);
    return is_met;
}

/* Prints "SECONDS SIMULATED-DAYS" of the best round. No listener is connected, as with the other
 * simulators. */
static bool bench_workload(void)
{
    Arena *arena = arena_create();
    Measured measured = best_of_rounds(scenario_of_jobs(arena, 1000, 100000), LISTEN_NOBODY);
    printf("%.6f %.3f\n", measured.seconds, (double)measured.simulated_ns / (double)NS_PER_DAY);
    arena_destroy(arena);
    return true;
}

int main(int argc, char **argv)
{
    bool is_met;
    if (argc == 2 && strcmp(argv[1], "jobs") == 0)
        is_met = bench_jobs();
    else if (argc == 2 && strcmp(argv[1], "scale") == 0)
        is_met = bench_scale();
    else if (argc == 2 && strcmp(argv[1], "workload") == 0)
        is_met = bench_workload();
    else {
        fprintf(stderr, "usage: bench_world jobs|scale|workload\n");
        return 2;
    }
    return is_met ? EXIT_SUCCESS : EXIT_FAILURE;
}
