/* Many small runs in one process, as a sweep makes them (single_run), without its threads and
 * journal.
 *
 *     bench_study runs           runs a processor-second of shipped scenarios; exit code 1 when a
 *                                bar is missed
 *     bench_study plan           a plan of a queue at 1 to 16 servers; exit code 1 likewise
 *     bench_study NAME RUNS      runs of one of the scenarios, for profilers
 *
 * Seconds are the processor's, so that other programs on the machine count less. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/cli/disk_files.h"
#include "sim/output/summary/metric.h"
#include "sim/scenario/read.h"
#include "sim/study/answer/plan_run.h"
#include "sim/study/single_run.h"

enum { ROUNDS = 5 };
#define SECONDS_PER_ROUND 0.4

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The metrics of workloads; "%s" is the name of the scenario's workload. */
static const char *const metric_formats[] = {"workloads.%s.queue_s.mean",
                                             "workloads.%s.queue_s.p95", "cost_usd.total",
                                             "workloads.%s.waited_within(20m)", "utilisation"};
enum { METRICS = sizeof metric_formats / sizeof metric_formats[0] };

/* A point without settings. */
static PointScenario point_of(Arena *arena, const ScenarioFile *file, Problems *problems)
{
    const Metric **metrics = ARENA_ARRAY(arena, const Metric *, METRICS);
    PointScenario point = {
        .file = file, .metrics = metrics, .metric_count = METRICS, .value_count = METRICS};
    MetricNames *names = metric_names_create(arena, &file->scenario);
    for (int32_t i = 0; i < METRICS; i++) {
        const char *name = arena_printf(arena, metric_formats[i], file->scenario.workloads[0].name);
        metrics[i] = metric_compile(arena, names, name, (Place){0}, problems);
        if (metrics[i] == NULL)
            break;
        point.value_count += measure_part_count(metric_kind(metrics[i]));
    }
    return point;
}

/* The shipped scenario `name` as a point. Ends the program if it cannot be read. */
static PointScenario read_point(Arena *arena, const char *name)
{
    Problems problems = problems_create(arena);
    const char *path = arena_printf(arena, "scenarios/workloads/%s/scenario.json", name);
    const ScenarioFile *file =
        scenario_read(arena, disk_files, path, (ScenarioOverrides){0}, &problems);
    PointScenario point = {0};
    if (file != NULL)
        point = point_of(arena, file, &problems);
    if (problems.count > 0) {
        fprintf(stderr, "%s: %s\n", path, problems.items[0].message);
        exit(2);
    }
    return point;
}

typedef struct {
    Arena *scratch; /* empty before and after each run */
    const PointScenario *point;
    RunOutcome outcome;
} Bench;

static Bench bench_start(Arena *arena, const PointScenario *point)
{
    return (Bench){.scratch = arena_create(),
                   .point = point,
                   .outcome = {.values = ARENA_ARRAY(arena, double, point->value_count),
                               .flags = ARENA_ARRAY(arena, uint8_t, point->value_count)}};
}

/* Returns the number of events. */
static int64_t run_once(Bench *bench, uint64_t seed)
{
    const atomic_bool never = false;
    if (!single_run(bench->scratch, bench->point, NULL, seed, "bench", &never, &bench->outcome))
        exit(2);
    arena_reset(bench->scratch);
    return bench->outcome.events;
}

typedef struct {
    double runs_per_s; /* of the best round */
    double events;     /* of a run, on average */
} Measured;

static Measured measure(Bench *bench)
{
    Measured best = {0};
    uint64_t seed = 0;
    for (int32_t round = 0; round < ROUNDS; round++) {
        const double begin_s = clock_s();
        double seconds = 0;
        int64_t runs = 0, events = 0;
        for (; seconds < SECONDS_PER_ROUND; seconds = clock_s() - begin_s, runs++)
            events += run_once(bench, ++seed);
        if ((double)runs / seconds > best.runs_per_s)
            best = (Measured){.runs_per_s = (double)runs / seconds,
                              .events = (double)events / (double)runs};
    }
    return best;
}

/* A bar of 0: none. */
static bool bench_scenario(const char *name, double bar)
{
    Arena *arena = arena_create();
    const PointScenario point = read_point(arena, name);
    Bench bench = bench_start(arena, &point);
    const Measured measured = measure(&bench);
    const bool is_met = measured.runs_per_s >= bar;
    printf("%-16s %8.0f %10.0f %11.2f", name, measured.events, measured.runs_per_s,
           measured.events * measured.runs_per_s * 1e-6);
    if (bar > 0)
        printf("  %s (%.0f)", is_met ? "met" : "MISSED", bar);
    printf("\n");
    arena_destroy(bench.scratch);
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

static void run_for_profiler(const char *name, long runs)
{
    Arena *arena = arena_create();
    const PointScenario point = read_point(arena, name);
    Bench bench = bench_start(arena, &point);
    int64_t events = 0;
    for (long i = 1; i <= runs; i++)
        events += run_once(&bench, (uint64_t)i);
    printf("%s: %.0f events a run\n", name, (double)events / (double)runs);
    arena_destroy(bench.scratch);
    arena_destroy(arena);
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
    if (argc == 3) {
        run_for_profiler(argv[1], strtol(argv[2], NULL, 10));
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: bench_study runs | plan | NAME RUNS\n");
    return 2;
}
