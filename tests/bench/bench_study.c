/* Many small runs in one process, as a study makes them: world, metrics, summary, without files.
 *
 *     bench_study runs       runs a processor-second of shipped scenarios
 *     bench_study plan       a plan of a queue at 1 to 16 servers; both: exit code 1 when a bar is
 *                            missed
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
#include "sim/study/plan/plan_run.h"

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

/* --- A plan --- */

static const char plan_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"tests/sim/study/coverage/queue.json\",\n"
    " \"horizon\": {\"kind\": \"steady\", \"warm_up\": \"10d\", \"length\": \"50d\"},\n"
    " \"factors\": {\"servers\": {\"values\": \"1..16\"}, \"rate\": {\"values\": [\"0.32/h\"]}},\n"
    " \"minimise\": \"clusters.gpu.nodes_max\", \"indifference\": \"2%\",\n"
    " \"subject_to\": [{\"share\": \"waited_within(1h)\", \"at_least\": \"95%\"}]}";

/* The fewest servers with which 95 % of the jobs wait at most a tenth of a service time: 7, by
 * Erlang. From the text of the study to the answer, on one thread. */
static bool bench_plan(void)
{
    static const double bar_s = 1, bar_part = 0.4;
    double best_s = 1e9;
    PlanRun run;
    for (int32_t round = 0; round < ROUNDS; round++) {
        Arena *arena = arena_create();
        Problems problems = problems_create(arena);
        const double begin_s = clock_s();
        const Json *root =
            json_parse(arena, "bench", plan_text, strlen(plan_text), JSON_STRICT, &problems);
        const Study *study =
            root ? study_read_tree(arena, disk_files, "study.json", root, &problems) : NULL;
        const SweepOptions options = {.version = "bench",
                                      .thread_count = 1,
                                      .time_limit_ns = INT64_MAX,
                                      .shard = {0, 1},
                                      .is_quiet = true,
                                      .run = sweep_on_threads};
        if (study == NULL || !plan_run(arena, study, disk_files, &options, &run, &problems)) {
            fprintf(stderr, "plan: %s\n", problems.items[0].message);
            exit(2);
        }
        const double took_s = clock_s() - begin_s;
        best_s = took_s < best_s ? took_s : best_s;
        arena_destroy(arena);
    }
    const double part = (double)run.outcome.run_count / run.outcome.grid_run_count;
    const bool is_met = best_s <= bar_s && part <= bar_part;
    printf("plan of M/M/c, 16 candidates: %" PRId32 " servers in %.2f s, %" PRId64
           " runs, %.0f %% of a full grid  %s (1 s, 40 %%)\n",
           run.outcome.winner + 1, best_s, run.outcome.run_count, 100 * part,
           is_met ? "met" : "MISSED");
    return is_met;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "plan") == 0)
        return bench_plan() ? EXIT_SUCCESS : EXIT_FAILURE;
    if (argc == 2 && strcmp(argv[1], "runs") == 0)
        return bench_runs() ? EXIT_SUCCESS : EXIT_FAILURE;
    fprintf(stderr, "usage: bench_study runs|plan\n");
    return 2;
}
