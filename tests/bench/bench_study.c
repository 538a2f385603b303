/* Many small runs in one process, as a study makes them: world, metrics, summary, without files.
 *
 *     bench_study runs       runs a processor-second of shipped scenarios; exit code 1 when a bar
 * is missed
 *
 * Seconds are the processor's, so that other programs on the machine count less. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/cli/disk_files.h"
#include "sim/cloud/world.h"
#include "sim/output/summary/metrics.h"
#include "sim/output/summary/summary.h"
#include "sim/output/trace/fan.h"
#include "sim/scenario/read.h"

enum { ROUNDS = 5 };
#define SECONDS_PER_ROUND 0.4

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One run; `scratch` is empty before and after. Returns the number of events. */
static int64_t run_once(Arena *scratch, Scenario *scenario, uint64_t seed)
{
    scenario->seed = seed;
    TraceFan *fan = trace_fan_create(scratch);
    MetricsFold *fold = metrics_fold_create(scratch);
    trace_fan_join(fan, metrics_fold_listener(fold, TRACE_LEVEL_STEPS));
    World *world = world_create(scratch, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_run(world);
    const RunFacts facts = run_facts_of_world(scratch, world, NULL, "bench");
    const Summary *summary = summary_of_run(scratch, &facts, metrics_fold_result(fold), NULL);
    const int64_t events = summary->events;
    arena_reset(scratch);
    return events;
}

typedef struct {
    double runs_per_s; /* of the best round */
    double events;     /* of a run, on average */
} Measured;

static Measured measure(const Scenario *shared)
{
    Arena *scratch = arena_create();
    Scenario scenario = *shared;
    Measured best = {0};
    uint64_t seed = 0;
    for (int32_t round = 0; round < ROUNDS; round++) {
        const double begin_s = clock_s();
        double seconds = 0;
        int64_t runs = 0, events = 0;
        for (; seconds < SECONDS_PER_ROUND; seconds = clock_s() - begin_s, runs++)
            events += run_once(scratch, &scenario, ++seed);
        if ((double)runs / seconds > best.runs_per_s)
            best = (Measured){.runs_per_s = (double)runs / seconds,
                              .events = (double)events / (double)runs};
    }
    arena_destroy(scratch);
    return best;
}

/* A bar of 0: none. */
static bool bench_scenario(const char *name, double bar)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    char path[100];
    snprintf(path, sizeof path, "scenarios/workloads/%s/scenario.json", name);
    const ScenarioFile *file =
        scenario_read(arena, disk_files, path, (ScenarioOverrides){0}, &problems);
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, problems.items[0].message);
        exit(2);
    }
    const Measured measured = measure(&file->scenario);
    const bool is_met = measured.runs_per_s >= bar;
    printf("%-16s %8.0f %10.0f %11.2f", name, measured.events, measured.runs_per_s,
           measured.events * measured.runs_per_s * 1e-6);
    if (bar > 0)
        printf("  %s (%.0f)", is_met ? "met" : "MISSED", bar);
    printf("\n");
    arena_destroy(arena);
    return is_met;
}

static bool bench_runs(void)
{
    bool is_met = true;
    printf("%-16s %8s %10s %11s  %s\n", "scenario", "events", "runs/s", "M events/s",
           "bar (runs/s)");
    is_met &= bench_scenario("poisson", 15000);
    is_met &= bench_scenario("failing-month", 1000);
    is_met &= bench_scenario("bursts", 0);
    is_met &= bench_scenario("diurnal", 0);
    return is_met;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "runs") == 0)
        return bench_runs() ? EXIT_SUCCESS : EXIT_FAILURE;
    fprintf(stderr, "usage: bench_study runs\n");
    return 2;
}
