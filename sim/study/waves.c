#include "sim/study/waves.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/study/statistics/stopping.h"

#define UNIT_LEAST_NS (50 * NS_PER_MS)
enum { PILOTS_MAX = 32, CONFIDENCE_PERCENT = 95 };

typedef struct {
    int32_t end;     /* of the present wave */
    int32_t given;   /* replications before this one have been handed out, or are known */
    bool is_started; /* in `active`, or was */
    bool has_decided;
} PointWaves;

typedef struct {
    int32_t point;
    int64_t run_ns;
} TimedPoint;

struct Waves {
    const Study *study;
    const Results *results;
    PointWaves *points; /* [point_count] */
    int32_t decided_count;
    int32_t order_count; /* points of this shard */
    TimedPoint *order;   /* in which they are started */
    int32_t next_start;  /* in `order` */
    int32_t active_count;
    int32_t *active; /* started points without a decision */
    int32_t pilot_count;
    int32_t pilots[PILOTS_MAX];
    int32_t pilot_next;
    bool is_ordered; /* by the pilot's times */
    double *scratch; /* [at_most] */
};

/* --- Decisions --- */

int32_t wave_after(const SeedPlan *seeds, int32_t n)
{
    const StoppingRule rule = {.at_least = seeds->at_least, .at_most = seeds->at_most};
    return seeds->rule_count > 0 ? stopping_next(&rule, n) : n;
}

static double rule_excess(const Results *results, const StopRule *rule, int32_t point, int32_t n,
                          double *values)
{
    int32_t lower_bounds;
    const int32_t known = results_values(results, point, rule->metric, n, values, &lower_bounds);
    if (known < n || known < 2)
        return (double)INFINITY;
    const Estimate estimate = estimate_mean(values, known, CONFIDENCE_PERCENT / 100.0);
    return estimate_relative_half_width(&estimate) * (double)PPM / (double)rule->width_ppm;
}

double waves_excess(const Study *study, const Results *results, int32_t point, int32_t n)
{
    double worst = 0;
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, n);
    for (int32_t i = 0; i < study->seeds.rule_count; i++) {
        const double excess = rule_excess(results, &study->seeds.rules[i], point, n, values);
        worst = excess > worst ? excess : worst;
    }
    arena_destroy(scratch);
    return worst;
}

/* Once all runs of the wave are known: ends the point, or begins its next wave. */
static void decide(Waves *waves, int32_t point)
{
    PointWaves *state = &waves->points[point];
    const SeedPlan *seeds = &waves->study->seeds;
    while (!state->has_decided && waves->results->points[point].prefix >= state->end) {
        const int32_t next = wave_after(seeds, state->end);
        if (next == state->end ||
            waves_excess(waves->study, waves->results, point, state->end) <= 1) {
            state->has_decided = true;
            waves->decided_count++;
        }
        if (!state->has_decided)
            state->end = next;
    }
}

/* --- Units --- */

/* The next run of the wave that is not known; `end` when all have been handed out. */
static int32_t skip_known(const Waves *waves, int32_t point)
{
    PointWaves *state = &waves->points[point];
    while (state->given < state->end && results_have(waves->results, point, state->given))
        state->given++;
    return state->given;
}

static bool hand_out(Waves *waves, int32_t point, Unit *unit)
{
    PointWaves *state = &waves->points[point];
    if (state->has_decided || skip_known(waves, point) >= state->end)
        return false;
    const int64_t run_ns = results_mean_ns(waves->results, point);
    const int64_t most = run_ns > 0 ? UNIT_LEAST_NS / run_ns + 1 : 1;
    *unit = (Unit){.point = point, .first = state->given};
    while (state->given < state->end && unit->count < most &&
           !results_have(waves->results, point, state->given)) {
        state->given++;
        unit->count++;
    }
    return true;
}

static void forget_decided(Waves *waves)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < waves->active_count; i++)
        if (!waves->points[waves->active[i]].has_decided)
            waves->active[kept++] = waves->active[i];
    waves->active_count = kept;
}

static UnitAnswer pilot_next(void *source, Unit *unit)
{
    Waves *waves = source;
    while (waves->pilot_next < waves->pilot_count) {
        const int32_t point = waves->pilots[waves->pilot_next++];
        if (results_have(waves->results, point, 0))
            continue;
        waves->points[point].given = 1;
        *unit = (Unit){.point = point, .first = 0, .count = 1};
        return UNIT_READY;
    }
    for (int32_t i = 0; i < waves->pilot_count; i++)
        if (!results_have(waves->results, waves->pilots[i], 0))
            return UNIT_LATER;
    return UNIT_NONE;
}

/* Longest runs first; equal ones in the order of the study. */
static int by_time(const void *left, const void *right)
{
    const TimedPoint *a = left, *b = right;
    if (a->run_ns != b->run_ns)
        return a->run_ns > b->run_ns ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

/* Points without a run of their own get the time of the last pilot before them. */
static void order_points(Waves *waves)
{
    int64_t run_ns = 0;
    for (int32_t i = 0; i < waves->order_count; i++) {
        const PointResults *results = &waves->results->points[waves->order[i].point];
        if (results->timed_count > 0)
            run_ns = results->timed_ns / results->timed_count;
        waves->order[i].run_ns = run_ns;
    }
    qsort(waves->order, (size_t)waves->order_count, sizeof *waves->order, by_time);
    waves->is_ordered = true;
}

static UnitAnswer next_unit(void *source, Unit *unit)
{
    Waves *waves = source;
    const UnitAnswer pilot = pilot_next(source, unit);
    if (pilot != UNIT_NONE)
        return pilot;
    if (!waves->is_ordered)
        order_points(waves);
    for (int32_t i = 0; i < waves->active_count; i++)
        if (hand_out(waves, waves->active[i], unit))
            return UNIT_READY;
    while (waves->next_start < waves->order_count) {
        const int32_t point = waves->order[waves->next_start++].point;
        decide(waves, point);
        if (waves->points[point].has_decided)
            continue;
        waves->active[waves->active_count++] = point;
        if (hand_out(waves, point, unit))
            return UNIT_READY;
    }
    return waves->active_count > 0 ? UNIT_LATER : UNIT_NONE;
}

static void unit_done(void *source, const Unit *unit)
{
    Waves *waves = source;
    decide(waves, unit->point);
    if (waves->points[unit->point].has_decided)
        forget_decided(waves);
}

UnitSource waves_source(Waves *waves)
{
    return (UnitSource){.source = waves, .next = next_unit, .done = unit_done};
}

static void pilot_done(void *source, const Unit *unit)
{
    (void)source, (void)unit;
}

UnitSource waves_pilot_source(Waves *waves)
{
    return (UnitSource){.source = waves, .next = pilot_next, .done = pilot_done};
}

/* --- The whole --- */

static void choose_pilots(Waves *waves)
{
    const int32_t count = waves->order_count < PILOTS_MAX ? waves->order_count : PILOTS_MAX;
    for (int32_t i = 0; i < count; i++)
        waves->pilots[i] = waves->order[(int64_t)i * waves->order_count / count].point;
    waves->pilot_count = count;
}

Waves *waves_create(Arena *arena, const Study *study, const Results *results, int32_t shard,
                    int32_t shard_count)
{
    Waves *waves = ARENA_NEW(arena, Waves);
    *waves = (Waves){.study = study,
                     .results = results,
                     .points = ARENA_ARRAY(arena, PointWaves, study->point_count),
                     .order = ARENA_ARRAY(arena, TimedPoint, study->point_count),
                     .active = ARENA_ARRAY(arena, int32_t, study->point_count)};
    for (int32_t point = 0; point < study->point_count; point++)
        waves->points[point].end = study->seeds.at_least;
    for (int32_t point = shard; point < study->point_count; point += shard_count)
        waves->order[waves->order_count++].point = point;
    choose_pilots(waves);
    return waves;
}

int32_t waves_used(const Waves *waves, int32_t point)
{
    const int32_t known = waves->results->points[point].prefix;
    const int32_t end = waves->points[point].end;
    return known < end ? known : end;
}

bool waves_has_decided(const Waves *waves, int32_t point)
{
    return waves->points[point].has_decided;
}

int32_t waves_decided_count(const Waves *waves)
{
    return waves->decided_count;
}

int64_t waves_run_count(const Waves *waves)
{
    int64_t count = 0;
    for (int32_t i = 0; i < waves->order_count; i++)
        count += waves->points[waves->order[i].point].end;
    return count;
}

int64_t waves_done_count(const Waves *waves)
{
    int64_t count = 0;
    for (int32_t i = 0; i < waves->order_count; i++) {
        const int32_t point = waves->order[i].point;
        const int32_t end = waves->points[point].end;
        const PointResults *results = &waves->results->points[point];
        count += results->prefix < end ? results->prefix : end;
    }
    return count;
}
