#include "sim/study/plan/plan.h"

#include <inttypes.h>

#include "sim/base/name_table.h"

typedef struct {
    Arena *arena;
    const Study *study;
} Reader;

/* The levels of the factors that are weather, or that are not, as a key. */
static const char *key_of(const Reader *reader, int32_t point, bool is_weather)
{
    Text key = {0};
    for (int32_t f = 0; f < reader->study->factor_count; f++)
        if (goal_is_weather(reader->study->goal, f) == is_weather)
            text_printf(&key, "%td,",
                        point_level(reader->study, point, f) - reader->study->factors[f]->levels);
    const char *copy = arena_strdup(reader->arena, text_string(&key));
    text_free(&key);
    return copy;
}

/* Numbers the keys of all points in the order of their first point; returns how many there are. */
static int32_t number_keys(const Reader *reader, bool is_weather, int32_t *numbers)
{
    NameTable *known = name_table_create(reader->arena);
    uint32_t count = 0;
    for (int32_t point = 0; point < reader->study->point_count; point++) {
        const char *key = key_of(reader, point, is_weather);
        uint32_t number;
        if (!name_table_find(known, key, &number)) {
            number = count++;
            name_table_set(known, key, number);
        }
        numbers[point] = (int32_t)number;
    }
    return (int32_t)count;
}

/* Whether a factor has several levels and is weather, or is not. */
static bool any_varies(const Study *study, bool is_weather)
{
    for (int32_t f = 0; f < study->factor_count; f++)
        if (goal_is_weather(study->goal, f) == is_weather && study->factors[f]->level_count > 1)
            return true;
    return false;
}

/* "nodes=4 priority=spot" of the factors that are weather, or that are not; those with one level
 * only if all have one. */
static const char *name_of(Arena *arena, const Study *study, int32_t point, bool is_weather)
{
    Text name = {0};
    const int32_t least = any_varies(study, is_weather) ? 2 : 1;
    for (int32_t f = 0; f < study->factor_count; f++)
        if (goal_is_weather(study->goal, f) == is_weather &&
            study->factors[f]->level_count >= least)
            text_printf(&name, "%s%s=%s", name.length > 0 ? " " : "", study->factors[f]->name,
                        point_level(study, point, f)->label);
    const char *copy = arena_strdup(arena, text_string(&name));
    text_free(&name);
    return copy;
}

const char *plan_candidate_name(Arena *arena, const PlanGrid *grid, int32_t candidate)
{
    return name_of(arena, grid->study, plan_point(grid, candidate, 0), false);
}

const char *plan_weather_name(Arena *arena, const PlanGrid *grid, int32_t weather)
{
    return name_of(arena, grid->study, plan_point(grid, 0, weather), true);
}

static bool refuse(const Study *study, const char *message, const char *hint, Problems *problems)
{
    return status_hint(
        problems_add(problems, STATUS_BAD_INPUT, place_in(study->path, 0, 0), "%s", message), "%s",
        hint);
}

/* Every candidate needs every weather. */
static bool check_points(Arena *arena, const PlanGrid *grid, int32_t *points, Problems *problems)
{
    const Study *study = grid->study;
    const int64_t count = (int64_t)grid->candidate_count * grid->weather_count;
    for (int64_t i = 0; i < count; i++)
        points[i] = NO_POINT;
    for (int32_t point = 0; point < study->point_count; point++)
        points[(int64_t)grid->candidate_of[point] * grid->weather_count + grid->weather_of[point]] =
            point;
    if (count == study->point_count)
        return true;
    for (int32_t point = 0; point < study->point_count; point++)
        for (int32_t w = 0; w < grid->weather_count; w++) {
            if (plan_point(grid, grid->candidate_of[point], w) != NO_POINT)
                continue;
            refuse(study,
                   arena_printf(arena, "the candidate \"%s\" lacks a weather that others have",
                                name_of(arena, study, point, false)),
                   "\"where\" and \"design\" have to keep every combination with the weather",
                   problems);
            return false;
        }
    return true;
}

const PlanGrid *plan_grid_create(Arena *arena, const Study *study, Problems *problems)
{
    const Goal *goal = study->goal;
    Reader reader = {arena, study};
    PlanGrid *grid = ARENA_NEW(arena, PlanGrid);
    int32_t *candidates = ARENA_ARRAY(arena, int32_t, study->point_count);
    int32_t *weathers = ARENA_ARRAY(arena, int32_t, study->point_count);
    if (goal == NULL) {
        refuse(study, "this study has no objective, so there is nothing to plan",
               "as in \"minimise\": \"cost_usd.total\" or --minimise cost_usd.total; `trainyard "
               "sweep` "
               "runs it",
               problems);
        return NULL;
    }
    *grid = (PlanGrid){.study = study,
                       .candidate_of = candidates,
                       .weather_of = weathers,
                       .candidate_count = number_keys(&reader, false, candidates),
                       .weather_count = number_keys(&reader, true, weathers)};
    if (grid->candidate_count > PLAN_CANDIDATES_MAX) {
        refuse(study,
               arena_printf(arena, "%" PRId32 " candidates are more than %d", grid->candidate_count,
                            PLAN_CANDIDATES_MAX),
               "\"where\" leaves combinations out", problems);
        return NULL;
    }
    const int64_t least = INT64_C(4) * study->point_count;
    if (goal->budget_runs > 0 && goal->budget_runs < least) {
        refuse(study,
               arena_printf(arena,
                            "a budget of %" PRId64 " runs is too small for %" PRId32 " points",
                            goal->budget_runs, study->point_count),
               arena_printf(arena,
                            "at least %" PRId64 ": 2 runs of each point, and as many to "
                            "choose from",
                            least),
               problems);
        return NULL;
    }
    int32_t *points =
        ARENA_ARRAY(arena, int32_t, (int64_t)grid->candidate_count * grid->weather_count);
    grid->points = points;
    return check_points(arena, grid, points, problems) ? grid : NULL;
}
