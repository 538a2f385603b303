#include "sim/study/points.h"

#include <string.h>

#include "sim/base/name_table.h"

typedef struct {
    Arena *arena;
    const StudyText *text;
    Study *study;
    Problems *problems;
    const Where *where;
    DesignFactor *factors; /* [factor_count] */
    const Factor **made;   /* [factor_count]: those of the study, with the levels of the design */
    int32_t *levels;       /* [point_count * factor_count] of the design's points, before "where" */
} Expander;

static int32_t factor_named(const Study *study, const char *name)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        if (strcmp(study->factors[f]->name, name) == 0)
            return f;
    return -1;
}

int32_t study_factor_named(Arena *arena, const Study *study, const char *name, Place at,
                           Problems *problems)
{
    const int32_t found = factor_named(study, name);
    if (found >= 0)
        return found;
    const char **names = ARENA_ARRAY(arena, const char *, study->factor_count);
    for (int32_t f = 0; f < study->factor_count; f++)
        names[f] = study->factors[f]->name;
    bind_unknown_name(problems, at, "factor", name, names, study->factor_count);
    return -1;
}

static bool refuse(const Expander *expander, const Json *at, const char *message, const char *hint)
{
    return status_hint(problems_add(expander->problems, STATUS_BAD_INPUT, at->at, "%s", message),
                       "%s", hint);
}

/* --- Factors that change together --- */

static bool zip_group(const Expander *expander, const Json *group, int32_t number)
{
    for (const Json *item = group->first; item != NULL; item = item->next) {
        const int32_t f = study_factor_named(expander->arena, expander->study,
                                             item->kind == JSON_STRING ? item->text : "", item->at,
                                             expander->problems);
        if (f < 0)
            return false;
        if (expander->factors[f].zip != 0) {
            problems_add(expander->problems, STATUS_BAD_INPUT, item->at,
                         "factor \"%s\" is in \"zip\" twice", item->text);
            return false;
        }
        expander->factors[f].zip = number;
    }
    return true;
}

static bool read_zip(const Expander *expander)
{
    const Json *zip = expander->text->zip;
    int32_t number = 0;
    for (const Json *group = zip != NULL ? zip->first : NULL; group != NULL; group = group->next) {
        if (zip->kind != JSON_ARRAY || group->kind != JSON_ARRAY)
            return refuse(expander, group, "\"zip\" is not a list of lists of factors",
                          "as in [[\"nodes\", \"minimum\"]]");
        if (!zip_group(expander, group, ++number))
            return false;
    }
    return true;
}

/* --- The design --- */

static const char design_hint[] =
    "it is \"grid\", \"one-at-a-time\", or a kind with its size, as in {\"latin_hypercube\": 200}";

/* The kind called `name`, with or without a size; -1: no kind has that name. */
static int32_t find_kind(const char *name, bool has_size)
{
    for (int32_t kind = 0; kind < DESIGN_KIND_COUNT; kind++)
        if (strcmp(design_kind_name((DesignKind)kind), name) == 0 &&
            (design_kind_size((DesignKind)kind)[0] != '\0') == has_size)
            return kind;
    return -1;
}

/* {"sobol": 256, "seed": 7} */
static bool read_sized(const Expander *expander, const Json *node, DesignPlan *plan)
{
    enum { SIZE_MOST = 1000000 };
    int32_t kind_count = 0;
    for (const Json *member = node->first; member != NULL; member = member->next) {
        const int32_t kind = find_kind(member->key, true);
        const bool is_seed = strcmp(member->key, "seed") == 0;
        if (kind < 0 && !is_seed)
            return refuse(expander, node, "unknown design", design_hint);
        if (!member->is_integer || member->integer < (is_seed ? 0 : 1) ||
            member->integer > (is_seed ? INT64_C(1) << 53 : SIZE_MOST))
            return refuse(expander, member,
                          "a size of a design is not an integer from 1 to 1000000", design_hint);
        if (is_seed) {
            plan->seed = (uint64_t)member->integer;
        } else {
            plan->kind = (DesignKind)kind;
            plan->size = (int32_t)member->integer;
            kind_count++;
        }
    }
    return kind_count == 1 || refuse(expander, node, "a design has one kind", design_hint);
}

static bool read_plan(const Expander *expander, DesignPlan *plan)
{
    const Json *node = expander->text->design;
    *plan = (DesignPlan){.kind = DESIGN_GRID, .seed = 1};
    if (node == NULL)
        return true;
    if (node->kind == JSON_OBJECT)
        return read_sized(expander, node, plan);
    const int32_t kind = find_kind(node->kind == JSON_STRING ? node->text : "", false);
    if (kind < 0)
        return refuse(expander, node, "unknown design", design_hint);
    plan->kind = (DesignKind)kind;
    return true;
}

/* The baseline of one at a time, as indices of levels. */
static bool take_baseline(const Expander *expander, DesignPlan *plan)
{
    const Study *study = expander->study;
    double *baseline = ARENA_ARRAY(expander->arena, double, study->factor_count);
    plan->baseline = baseline;
    for (int32_t f = 0; f < study->factor_count; f++) {
        if (!study->has_baseline || study->baseline[f] < 0) {
            status_hint(problems_add(expander->problems, STATUS_BAD_INPUT,
                                     expander->text->design->at,
                                     "the design \"one-at-a-time\" needs a level of factor "
                                     "\"%s\" in \"baseline\"",
                                     study->factors[f]->name),
                        "each factor is changed alone, and the others keep that level");
            return false;
        }
        baseline[f] = study->baseline[f];
    }
    return true;
}

static void describe_factors(const Expander *expander, const DesignPlan *plan)
{
    const bool has_ranges = design_kind_size(plan->kind)[0] != '\0';
    for (int32_t f = 0; f < expander->study->factor_count; f++) {
        const Factor *factor = expander->study->factors[f];
        DesignFactor *out = &expander->factors[f];
        out->name = factor->name;
        out->level_count = factor->level_count;
        if (!has_ranges || factor->span == NULL)
            continue;
        out->level_count = 0;
        out->low = factor->span->low;
        out->high = factor->span->high;
        out->is_log = factor->span->spacing == SPACING_LOG;
    }
}

/* --- Points --- */

/* The levels of a factor at all points of the design. */
static void take_levels(Expander *expander, const Design *design, int32_t f)
{
    const Factor *factor = expander->study->factors[f];
    const int32_t factors = expander->study->factor_count, count = design->point_count;
    int32_t *level_of = ARENA_ARRAY(expander->arena, int32_t, count);
    double *values = ARENA_ARRAY(expander->arena, double, count);
    for (int32_t point = 0; point < count; point++)
        values[point] = design_point(design, point)[f];
    if (expander->factors[f].level_count > 0) { // the values are levels, not of a range
        expander->made[f] = factor;
        for (int32_t point = 0; point < count; point++)
            level_of[point] = (int32_t)values[point];
    } else {
        expander->made[f] = factor_with_values(expander->arena, factor, values, count, level_of);
    }
    for (int32_t point = 0; point < count; point++)
        expander->levels[(size_t)point * (size_t)factors + (size_t)f] = level_of[point];
}

/* Keeps the levels of a point if "where" keeps the point. */
static bool keeps(void *context, const Design *design, int32_t point, Status *status, bool *is_kept)
{
    Expander *expander = context;
    Study *study = expander->study;
    const size_t factors = (size_t)study->factor_count;
    const int32_t *levels = expander->levels + (size_t)point * factors;
    (void)design;
    if (!where_keeps(expander->where, levels, is_kept, status))
        return false;
    if (*is_kept)
        memmove(expander->levels + (size_t)study->point_count++ * factors, levels,
                factors * sizeof *levels);
    return true;
}

static bool expand(Expander *expander, const DesignPlan *plan)
{
    Study *study = expander->study;
    Design *design = ARENA_NEW(expander->arena, Design);
    const Place at = json_at(expander->text->factors);
    Status status = {0};
    bool is_made = design_create(expander->arena, plan, expander->factors, study->factor_count, at,
                                 design, &status);
    if (is_made && design->point_count > POINTS_MAX)
        is_made = status_fail(&status, STATUS_BAD_INPUT, at,
                              "there are %" PRId32 " points, expected at most %d",
                              design->point_count, POINTS_MAX);
    if (is_made) {
        expander->levels = ARENA_ARRAY(expander->arena, int32_t,
                                       (int64_t)design->point_count * study->factor_count);
        for (int32_t f = 0; f < study->factor_count; f++)
            take_levels(expander, design, f);
        study->factors = expander->made;
        expander->where = where_read(expander->arena, expander->text->where, study->factor_count,
                                     study->factors, expander->problems);
        if (expander->where == NULL)
            return false;
        is_made = design_filter(design, keeps, expander, json_at(expander->text->where), &status);
    }
    if (!is_made)
        problems_add_status(expander->problems, &status);
    study->levels = expander->levels;
    study->design = design;
    return is_made;
}

/* --- The baseline --- */

static bool read_level(Arena *arena, const Study *study, const Json *member, int32_t *levels,
                       Problems *problems)
{
    const int32_t f = study_factor_named(arena, study, member->key, member->key_at, problems);
    if (f < 0)
        return false;
    const Factor *factor = study->factors[f];
    const char *label = json_bare_text(arena, member);
    levels[f] = factor_find_level(factor, label);
    if (levels[f] >= 0)
        return true;
    Status *problem = problems_add(problems, STATUS_BAD_INPUT, member->at,
                                   "factor \"%s\" has no level %s", factor->name, label);
    const char **labels = ARENA_ARRAY(arena, const char *, factor->level_count);
    for (int32_t i = 0; i < factor->level_count; i++)
        labels[i] = factor->levels[i].label;
    status_hint_names(problem, label, labels, factor->level_count);
    return false;
}

bool study_levels_read(Arena *arena, const Study *study, const Json *node, const char *name,
                       int32_t *levels, Problems *problems)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        levels[f] = -1;
    if (node == NULL)
        return true;
    if (node->kind != JSON_OBJECT || node->count == 0) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, node->at,
                                 "\"%s\" is not an object of levels by factor", name),
                    "as in {\"nodes\": 4}");
        return false;
    }
    bool is_sound = true;
    for (const Json *member = node->first; member != NULL; member = member->next)
        is_sound &= read_level(arena, study, member, levels, problems);
    return is_sound;
}

bool study_point_has(const Study *study, int32_t point, const int32_t *levels)
{
    const int32_t *own = study->levels + (size_t)point * (size_t)study->factor_count;
    for (int32_t f = 0; f < study->factor_count; f++)
        if (levels[f] >= 0 && levels[f] != own[f])
            return false;
    return true;
}

static bool read_baseline(const Expander *expander)
{
    Study *study = expander->study;
    const Json *node = expander->text->baseline;
    int32_t *baseline = ARENA_ARRAY(expander->arena, int32_t, study->factor_count);
    study->baseline = baseline;
    study->has_baseline = node != NULL;
    return study_levels_read(expander->arena, study, node, "baseline", baseline,
                             expander->problems);
}

/* The levels as a text; those that `over` gives (-1: none) replace the point's own. */
static void levels_key(const Study *study, int32_t point, const int32_t *over, Text *out)
{
    const int32_t *levels = study->levels + (size_t)point * (size_t)study->factor_count;
    text_clear(out);
    for (int32_t f = 0; f < study->factor_count; f++)
        text_printf(out, "%d ", (int)(over != NULL && over[f] >= 0 ? over[f] : levels[f]));
}

static void find_baselines(Arena *arena, Study *study)
{
    NameTable *points = name_table_create(arena);
    int32_t *found = ARENA_ARRAY(arena, int32_t, study->point_count);
    Text key = {0};
    for (int32_t point = 0; point < study->point_count; point++) {
        levels_key(study, point, NULL, &key);
        name_table_set(points, text_string(&key), (uint32_t)point);
    }
    for (int32_t point = 0; point < study->point_count; point++) {
        uint32_t other;
        levels_key(study, point, study->baseline, &key);
        found[point] =
            name_table_find(points, text_string(&key), &other) && other != (uint32_t)point
                ? (int32_t)other
                : NO_POINT;
    }
    text_free(&key);
    study->compared_with = found;
}

bool points_expand(Arena *arena, const StudyText *text, Study *study, Problems *problems)
{
    Expander expander = {.arena = arena,
                         .text = text,
                         .study = study,
                         .problems = problems,
                         .factors = ARENA_ARRAY(arena, DesignFactor, study->factor_count),
                         .made = ARENA_ARRAY(arena, const Factor *, study->factor_count)};
    DesignPlan plan;
    if (!read_zip(&expander) || !read_plan(&expander, &plan) || !read_baseline(&expander) ||
        (plan.kind == DESIGN_ONE_AT_A_TIME && !take_baseline(&expander, &plan)))
        return false;
    describe_factors(&expander, &plan);
    if (!expand(&expander, &plan))
        return false;
    if (study->has_baseline)
        find_baselines(arena, study);
    if (study->point_count > 0)
        return true;
    problems_add(problems, STATUS_BAD_INPUT, json_at(text->where), "no point is left by \"where\"");
    return false;
}
