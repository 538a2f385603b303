#include "sim/study/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/units.h"

Results *results_create(Arena *arena, const Study *study)
{
    Results *results = ARENA_NEW(arena, Results);
    *results = (Results){.arena = arena,
                         .study = study,
                         .value_count = study->value_count,
                         .point_count = study->point_count,
                         .points = ARENA_ARRAY(arena, PointResults, study->point_count)};
    return results;
}

static void *grown(Arena *arena, const void *old, int64_t old_count, int64_t count, size_t bytes)
{
    void *new = arena_alloc_array(arena, (size_t)count, bytes);
    if (old_count > 0)
        memcpy(new, old, (size_t)old_count * bytes);
    return new;
}

static void make_room(Results *results, PointResults *point, int32_t replication)
{
    const int64_t old = point->capacity, numbers = results->value_count;
    if (replication < old)
        return;
    int64_t capacity = old > 0 ? old : SEEDS_AT_LEAST;
    while (capacity <= replication)
        capacity += capacity / 2 + 1;
    Arena *arena = results->arena;
    point->is_known = grown(arena, point->is_known, old, capacity, sizeof *point->is_known);
    point->values =
        grown(arena, point->values, old * numbers, capacity * numbers, sizeof *point->values);
    point->flags =
        grown(arena, point->flags, old * numbers, capacity * numbers, sizeof *point->flags);
    point->fingerprints =
        grown(arena, point->fingerprints, old, capacity, sizeof *point->fingerprints);
    point->took_ns = grown(arena, point->took_ns, old, capacity, sizeof *point->took_ns);
    point->capacity = (int32_t)capacity;
}

bool results_have(const Results *results, int32_t point, int32_t replication)
{
    const PointResults *found = &results->points[point];
    return replication < found->capacity && found->is_known[replication];
}

bool results_can_have(const Results *results, const RunRecord *record)
{
    return record->point < results->point_count && record->replication < REPLICATIONS_MAX;
}

void results_put(Results *results, const RunRecord *record, int64_t took_ns)
{
    PointResults *point = &results->points[record->point];
    const int32_t r = record->replication;
    const size_t numbers = (size_t)results->value_count;
    if (results_have(results, record->point, r))
        return;
    make_room(results, point, r);
    point->is_known[r] = true;
    memcpy(point->values + (size_t)r * numbers, record->values, numbers * sizeof *point->values);
    memcpy(point->flags + (size_t)r * numbers, record->flags, numbers);
    point->fingerprints[r] = record->fingerprint;
    point->took_ns[r] = took_ns;
    if (took_ns >= 0) {
        point->timed_ns += took_ns;
        point->timed_count++;
        results->timed_ns += took_ns;
        results->timed_count++;
    }
    results->run_count++;
    while (point->prefix < point->capacity && point->is_known[point->prefix])
        point->prefix++;
}

static bool fail_foreign_record(const char *folder, const RunRecord *record, Problems *problems)
{
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                             "its journal has point %" PRId32 ", replication %" PRId32
                             ", which this study cannot have",
                             record->point, record->replication),
                "another program wrote the line: delete it, or choose another folder for -o");
    return false;
}

bool results_load(Results *results, const char *folder, const JournalIdentity *identity,
                  int64_t *count, Problems *problems)
{
    RunRecords records;
    if (!journal_scan(results->arena, folder, identity, &records, problems))
        return false;
    for (int64_t i = 0; i < records.count; i++) {
        if (!results_can_have(results, &records.items[i]))
            return fail_foreign_record(folder, &records.items[i], problems);
        results_put(results, &records.items[i], -1);
    }
    *count = records.count;
    return true;
}

RunRecord results_record(const Results *results, const Study *study, int32_t point,
                         int32_t replication)
{
    const PointResults *found = &results->points[point];
    const size_t at = (size_t)replication * (size_t)results->value_count;
    return (RunRecord){.point = point,
                       .replication = replication,
                       .seed = study_seed(study, point, replication),
                       .value_count = (uint32_t)results->value_count,
                       .values = found->values + at,
                       .flags = found->flags + at,
                       .fingerprint = found->fingerprints[replication]};
}

int32_t results_values(const Results *results, int32_t point, int32_t metric, int32_t count,
                       double *values, int32_t *lower_bounds)
{
    const PointResults *found = &results->points[point];
    int32_t known = 0;
    *lower_bounds = 0;
    for (int32_t r = 0; r < count; r++) {
        const size_t at = (size_t)r * (size_t)results->value_count + (size_t)metric;
        if (isnan(found->values[at]))
            continue;
        values[known++] = found->values[at];
        *lower_bounds += (found->flags[at] & RUN_VALUE_IS_LOWER_BOUND) != 0;
    }
    return known;
}

int64_t results_mean_ns(const Results *results, int32_t point)
{
    const PointResults *found = &results->points[point];
    if (found->timed_count > 0)
        return found->timed_ns / found->timed_count;
    return results->timed_count > 0 ? results->timed_ns / results->timed_count : 0;
}

/* The time in a record, which another program may have written. */
static int64_t ns_of(double seconds)
{
    const double ns = seconds * (double)NS_PER_S;
    return ns >= 0 && ns <= (double)LAST_INSTANT_NS / 2 ? (int64_t)(ns + 0.5) : 0;
}

bool results_plan(const Results *results, int32_t point, int32_t replication, SteadyPlan *plan)
{
    const int32_t part = results->study->steady_part;
    if (results->study->horizon.kind != HORIZON_STEADY)
        return false;
    double values[STEADY_PARTS];
    for (int32_t i = 0; i < STEADY_PARTS; i++)
        values[i] = results_value(results, point, part + i, replication);
    const double mark = values[STEADY_MARK];
    *plan = (SteadyPlan){.warm_up_ns = ns_of(values[STEADY_WARM_UP_S]),
                         .length_ns = ns_of(values[STEADY_LENGTH_S]),
                         .mark = mark >= STEADY_GOOD && mark <= STEADY_UNSTABLE ? (SteadyMark)mark
                                                                                : STEADY_TOO_SHORT,
                         .needed_jobs = values[STEADY_NEEDED_JOBS]};
    return true;
}
