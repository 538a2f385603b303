#include "sim/study/single_run.h"

#include <math.h>
#include <string.h>

#include "sim/base/name_table.h"
#include "sim/output/trace/fan.h"
#include "sim/study/journal/journal.h"

static uint64_t fingerprint_of(const Summary *summary, const RunMetrics *run,
                               const RunOutcome *outcome, int32_t metric_count)
{
    const int64_t course[] = {run->events, run->draws, run->ended_ns, summary->cost_micro_usd};
    uint64_t hash = bytes_hash(HASH_START, course, sizeof course);
    hash = bytes_hash(hash, outcome->values, (uint64_t)metric_count * sizeof *outcome->values);
    return bytes_hash(hash, outcome->flags, (uint64_t)metric_count);
}

static void take_values(const PointScenario *point, const Summary *summary, RunOutcome *outcome)
{
    for (int32_t i = 0; i < point->metric_count; i++) {
        const MetricValue found = metric_of(point->metrics[i], summary);
        outcome->values[i] = found.is_known ? found.value : (double)NAN;
        outcome->flags[i] = found.is_known && found.is_lower_bound ? RUN_VALUE_IS_LOWER_BOUND : 0;
    }
    double *parts = outcome->values + point->metric_count;
    for (int32_t i = 0; i < point->metric_count; i++) {
        metric_parts(point->metrics[i], summary, parts);
        parts += metric_part_count(point->metrics[i]);
    }
    memset(outcome->flags + point->metric_count, 0,
           (size_t)(point->value_count - point->metric_count) * sizeof *outcome->flags);
}

/* Runs all instants; false: stopped. */
static bool run_instants(World *world, const atomic_bool *is_stopped)
{
    enum { INSTANTS_BETWEEN_LOOKS = 1024 };
    for (int64_t i = 1; world_run_instant(world); i++)
        if (i % INSTANTS_BETWEEN_LOOKS == 0 &&
            atomic_load_explicit(is_stopped, memory_order_relaxed))
            return false;
    world_run(world);
    return true;
}

/* Runs a world to its end; NULL: stopped. `*run` has its metrics. */
static const Summary *run_to_end(Arena *arena, const PointScenario *point, uint64_t seed,
                                 const char *version, const atomic_bool *is_stopped,
                                 const RunMetrics **run)
{
    Scenario scenario = point->file->scenario;
    scenario.seed = seed;
    TraceFan *fan = trace_fan_create(arena);
    MetricsFold *fold = metrics_fold_create(arena);
    metrics_fold_measure(fold, scenario.measure);
    trace_fan_join(fan, metrics_fold_listener(fold, TRACE_LEVEL_STEPS));
    World *world = world_create(arena, &scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_forget_ended(world);
    if (!run_instants(world, is_stopped))
        return NULL;
    *run = metrics_fold_result(fold);
    const RunFacts facts = run_facts_of_world(arena, world, version);
    return summary_of_run(arena, &facts, *run, NULL);
}

bool single_run(Arena *scratch, const PointScenario *point, uint64_t seed, const char *version,
                const atomic_bool *is_stopped, RunOutcome *outcome)
{
    const RunMetrics *run;
    const Summary *summary = run_to_end(scratch, point, seed, version, is_stopped, &run);
    if (summary == NULL)
        return false;
    take_values(point, summary, outcome);
    outcome->fingerprint = fingerprint_of(summary, run, outcome, point->metric_count);
    outcome->job_count = run->job_count;
    outcome->events = run->events;
    return true;
}

const Summary *single_run_summary(Arena *arena, const PointScenario *point, uint64_t seed,
                                  const char *version)
{
    const RunMetrics *run;
    const atomic_bool never = false;
    return run_to_end(arena, point, seed, version, &never, &run);
}
