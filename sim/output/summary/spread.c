#include "sim/output/summary/spread.h"

#include <string.h>

#include "sim/base/wide.h"
#include "sim/output/summary/percentile.h"

#define UNKNOWN INT64_MAX

/* The key of each value in summary.json. */
static const char *const value_keys[] = {
    [SPREAD_MEAN] = "mean", [SPREAD_P50] = "p50", [SPREAD_P95] = "p95",
    [SPREAD_P99] = "p99",   [SPREAD_MAX] = "max",
};
_Static_assert(sizeof value_keys / sizeof value_keys[0] == SPREAD_VALUES, "a key for each value");

static const int64_t value_percents[SPREAD_VALUES] = {
    [SPREAD_P50] = 50, [SPREAD_P95] = 95, [SPREAD_P99] = 99, [SPREAD_MAX] = 100};

static bool is_open(const JobTimes *job, JobTimeKind kind)
{
    switch (kind) {
    case JOB_TIME_QUEUE:
        return job->is_waiting;
    case JOB_TIME_TURNAROUND:
        return job->outcome == OUTCOME_NONE;
    case JOB_TIME_RUN: // of jobs that have ended only
    case JOB_TIME_COUNT:
        break;
    }
    return false;
}

/* The known times of a spread, in any order. */
typedef struct {
    int64_t *ns;
    uint32_t count;
    Wide sum_ns;
    uint32_t open;  /* times that have not ended */
    uint32_t after; /* the first `after` times are not greater than any of the others */
} Times;

static Times times_of(Arena *scratch, const SummarySpread *spread)
{
    Times times = {.ns = ARENA_ARRAY(scratch, int64_t, spread->job_count)};
    for (uint32_t i = 0; i < spread->job_count; i++) {
        const JobTimes *job = &spread->jobs[i];
        const int64_t ns = job->ns[spread->kind];
        if (ns == UNKNOWN)
            continue;
        times.ns[times.count++] = ns;
        times.sum_ns += ns;
        times.open += is_open(job, spread->kind);
    }
    return times;
}

/* How many times have ended and are at most `limit_ns`. */
static uint32_t count_ended_within(const SummarySpread *spread, int64_t limit_ns)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < spread->job_count; i++) {
        const JobTimes *job = &spread->jobs[i];
        const int64_t ns = job->ns[spread->kind]; // unknown times are longer than any limit
        count += ns != UNKNOWN && ns <= limit_ns && !is_open(job, spread->kind);
    }
    return count;
}

/* Each time is at least what it counts as, so each percentile is at least the percentile of these.
 * It is exactly that when enough times that have ended do not exceed it. Percentiles are asked for
 * in ascending order. */
static SpreadValue percentile_in(const SummarySpread *spread, Times *times, int64_t percent)
{
    if (times->count == 0)
        return (SpreadValue){.value = UNKNOWN};
    const uint32_t place = percentile_place(times->count, percent);
    const int64_t value =
        select_nth(times->ns + times->after, times->count - times->after, place - times->after);
    times->after = place;
    return (SpreadValue){.value = value,
                         .is_lower_bound =
                             times->open > 0 && count_ended_within(spread, value) <= place};
}

SpreadValue spread_percentile(const SummarySpread *spread, int64_t percent)
{
    Arena *scratch = arena_create();
    Times times = times_of(scratch, spread);
    const SpreadValue value = percentile_in(spread, &times, percent);
    arena_destroy(scratch);
    return value;
}

SpreadValue spread_mean_completed(const SummarySpread *spread)
{
    Wide sum_ns = 0;
    uint32_t count = 0;
    bool is_lower_bound = false;
    for (uint32_t i = 0; i < spread->job_count; i++) {
        const JobTimes *job = &spread->jobs[i];
        const int64_t ns = job->ns[spread->kind];
        if (ns == UNKNOWN)
            continue;
        const bool is_open_now = is_open(job, spread->kind);
        sum_ns += is_open_now ? 2 * (Wide)ns : ns;
        is_lower_bound |= is_open_now && ns > 0 && ns >= job->submitted_ns;
        count++;
    }
    return (SpreadValue){.value = count > 0 ? wide_capped(sum_ns / count) : UNKNOWN,
                         .is_lower_bound = is_lower_bound};
}

uint32_t spread_sorted(Arena *arena, const SummarySpread *spread, const int64_t **sorted)
{
    const Times times = times_of(arena, spread);
    sort_values(times.ns, times.count);
    *sorted = times.ns;
    return times.count;
}

static void put_bounds(Arena *arena, SummarySpread *spread, const SpreadValue *values)
{
    spread->at_least = ARENA_ARRAY(arena, const char *, SPREAD_VALUES);
    for (int i = 0; i < SPREAD_VALUES; i++)
        if (values[i].is_lower_bound)
            spread->at_least[spread->at_least_count++] = value_keys[i];
}

SummarySpread spread_of_jobs(Arena *arena, const JobTimes *jobs, uint32_t job_count,
                             JobTimeKind kind)
{
    SummarySpread spread = {.kind = kind, .jobs = jobs, .job_count = job_count};
    Arena *scratch = arena_create();
    Times times = times_of(scratch, &spread);
    SpreadValue values[SPREAD_VALUES] = {[SPREAD_MEAN] = {UNKNOWN, times.open > 0}};
    for (int i = SPREAD_P50; i < SPREAD_VALUES; i++)
        values[i] = percentile_in(&spread, &times, value_percents[i] * PERCENT_PARTS);
    if (times.count > 0)
        values[SPREAD_MEAN].value = wide_capped(times.sum_ns / times.count);
    arena_destroy(scratch);
    spread.mean_ns = values[SPREAD_MEAN].value;
    spread.p50_ns = values[SPREAD_P50].value;
    spread.p95_ns = values[SPREAD_P95].value;
    spread.p99_ns = values[SPREAD_P99].value;
    spread.max_ns = values[SPREAD_MAX].value;
    spread.waiting = times.open > 0 ? times.open : UNKNOWN;
    if (times.open > 0)
        put_bounds(arena, &spread, values);
    return spread;
}

bool spread_is_at_least(const SummarySpread *spread, const char *key)
{
    for (uint32_t i = 0; i < spread->at_least_count; i++)
        if (strcmp(spread->at_least[i], key) == 0)
            return true;
    return false;
}

SpreadShare spread_within(const SummarySpread *spread, int64_t limit_ns)
{
    SpreadShare share = {.within = count_ended_within(spread, limit_ns)};
    for (uint32_t i = 0; i < spread->job_count; i++) {
        const JobTimes *job = &spread->jobs[i];
        const int64_t ns = job->ns[spread->kind];
        share.jobs += ns != UNKNOWN;
        share.is_lower_bound |= ns <= limit_ns && is_open(job, spread->kind);
    }
    return share;
}
