#include "sim/study/idle_factors.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/study/point_estimate.h"
#include "sim/study/single_run.h"

typedef struct {
    Arena *arena;
    const StudyFindings *findings;
    FileSource files;
    const char *version;
    NameTable *points; /* by their levels */
    IdleLevels *found;
    uint32_t count, capacity;
} Finder;

typedef enum { PAIR_DIFFERENT, PAIR_CLOSE, PAIR_EQUAL } PairAnswer;

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* --- Pairs of points --- */

static const int32_t *levels_of(const Study *study, int32_t point)
{
    return study->levels + (size_t)point * (size_t)study->factor_count;
}

/* The point with the levels of `point`, but `level` of factor `f`; NO_POINT: the study has no such
 * point. */
static int32_t neighbour(const Finder *finder, int32_t point, int32_t f, int32_t level)
{
    const Study *study = finder->findings->study;
    Text key = {0};
    uint32_t found = 0;
    for (int32_t i = 0; i < study->factor_count; i++)
        text_printf(&key, "%" PRId32 " ", i == f ? level : levels_of(study, point)[i]);
    const bool is_there = name_table_find(finder->points, text_string(&key), &found);
    text_free(&key);
    return is_there ? (int32_t)found : NO_POINT;
}

static bool courses_are_equal(const Results *results, int32_t a, int32_t b, int32_t count)
{
    const size_t bytes = (size_t)count * sizeof *results->points[a].fingerprints;
    return memcmp(results->points[a].fingerprints, results->points[b].fingerprints, bytes) == 0;
}

/* Whether the difference of a metric is too small to matter. */
static bool is_close(const Results *results, int32_t metric, int32_t a, int32_t b, int32_t count)
{
    const MetricEstimate estimate = metric_estimate(results, metric, b, count, a, count);
    if (isnan(estimate.difference) || isnan(estimate.mean))
        return estimate.run_count == 0; // unknown at both, or too few runs
    return fabs(estimate.difference) + estimate.difference_half_width <=
           fabs(estimate.mean) * IDLE_PPM / (double)PPM;
}

static PairAnswer compare_points(const Finder *finder, int32_t a, int32_t b)
{
    const StudyFindings *findings = finder->findings;
    const int32_t count = smaller(findings->used[a], findings->used[b]);
    if (count == 0)
        return PAIR_DIFFERENT;
    if (courses_are_equal(findings->results, a, b, count))
        return PAIR_EQUAL;
    for (int32_t metric = 0; metric < findings->study->metric_count; metric++)
        if (!is_close(findings->results, metric, a, b, count))
            return PAIR_DIFFERENT;
    return PAIR_CLOSE;
}

/* The worst answer of all pairs that differ only in levels `level` and `level` + 1 of factor `f`.
 */
static PairAnswer compare_levels(const Finder *finder, int32_t f, int32_t level)
{
    const Study *study = finder->findings->study;
    PairAnswer worst = PAIR_EQUAL;
    bool has_pair = false;
    for (int32_t point = 0; point < study->point_count && worst != PAIR_DIFFERENT; point++) {
        if (levels_of(study, point)[f] != level)
            continue;
        const int32_t other = neighbour(finder, point, f, level + 1);
        if (other == NO_POINT)
            continue;
        const PairAnswer answer = compare_points(finder, point, other);
        worst = answer < worst ? answer : worst;
        has_pair = true;
    }
    return has_pair ? worst : PAIR_DIFFERENT;
}

/* --- Reasons --- */

static bool has_warning(const Problems *warnings, const Status *warning)
{
    for (int32_t i = 0; i < warnings->kept; i++)
        if (strcmp(warnings->items[i].message, warning->message) == 0)
            return true;
    return false;
}

static const char *new_warning(Arena *arena, const PointScenario *with,
                               const PointScenario *without)
{
    const Problems *warnings = &with->file->warnings;
    for (int32_t i = 0; i < warnings->kept; i++) {
        const Status *warning = &warnings->items[i];
        if (has_warning(&without->file->warnings, warning))
            continue;
        return arena_printf(arena, "%s%s%s", warning->message, warning->hint[0] ? "; " : "",
                            warning->hint);
    }
    return NULL;
}

/* The first error of a cluster in the first run. */
static const char *first_error(Finder *finder, const PointScenario *scenario, int32_t point)
{
    SteadyPlan plan;
    const bool has_plan = results_plan(finder->findings->results, point, 0, &plan);
    const Summary *summary =
        single_run_summary(finder->arena, scenario, has_plan ? &plan : NULL,
                           study_seed(finder->findings->study, point, 0), finder->version);
    return summary->error_count > 0
               ? arena_printf(finder->arena, "cluster %s: %s", summary->errors[0].cluster,
                              summary->errors[0].what)
               : NULL;
}

static const char *find_reason(Finder *finder, int32_t f, int32_t first, int32_t last)
{
    const Study *study = finder->findings->study;
    Problems ignored = problems_create(finder->arena);
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t other =
            levels_of(study, point)[f] == first ? neighbour(finder, point, f, last) : NO_POINT;
        if (other == NO_POINT)
            continue;
        const PointScenario *without =
            point_scenario_read(finder->arena, study, finder->files, point, &ignored);
        const PointScenario *with =
            point_scenario_read(finder->arena, study, finder->files, other, &ignored);
        if (with == NULL || without == NULL)
            return NULL;
        const char *warning = new_warning(finder->arena, with, without);
        return warning != NULL ? warning : first_error(finder, with, other);
    }
    return NULL;
}

/* --- The whole --- */

static void add_idle(Finder *finder, int32_t f, int32_t first, int32_t last, bool is_exact)
{
    finder->found = array_room(finder->arena, finder->found, finder->count + 1, &finder->capacity,
                               sizeof *finder->found);
    finder->found[finder->count++] = (IdleLevels){.factor = f,
                                                  .first_level = first,
                                                  .last_level = last,
                                                  .is_exact = is_exact,
                                                  .reason = find_reason(finder, f, first, last)};
}

/* Factors with more levels, which only a sampled design has, have no neighbouring points. */
enum { LEVELS_COMPARED_MAX = 1000 };

static void look_at_factor(Finder *finder, int32_t f)
{
    const Study *study = finder->findings->study;
    const int32_t level_count = study->factors[f]->level_count;
    // Levels that a design has drawn from a span are not in the order of their values.
    if (level_count > LEVELS_COMPARED_MAX ||
        (study->factors[f]->span != NULL && design_kind_size(study->design->plan.kind)[0] != '\0'))
        return;
    int32_t first = 0;
    bool is_exact = true;
    for (int32_t level = 0; level < level_count; level++) {
        const PairAnswer answer =
            level + 1 < level_count ? compare_levels(finder, f, level) : PAIR_DIFFERENT;
        if (answer != PAIR_DIFFERENT) {
            is_exact &= answer == PAIR_EQUAL;
            continue;
        }
        if (level > first)
            add_idle(finder, f, first, level, is_exact);
        first = level + 1;
        is_exact = true;
    }
}

int32_t idle_levels_find(Arena *arena, const StudyFindings *findings, FileSource files,
                         const char *version, const IdleLevels **out)
{
    const Study *study = findings->study;
    if (study->seeds.is_independent)
        return 0; // without common seeds no two points take the same course
    Finder finder = {.arena = arena,
                     .findings = findings,
                     .files = files,
                     .version = version,
                     .points = name_table_create(arena)};
    Text key = {0};
    for (int32_t point = 0; point < study->point_count; point++) {
        text_clear(&key);
        for (int32_t f = 0; f < study->factor_count; f++)
            text_printf(&key, "%" PRId32 " ", levels_of(study, point)[f]);
        name_table_set(finder.points, text_string(&key), (uint32_t)point);
    }
    text_free(&key);
    for (int32_t f = 0; f < study->factor_count; f++)
        look_at_factor(&finder, f);
    *out = finder.found;
    return (int32_t)finder.count;
}

void idle_levels_print(const Study *study, const IdleLevels *idle, Text *out)
{
    const Factor *factor = study->factors[idle->factor];
    const char *first = factor->levels[idle->first_level].label;
    const char *last = factor->levels[idle->last_level].label;
    const bool is_to_end = idle->last_level == factor->level_count - 1;
    text_add(out, factor->name);
    if (is_to_end && idle->first_level > 0)
        text_printf(out, " after %s", first);
    else if (!is_to_end || idle->first_level > 0)
        text_printf(out, " from %s to %s", first, last);
    text_add(out, idle->is_exact ? " changed nothing" : " changed nothing that matters");
    if (idle->reason != NULL)
        text_printf(out, ": %s", idle->reason);
    text_add(out, "\n");
}
