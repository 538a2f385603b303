#include "sim/study/waves.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/study/point_estimate.h"
#include "sim/study/statistics/forecast.h"
#include "sim/study/statistics/stopping.h"

#define UNIT_LEAST_NS (50 * NS_PER_MS)
enum { PILOTS_MAX = 32, FORECAST_RUNS = 10 };

typedef struct {
    int32_t end;    /* of the present wave */
    int32_t given;  /* replications before this one are known, handed out or of another shard */
    int32_t flying; /* runs that are handed out and not done */
    bool has_decided;
} PointWaves;

typedef struct {
    int32_t point;
    int64_t run_ns;
} TimedPoint;

struct Waves {
    const Study *study;
    const Results *results;
    ShardPlan plan;
    int64_t run_count, done_count; /* of this shard, in the waves so far */
    PointWaves *points;            /* [point_count] */
    int32_t decided_count;
    int32_t order_count;
    TimedPoint *order;  /* in which points are started */
    int32_t next_start; /* in `order` */
    int32_t active_count;
    int32_t *active; /* started points without a decision */
    int32_t pilot_count;
    int32_t pilots[PILOTS_MAX];
    int32_t pilot_next;
    int32_t pilot_runs; /* of each pilot */
    bool is_ordered;    /* by the pilot's times */
};

/* --- Decisions --- */

/* The replications at which the wave of `n` replications is followed by another: the end of the
 * next wave; `n` itself if it is the last. */
static int32_t wave_after(const SeedPlan *seeds, int32_t n)
{
    return seeds->rule_count > 0 ? stopping_next(seeds->at_least, seeds->at_most, n) : n;
}

/* A plan that is marked gets no better by more runs. */
static bool is_given_up(const Results *results, int32_t point)
{
    SteadyPlan plan;
    return results_plan(results, point, 0, &plan) && plan.mark != STEADY_GOOD;
}

double waves_excess(const Study *study, const Results *results, int32_t point, int32_t n)
{
    double worst = 0;
    for (int32_t i = 0; i < study->seeds.rule_count; i++) {
        const double excess = rule_excess(results, &study->seeds.rules[i], point, n);
        worst = excess > worst ? excess : worst;
    }
    return worst;
}

int32_t waves_forecast(const Study *study, const Results *results, int32_t point)
{
    const SeedPlan *seeds = &study->seeds;
    const int32_t known = results->points[point].prefix;
    double runs = seeds->at_least;
    if (known < 2)
        return 0;
    if (is_given_up(results, point))
        return seeds->at_least;
    for (int32_t i = 0; i < seeds->rule_count; i++) {
        // The half-width of a known rule over its limit, as an estimate of 1.
        const Estimate estimate = {.mean = 1,
                                   .half_width =
                                       rule_excess(results, &seeds->rules[i], point, known),
                                   .count = known,
                                   .confidence = STUDY_CONFIDENCE};
        runs = isfinite(estimate.half_width) ? fmax(runs, forecast_runs(&estimate, 1))
                                             : (double)INFINITY;
    }
    int32_t n = seeds->at_least;
    while (n < runs && wave_after(seeds, n) > n)
        n = wave_after(seeds, n);
    return n;
}

/* Whether this shard runs the replication now: it is its own, and not known. */
static bool is_wanted(const Waves *waves, int32_t point, int32_t replication)
{
    return shard_has(&waves->plan, point, replication) &&
           !results_have(waves->results, point, replication);
}

/* Extends the point's waves to `end` replications. */
static void begin_wave(Waves *waves, int32_t point, int32_t end)
{
    PointWaves *state = &waves->points[point];
    for (int32_t r = state->end; r < end; r++) {
        const bool is_own = shard_has(&waves->plan, point, r);
        waves->run_count += is_own;
        waves->done_count += is_own && results_have(waves->results, point, r);
    }
    state->end = end;
}

/* Once all runs of the wave are known: ends the point, or begins its next wave. */
static void decide(Waves *waves, int32_t point)
{
    PointWaves *state = &waves->points[point];
    const SeedPlan *seeds = &waves->study->seeds;
    while (!state->has_decided && waves->results->points[point].prefix >= state->end) {
        const int32_t next = wave_after(seeds, state->end);
        if (next == state->end || is_given_up(waves->results, point) ||
            waves_excess(waves->study, waves->results, point, state->end) <= 1) {
            state->has_decided = true;
            waves->decided_count++;
        }
        if (!state->has_decided)
            begin_wave(waves, point, next);
    }
}

static void decide_known(Waves *waves)
{
    for (int32_t point = 0; point < waves->study->point_count; point++)
        decide(waves, point);
}

/* --- Units --- */

static bool hand_out(Waves *waves, int32_t point, Unit *unit)
{
    PointWaves *state = &waves->points[point];
    while (state->given < state->end && !is_wanted(waves, point, state->given))
        state->given++;
    if (state->has_decided || state->given == state->end)
        return false;
    const int64_t run_ns = results_mean_ns(waves->results, point);
    const int64_t most = run_ns > 0 ? UNIT_LEAST_NS / run_ns + 1 : 1;
    *unit = (Unit){.point = point, .first = state->given};
    while (state->given < state->end && unit->count < most &&
           is_wanted(waves, point, state->given)) {
        state->given++;
        unit->count++;
    }
    state->flying += unit->count;
    return true;
}

/* Whether this shard has nothing to do for the point: it is decided, or the rest of its wave is in
 * other shards. */
static bool is_finished(const Waves *waves, int32_t point)
{
    const PointWaves *state = &waves->points[point];
    return state->has_decided || (state->given == state->end && state->flying == 0);
}

static void forget_finished(Waves *waves)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < waves->active_count; i++)
        if (!is_finished(waves, waves->active[i]))
            waves->active[kept++] = waves->active[i];
    waves->active_count = kept;
}

static UnitAnswer pilot_next(void *source, Unit *unit)
{
    Waves *waves = source;
    while (waves->pilot_next < waves->pilot_count) {
        const int32_t point = waves->pilots[waves->pilot_next++];
        if (!is_wanted(waves, point, 0))
            continue;
        waves->points[point].given = waves->pilot_runs;
        waves->points[point].flying = waves->pilot_runs;
        *unit = (Unit){.point = point, .first = 0, .count = waves->pilot_runs};
        return UNIT_READY;
    }
    for (int32_t i = 0; i < waves->pilot_count; i++)
        if (is_wanted(waves, waves->pilots[i], 0))
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

/* Points without a run that were measured get the time of the last pilot before them. */
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
        if (hand_out(waves, point, unit)) {
            waves->active[waves->active_count++] = point;
            return UNIT_READY;
        }
    }
    forget_finished(waves); // those of which all further runs are in other shards
    return waves->active_count > 0 ? UNIT_LATER : UNIT_NONE;
}

static void unit_done(void *source, const Unit *unit)
{
    Waves *waves = source;
    waves->points[unit->point].flying -= unit->count;
    waves->done_count += unit->count;
    decide(waves, unit->point);
    if (is_finished(waves, unit->point))
        forget_finished(waves);
}

UnitSource waves_source(Waves *waves)
{
    return (UnitSource){.source = waves, .next = next_unit, .done = unit_done};
}

static UnitSource waves_pilot_source(Waves *waves)
{
    const SeedPlan *seeds = &waves->study->seeds;
    if (seeds->rule_count > 0)
        waves->pilot_runs = seeds->at_least < FORECAST_RUNS ? seeds->at_least : FORECAST_RUNS;
    return (UnitSource){.source = waves, .next = pilot_next, .done = unit_done};
}

/* --- The whole --- */

static void choose_pilots(Waves *waves)
{
    const int32_t count = waves->order_count < PILOTS_MAX ? waves->order_count : PILOTS_MAX;
    for (int32_t i = 0; i < count; i++)
        waves->pilots[i] = waves->order[(int64_t)i * waves->order_count / count].point;
    waves->pilot_count = count;
}

Waves *waves_create(Arena *arena, const Study *study, const Results *results, Shard shard)
{
    Waves *waves = ARENA_NEW(arena, Waves);
    *waves = (Waves){.study = study,
                     .results = results,
                     .plan = shard_plan(shard, study->point_count, study->seeds.at_least,
                                        study->seeds.rule_count > 0),
                     .points = ARENA_ARRAY(arena, PointWaves, study->point_count),
                     .pilot_runs = 1,
                     .order_count = study->point_count,
                     .order = ARENA_ARRAY(arena, TimedPoint, study->point_count),
                     .active = ARENA_ARRAY(arena, int32_t, study->point_count)};
    for (int32_t point = 0; point < study->point_count; point++) {
        waves->order[point].point = point;
        begin_wave(waves, point, study->seeds.at_least);
    }
    choose_pilots(waves);
    return waves;
}

int32_t waves_used(const Waves *waves, int32_t point)
{
    const int32_t known = waves->results->points[point].prefix;
    const int32_t end = waves->points[point].end;
    return known < end ? known : end;
}

const int32_t *waves_all_used(Arena *arena, Waves *waves)
{
    const int32_t count = waves->study->point_count;
    int32_t *used = ARENA_ARRAY(arena, int32_t, count);
    decide_known(waves);
    for (int32_t point = 0; point < count; point++)
        used[point] = waves_used(waves, point);
    return used;
}

int32_t waves_decided_count(const Waves *waves)
{
    return waves->decided_count;
}

int64_t waves_run_count(const Waves *waves)
{
    return waves->run_count;
}

int64_t waves_done_count(const Waves *waves)
{
    return waves->done_count;
}

bool waves_are_done(const Waves *waves)
{
    return waves->done_count == waves->run_count;
}

int64_t waves_missing_count(const Waves *waves)
{
    int64_t count = 0;
    for (int32_t point = 0; point < waves->study->point_count; point++)
        for (int32_t r = waves->results->points[point].prefix; r < waves->points[point].end; r++)
            count += !results_have(waves->results, point, r);
    return count;
}

/* --- Progress --- */

static int64_t runs_left(const void *work)
{
    return waves_run_count(work) - waves_done_count(work);
}

static void print_progress(const void *work, Text *out)
{
    const Waves *waves = work;
    thousands_print(out, waves->done_count);
    text_add(out, "/");
    thousands_print(out, waves->run_count);
    text_add(out, " runs · ");
    thousands_print(out, waves->decided_count);
    text_add(out, " of ");
    thousands_print(out, waves->study->point_count);
    text_add(out, " points decided");
}

/* The rule and point that are furthest from their limit. */
static void print_worst(const void *work, Text *out)
{
    enum { POINTS_LOOKED_AT_MAX = 200 };
    const Waves *waves = work;
    const Study *study = waves->study;
    double worst = 0;
    int32_t worst_point = NO_POINT;
    if (study->seeds.rule_count == 0 || study->point_count > POINTS_LOOKED_AT_MAX)
        return;
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t n = waves_used(waves, point);
        const double excess = n >= 2 ? waves_excess(study, waves->results, point, n) : 0;
        if (excess > worst && isfinite(excess)) {
            worst = excess;
            worst_point = point;
        }
    }
    if (worst_point == NO_POINT)
        return;
    Arena *scratch = arena_create();
    text_printf(out, " · widest interval %.1f times its limit (%s)", worst,
                point_name(scratch, study, worst_point));
    arena_destroy(scratch);
}

StudyWork waves_work(Waves *waves, bool is_pilot)
{
    return (StudyWork){.work = waves,
                       .units = is_pilot ? waves_pilot_source(waves) : waves_source(waves),
                       .runs_left = runs_left,
                       .print_progress = print_progress,
                       .print_worst = print_worst};
}
