#include "sim/study/single_run.h"

#include <math.h>
#include <string.h>

#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/output/trace/fan.h"
#include "sim/scenario/steady.h"
#include "sim/study/journal/journal.h"
#include "sim/study/policy/study_policy.h"

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
        parts += measure_part_count(metric_kind(point->metrics[i]));
    }
    memset(outcome->flags + point->metric_count, 0,
           (size_t)(point->value_count - point->metric_count) * sizeof *outcome->flags);
}

/* Runs all events; false: stopped. */
static bool run_events(World *world, const atomic_bool *is_stopped)
{
    enum { EVENTS_BETWEEN_LOOKS = 1024 };
    while (world_run_some(world, EVENTS_BETWEEN_LOOKS))
        if (atomic_load_explicit(is_stopped, memory_order_relaxed))
            return false;
    world_run(world);
    return true;
}

static Scenario scenario_of(Arena *arena, const PointScenario *point, const SteadyPlan *plan,
                            uint64_t seed)
{
    Scenario scenario = point->file->scenario;
    scenario.seed = seed;
    if (point->policy != NULL) // one run at a time may use it
        study_policy_give(point->policy, arena, &scenario);
    if (plan == NULL)
        return scenario;
    scenario_make_steady(arena, &scenario, steady_window(plan));
    return scenario;
}

typedef struct {
    const RunMetrics *metrics;
    RunFacts facts;
    const Summary *summary;
} EndedRun;

static WaitingFold *join_waiting(Arena *arena, TraceFan *fan)
{
    WaitingFold *waiting = waiting_fold_create(arena);
    trace_fan_join(fan, waiting_fold_listener(waiting));
    return waiting;
}

/* Runs a world to its end; false: stopped. */
static bool run_to_end(Arena *arena, const PointScenario *point, const Scenario *scenario,
                       const char *version, const atomic_bool *is_stopped, EndedRun *run)
{
    TraceFan *fan = trace_fan_create(arena);
    MetricsFold *fold = metrics_fold_create(arena);
    metrics_fold_measure(fold, scenario);
    trace_fan_join(fan, metrics_fold_listener(fold, TRACE_LEVEL_STEPS));
    WaitingFold *waiting = point->needs_waiting ? join_waiting(arena, fan) : NULL;
    World *world = world_create(arena, scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    if (waiting != NULL)
        waiting_fold_watch(waiting, world);
    world_forget_ended(world);
    if (!run_events(world, is_stopped))
        return false;
    if (point->policy != NULL)
        study_policy_look(point->policy, scenario);
    run->metrics = metrics_fold_result(fold);
    run->facts = run_facts_of_world(arena, world, waiting, version);
    run->summary = summary_of_run(arena, &run->facts, run->metrics, NULL);
    return true;
}

/* Piece `batch` of the measured part of a run. */
static MeasureWindow batch_window(const SteadyPlan *plan, int32_t batch)
{
    const int64_t piece_ns = plan->length_ns / STEADY_BATCHES;
    const int64_t from_ns = plan->warm_up_ns + batch * piece_ns;
    return (MeasureWindow){.from_ns = from_ns,
                           .until_ns = batch == STEADY_BATCHES - 1
                                           ? plan->warm_up_ns + plan->length_ns
                                           : from_ns + piece_ns};
}

/* The metrics of each piece of the measured part. */
static void take_batches(Arena *arena, const PointScenario *point, const SteadyPlan *plan,
                         const EndedRun *run, RunOutcome *outcome)
{
    double *batches = outcome->values + point->value_count - STEADY_PARTS -
                      (size_t)point->metric_count * STEADY_BATCHES;
    for (int32_t b = 0; b < STEADY_BATCHES; b++) {
        RunFacts facts = run->facts;
        facts.measure = batch_window(plan, b);
        const Summary *summary = summary_of_run(arena, &facts, run->metrics, NULL);
        for (int32_t m = 0; m < point->metric_count; m++) {
            const MetricValue found = metric_of(point->metrics[m], summary);
            batches[m * STEADY_BATCHES + b] = found.is_known ? found.value : (double)NAN;
        }
    }
}

static void take_steady(const PointScenario *point, const SteadyPlan *plan, const Summary *summary,
                        RunOutcome *outcome)
{
    double *parts = outcome->values + point->value_count - STEADY_PARTS;
    parts[STEADY_WARM_UP_S] = (double)plan->warm_up_ns / (double)NS_PER_S;
    parts[STEADY_LENGTH_S] = (double)plan->length_ns / (double)NS_PER_S;
    parts[STEADY_MARK] = plan->mark;
    parts[STEADY_NEEDED_JOBS] = plan->needed_jobs;
    parts[STEADY_JOBS] = (double)summary->submitted;
}

bool single_run(Arena *scratch, const PointScenario *point, const SteadyPlan *plan, uint64_t seed,
                const char *version, const atomic_bool *is_stopped, RunOutcome *outcome)
{
    EndedRun run;
    const Scenario scenario = scenario_of(scratch, point, plan, seed);
    if (!run_to_end(scratch, point, &scenario, version, is_stopped, &run))
        return false;
    take_values(point, run.summary, outcome);
    if (plan != NULL)
        take_steady(point, plan, run.summary, outcome);
    if (plan != NULL && point->has_batches)
        take_batches(scratch, point, plan, &run, outcome);
    outcome->fingerprint = fingerprint_of(run.summary, run.metrics, outcome, point->metric_count);
    outcome->job_count = run.metrics->job_count;
    outcome->events = run.metrics->events;
    return true;
}

const Summary *single_run_summary(Arena *arena, const PointScenario *point, const SteadyPlan *plan,
                                  uint64_t seed, const char *version)
{
    EndedRun run;
    const atomic_bool never = false;
    const Scenario scenario = scenario_of(arena, point, plan, seed);
    return run_to_end(arena, point, &scenario, version, &never, &run) ? run.summary : NULL;
}

/* --- Pilot runs --- */

/* When the first of the workloads had submitted all of its jobs. */
static int64_t arrivals_end(Arena *scratch, const Scenario *scenario, const EndedRun *ended)
{
    int64_t *last_ns = ARENA_ARRAY(scratch, int64_t, scenario->workload_count + 1);
    for (uint32_t i = 0; i < ended->metrics->job_count; i++)
        last_ns[ended->facts.jobs[i].workload] = run_job(ended->metrics, i)->submitted_ns;
    int64_t first_ns = INT64_MAX;
    for (int32_t w = 1; w <= scenario->workload_count; w++)
        first_ns = last_ns[w] < first_ns ? last_ns[w] : first_ns;
    return first_ns;
}

/* Jobs have the order of their submission. */
static void take_waits(Arena *arena, const RunMetrics *metrics, PilotRun *run)
{
    run->waits = ARENA_ARRAY(arena, double, metrics->job_count);
    run->submitted_ns = ARENA_ARRAY(arena, int64_t, metrics->job_count);
    run->job_count = 0;
    for (uint32_t i = 0; i < metrics->job_count; i++) {
        const JobMetrics *job = run_job(metrics, i);
        if (job->path == NULL || job->submitted_ns > run->arrivals_end_ns)
            continue;
        run->waits[run->job_count] = (double)job->queue_ns / (double)NS_PER_S;
        run->submitted_ns[run->job_count++] = job->submitted_ns;
    }
}

bool single_run_pilot(Arena *arena, Arena *scratch, const PointScenario *point,
                      const PilotPlan *plan, const char *version, const atomic_bool *is_stopped,
                      PilotRun *run)
{
    EndedRun ended;
    Scenario scenario = scenario_of(scratch, point, NULL, plan->seed);
    scenario_set_arrivals(scratch, &scenario, INT64_MAX, plan->jobs);
    scenario.measure = (MeasureWindow){.from_ns = plan->from_ns};
    if (!run_to_end(scratch, point, &scenario, version, is_stopped, &ended))
        return false;
    run->arrivals_end_ns = arrivals_end(scratch, &scenario, &ended);
    take_waits(arena, ended.metrics, run);
    run->values = ARENA_ARRAY(arena, double, point->metric_count);
    for (int32_t i = 0; i < point->metric_count; i++) {
        const MetricValue found = metric_of(point->metrics[i], ended.summary);
        run->values[i] = found.is_known ? found.value : (double)NAN;
    }
    return true;
}
