#include "sim/study/check/scenario_check.h"

#include <inttypes.h>
#include <math.h>

#include "sim/cli/progress.h"
#include "sim/output/metrics/waiting.h"
#include "sim/output/summary/summary.h"
#include "sim/output/trace/fan.h"
#include "sim/study/check/expectations.h"

/* --- One run --- */

/* Runs the scenario with `seed`, watched for its expectations if `is_watched`. */
static WatchedRun run_world(Arena *arena, const ScenarioFile *file, uint64_t seed, bool is_watched,
                            const ScenarioCheck *check)
{
    WatchedRun run = {.file = file};
    Scenario *scenario = ARENA_NEW(arena, Scenario);
    *scenario = file->scenario;
    scenario->seed = seed;
    TraceFan *fan = trace_fan_create(arena);
    MetricsFold *metrics = metrics_fold_create(arena);
    metrics_fold_measure(metrics, scenario);
    WaitingFold *waiting = waiting_fold_create(arena);
    trace_fan_join(fan, waiting_fold_listener(waiting));
    trace_fan_join(fan, metrics_fold_listener(metrics, TRACE_LEVEL_STEPS));
    if (is_watched) {
        run.watched = expectations_watch(arena, file);
        trace_fan_join(fan, run_watch_listener(run.watched.watch));
    }
    World *world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    waiting_fold_watch(waiting, world);
    if (is_watched)
        run_watch_begin(run.watched.watch, world);
    if (check->checks_always)
        world_check_always(world);
    world_run(world);
    RunFacts *facts = ARENA_NEW(arena, RunFacts);
    *facts = run_facts_of_world(arena, world, waiting, check->version);
    run.world = world;
    run.metrics = metrics_fold_result(metrics);
    run.summary = summary_of_run(arena, facts, run.metrics, NULL);
    return run;
}

/* --- Several runs --- */

/* The number of runs that an expectation over several runs needs; 0: it is about one run. */
static int32_t seeds_of(const Expectation *expectation, const ScenarioCheck *check)
{
    if (expectation->kind != EXPECT_STATISTIC)
        return 0;
    return check->seeds > 0 ? (int32_t)check->seeds : expectation->seeds;
}

/* The value of each expectation's metric in each run: values[expectation][seed - first seed]; NAN
 * if the run has none. */
static double **sample_metrics(Arena *arena, const WatchedRun *tested, const ScenarioCheck *check)
{
    const ScenarioFile *file = tested->file;
    double **values = ARENA_ARRAY(arena, double *, file->expectation_count);
    int32_t most = 0;
    for (int32_t e = 0; e < file->expectation_count; e++) {
        int32_t seeds = seeds_of(&file->expectations[e], check);
        values[e] = ARENA_ARRAY(arena, double, seeds);
        most = seeds > most ? seeds : most;
    }
    Progress progress = progress_start("seeds", most, check->is_quiet);
    for (int32_t s = 0; s < most; s++) {
        Arena *run_arena = arena_create();
        const WatchedRun run =
            run_world(run_arena, file, file->scenario.seed + (uint64_t)s, false, check);
        for (int32_t e = 0; e < file->expectation_count; e++)
            if (s < seeds_of(&file->expectations[e], check))
                values[e][s] = expectations_sample_value(&file->expectations[e],
                                                         tested->expected[e], run.summary);
        arena_destroy(run_arena);
        progress_update(&progress, s + 1);
    }
    progress_end(&progress);
    return values;
}

/* The seed to reproduce a failure with: the first run without a value, or else the run whose value
 * is furthest from the expected one. */
static uint64_t worst_seed(const Expectation *expectation, const MetricSample *sample)
{
    int32_t worst = 0;
    bool wants_less = expectation->high < INFINITY;
    for (int32_t i = 0; i < sample->count; i++) {
        if (!isfinite(sample->values[i]))
            return sample->first_seed + (uint64_t)i;
        if (wants_less ? sample->values[i] > sample->values[worst]
                       : sample->values[i] < sample->values[worst])
            worst = i;
    }
    return sample->first_seed + (uint64_t)worst;
}

/* --- Expectations --- */

/* The case of one expectation, in `arena`; it does not refer to the run's memory. */
static TestCase case_of(Arena *arena, const char *path, const Expectation *expectation,
                        const ExpectAnswer *found)
{
    Place at = expectation->at;
    at.source = arena_strdup(arena, at.source);
    return (TestCase){.scenario = path,
                      .name = arena_strdup(arena, expectation->text),
                      .holds = found->holds,
                      .expected = arena_strdup(arena, found->expected),
                      .got = arena_strdup(arena, found->got),
                      .at = at};
}

static TestCase statistic_case(Arena *arena, Arena *run_arena, const char *path,
                               const Expectation *expectation, const MetricSample *sample)
{
    const ExpectAnswer found = expectations_statistic(run_arena, expectation, sample);
    TestCase test = case_of(arena, path, expectation, &found);
    test.reproduce = arena_printf(arena, "run %s --seed %" PRIu64 " --json", path,
                                  worst_seed(expectation, sample));
    return test;
}

static TestCase answer_case(Arena *arena, const char *path, const ScenarioFile *file, int32_t index,
                            const ExpectAnswer *found)
{
    TestCase test = case_of(arena, path, &file->expectations[index], found);
    if (!found->holds)
        test.records = expectations_records(arena, file, index, found, &test.record_count);
    if (found->has_instant) // the trace shows the instant, a summary does not
        test.reproduce = arena_printf(arena, "run %s -o out", path);
    return test;
}

static void add_cases(Arena *arena, Arena *run_arena, const char *path, const WatchedRun *run,
                      const ScenarioCheck *check, TestCaseSink sink)
{
    const ScenarioFile *file = run->file;
    const ExpectAnswer *answers = expectations_answers(run_arena, run);
    double **values = sample_metrics(run_arena, run, check);
    for (int32_t i = 0; i < file->expectation_count; i++) {
        const Expectation *expectation = &file->expectations[i];
        const MetricSample sample = {.first_seed = file->scenario.seed,
                                     .count = seeds_of(expectation, check),
                                     .values = values[i]};
        sink.add(sink.to, expectation->kind == EXPECT_STATISTIC
                              ? statistic_case(arena, run_arena, path, expectation, &sample)
                              : answer_case(arena, path, file, i, &answers[i]));
    }
}

/* The scenario, ready to run, and the metrics of its expectations. NULL with problems. */
static ScenarioFile *read_scenario(Arena *arena, FileSource files, const char *path,
                                   const ScenarioCheck *check, const Metric *const **expected,
                                   Problems *problems)
{
    const int32_t before = problems->count;
    ScenarioFile *file = scenario_read(arena, files, path, check->overrides, problems);
    if (file == NULL)
        return NULL;
    *expected = expectations_metrics(arena, file, problems);
    if (check->prepare != NULL)
        check->prepare(check->owner, file, problems);
    return problems->count == before ? file : NULL;
}

void scenario_check(Arena *arena, Arena *run_arena, FileSource files, const char *path,
                    const ScenarioCheck *check, TestCaseSink sink, Problems *problems)
{
    WatchedRun run = {0};
    const Metric *const *expected = NULL;
    const ScenarioFile *file = read_scenario(run_arena, files, path, check, &expected, problems);
    if (file != NULL) {
        run = run_world(run_arena, file, file->scenario.seed, true, check);
        run.expected = expected;
    }
    sink.add(sink.to, (TestCase){.scenario = path,
                                 .name = "runs",
                                 .holds = file != NULL,
                                 .expected = "a scenario that can be run",
                                 .got = "the problems that are reported",
                                 .at = place_in(path, 0, 0)});
    if (file != NULL)
        add_cases(arena, run_arena, path, &run, check, sink);
}
