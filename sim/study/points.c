#include "sim/study/points.h"

#include <string.h>

#include "sim/base/name_table.h"

/* Factors that change together count as one axis of the design. */
typedef struct {
    int32_t level_count;
} Axis;

typedef struct {
    Arena *arena;
    const StudyText *text;
    Study *study;
    Problems *problems;
    const Where *where;
    int32_t axis_count;
    Axis *axes;
    int32_t *axis_of; /* [factor_count] */
    int32_t *found;   /* the levels of the points so far */
    int32_t capacity;
} Expander;

static int32_t factor_named(const Study *study, const char *name)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        if (strcmp(study->factors[f]->name, name) == 0)
            return f;
    return -1;
}

/* The index of the factor that `name` (at `node`) means; -1 with a problem. */
static int32_t find_factor(const Expander *expander, const char *name, Place at)
{
    const Study *study = expander->study;
    const int32_t found = factor_named(study, name);
    if (found >= 0)
        return found;
    const char **names = ARENA_ARRAY(expander->arena, const char *, study->factor_count);
    for (int32_t f = 0; f < study->factor_count; f++)
        names[f] = study->factors[f]->name;
    bind_unknown_name(expander->problems, at, "factor", name, names, study->factor_count);
    return -1;
}

/* --- Axes --- */

static bool zip_group(Expander *expander, const Json *group)
{
    int32_t axis = -1;
    const char *first = "";
    for (const Json *item = group->first; item != NULL; item = item->next) {
        const int32_t f =
            find_factor(expander, item->kind == JSON_STRING ? item->text : "", item->at);
        if (f < 0)
            return false;
        const Factor *factor = expander->study->factors[f];
        if (expander->axis_of[f] >= 0) {
            problems_add(expander->problems, STATUS_BAD_INPUT, item->at,
                         "factor \"%s\" is in \"zip\" twice", factor->name);
            return false;
        }
        if (axis < 0) {
            axis = expander->axis_count++;
            expander->axes[axis].level_count = factor->level_count;
            first = factor->name;
        }
        if (factor->level_count != expander->axes[axis].level_count) {
            status_hint(problems_add(expander->problems, STATUS_BAD_INPUT, item->at,
                                     "factor \"%s\" has %d levels, and \"%s\" has %d", factor->name,
                                     (int)factor->level_count, first,
                                     (int)expander->axes[axis].level_count),
                        "factors that change together have equally many levels");
            return false;
        }
        expander->axis_of[f] = axis;
    }
    return true;
}

static bool read_zip(Expander *expander)
{
    const Json *zip = expander->text->zip;
    for (const Json *group = zip != NULL ? zip->first : NULL; group != NULL; group = group->next) {
        if (zip->kind == JSON_ARRAY && group->kind == JSON_ARRAY) {
            if (!zip_group(expander, group))
                return false;
            continue;
        }
        status_hint(problems_add(expander->problems, STATUS_BAD_INPUT, group->at,
                                 "\"zip\" is not a list of lists of factors"),
                    "as in [[\"nodes\", \"minimum\"]]");
        return false;
    }
    return true;
}

/* Axes in the order of the first factor of each, so that the last factor varies fastest. */
static bool make_axes(Expander *expander)
{
    const Study *study = expander->study;
    expander->axes = ARENA_ARRAY(expander->arena, Axis, study->factor_count + 1);
    expander->axis_of = ARENA_ARRAY(expander->arena, int32_t, study->factor_count);
    for (int32_t f = 0; f < study->factor_count; f++)
        expander->axis_of[f] = -1;
    if (!read_zip(expander))
        return false;
    int32_t *renamed = ARENA_ARRAY(expander->arena, int32_t, study->factor_count + 1);
    const int32_t zipped = expander->axis_count;
    for (int32_t axis = 0; axis < zipped; axis++)
        renamed[axis] = -1;
    expander->axis_count = 0;
    Axis *ordered = ARENA_ARRAY(expander->arena, Axis, study->factor_count + 1);
    for (int32_t f = 0; f < study->factor_count; f++) {
        const int32_t old = expander->axis_of[f];
        int32_t axis = old >= 0 ? renamed[old] : -1;
        if (axis < 0) {
            axis = expander->axis_count++;
            ordered[axis].level_count = study->factors[f]->level_count;
            if (old >= 0)
                renamed[old] = axis;
        }
        expander->axis_of[f] = axis;
    }
    expander->axes = ordered;
    return true;
}

/* --- Points --- */

/* Adds the point with these levels of axes, unless "where" leaves it out. */
static bool add_point(Expander *expander, const int32_t *axis_levels)
{
    Study *study = expander->study;
    const int32_t factors = study->factor_count;
    if (study->point_count == expander->capacity) {
        const int32_t capacity = expander->capacity > 0 ? 2 * expander->capacity : 64;
        int32_t *larger = ARENA_ARRAY(expander->arena, int32_t, (int64_t)capacity * factors);
        if (study->point_count > 0)
            memcpy(larger, expander->found,
                   (size_t)study->point_count * (size_t)factors * sizeof *larger);
        expander->found = larger;
        expander->capacity = capacity;
    }
    int32_t *levels = expander->found + (size_t)study->point_count * (size_t)factors;
    for (int32_t f = 0; f < factors; f++)
        levels[f] = axis_levels[expander->axis_of[f]];
    bool is_kept;
    Status status = {0};
    if (!where_keeps(expander->where, levels, &is_kept, &status)) {
        problems_add_status(expander->problems, &status);
        return false;
    }
    study->point_count += is_kept;
    return true;
}

static bool expand_grid(Expander *expander)
{
    int64_t size = 1;
    for (int32_t axis = 0; axis < expander->axis_count && size <= POINTS_MAX; axis++)
        size *= expander->axes[axis].level_count;
    if (size > POINTS_MAX) {
        problems_add(expander->problems, STATUS_BAD_INPUT, json_at(expander->text->factors),
                     "the grid has more than %d points", POINTS_MAX);
        return false;
    }
    int32_t *levels = ARENA_ARRAY(expander->arena, int32_t, expander->axis_count + 1);
    for (int64_t i = 0; i < size; i++) {
        int64_t rest = i;
        for (int32_t axis = expander->axis_count - 1; axis >= 0; axis--) {
            levels[axis] = (int32_t)(rest % expander->axes[axis].level_count);
            rest /= expander->axes[axis].level_count;
        }
        if (!add_point(expander, levels))
            return false;
    }
    return true;
}

/* The baseline, then each other level of each axis in it. */
static bool expand_singly(Expander *expander)
{
    const Study *study = expander->study;
    int32_t *levels = ARENA_ARRAY(expander->arena, int32_t, expander->axis_count + 1);
    for (int32_t f = 0; f < study->factor_count; f++) {
        if (!study->has_baseline || study->baseline[f] < 0) {
            status_hint(problems_add(expander->problems, STATUS_BAD_INPUT,
                                     expander->text->design.node->at,
                                     "the design \"one-at-a-time\" needs a level of factor "
                                     "\"%s\" in \"baseline\"",
                                     study->factors[f]->name),
                        "each factor is changed alone, and the others keep that level");
            return false;
        }
        levels[expander->axis_of[f]] = study->baseline[f];
    }
    if (!add_point(expander, levels))
        return false;
    for (int32_t axis = 0; axis < expander->axis_count; axis++) {
        const int32_t own = levels[axis];
        for (int32_t level = 0; level < expander->axes[axis].level_count; level++) {
            levels[axis] = level;
            if (level != own && !add_point(expander, levels))
                return false;
        }
        levels[axis] = own;
    }
    return true;
}

/* --- The baseline --- */

static const char *label_of(Arena *arena, const Json *value)
{
    if (value->kind == JSON_STRING || value->kind == JSON_NUMBER)
        return value->text;
    Text text = {0};
    json_print(&text, value, JSON_COMPACT);
    const char *label = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return label;
}

static bool read_baseline_level(const Expander *expander, const Json *member, int32_t *baseline)
{
    const Study *study = expander->study;
    const int32_t f = find_factor(expander, member->key, member->key_at);
    if (f < 0)
        return false;
    const Factor *factor = study->factors[f];
    const char *label = label_of(expander->arena, member);
    baseline[f] = factor_find_level(factor, label);
    if (baseline[f] >= 0)
        return true;
    Status *problem = problems_add(expander->problems, STATUS_BAD_INPUT, member->at,
                                   "factor \"%s\" has no level %s", factor->name, label);
    const char **labels = ARENA_ARRAY(expander->arena, const char *, factor->level_count);
    for (int32_t i = 0; i < factor->level_count; i++)
        labels[i] = factor->levels[i].label;
    status_hint_names(problem, label, labels, factor->level_count);
    return false;
}

static bool read_baseline(Expander *expander)
{
    Study *study = expander->study;
    const Json *node = expander->text->baseline;
    int32_t *baseline = ARENA_ARRAY(expander->arena, int32_t, study->factor_count);
    study->baseline = baseline;
    for (int32_t f = 0; f < study->factor_count; f++)
        baseline[f] = -1;
    if (node == NULL)
        return true;
    study->has_baseline = true;
    if (node->kind != JSON_OBJECT || node->count == 0) {
        status_hint(problems_add(expander->problems, STATUS_BAD_INPUT, node->at,
                                 "\"baseline\" is not an object of levels by factor"),
                    "as in {\"nodes\": 4}");
        return false;
    }
    bool is_sound = true;
    for (const Json *member = node->first; member != NULL; member = member->next)
        is_sound &= read_baseline_level(expander, member, baseline);
    return is_sound;
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
    Expander expander = {.arena = arena, .text = text, .study = study, .problems = problems};
    expander.where = where_read(arena, text->where, study->factor_count, study->factors, problems);
    if (expander.where == NULL || !make_axes(&expander) || !read_baseline(&expander) ||
        !(text->design.value == DESIGN_SINGLY ? expand_singly : expand_grid)(&expander))
        return false;
    study->levels = expander.found;
    if (study->has_baseline)
        find_baselines(arena, study);
    if (study->point_count > 0)
        return true;
    problems_add(problems, STATUS_BAD_INPUT, json_at(text->where), "no point is left by \"where\"");
    return false;
}
