#include "sim/study/goal_json.h"

#include <math.h>
#include <string.h>

/* --- Writing --- */

static void put_constraints(Arena *arena, Json *object, const Study *study)
{
    Json *list = json_put_array(arena, object, "constraints");
    for (int32_t i = 0; i < study->goal->constraint_count; i++) {
        const GoalConstraint *constraint = &study->goal->constraints[i];
        Json *item = json_add(list, json_object(arena));
        json_put_text(arena, item, "metric", study->metrics[constraint->metric].name);
        json_put_real(arena, item, constraint->side == LIMIT_AT_LEAST ? "at_least" : "at_most",
                      constraint->limit);
        json_put_real(arena, item, "indifference", constraint->indifference);
        json_put_text(arena, item, "words", constraint->words);
    }
}

static void put_hopeless(Arena *arena, Json *object, const Goal *goal)
{
    Json *list = json_put_array(arena, object, "not_simulated");
    for (int32_t i = 0; i < goal->hopeless_count; i++) {
        const HopelessPoint *point = &goal->hopeless[i];
        Json *item = json_add(list, json_object(arena));
        json_put_integer(arena, item, "point", point->point);
        json_put_boolean(arena, item, "is_refused", point->is_refused);
        json_put_text(arena, item, "reason", point->reason);
    }
}

/* The points of each ladder with their nodes. */
static void put_ladders(Arena *arena, Json *object, const Study *study)
{
    const Goal *goal = study->goal;
    Json *list = json_put_array(arena, object, "ladders");
    for (int32_t l = 0; l < goal->ladder_count; l++) {
        Json *rungs = json_add(list, json_array(arena));
        for (int32_t point = 0; point < study->point_count; point++) {
            if (goal->ladder[point] != l)
                continue;
            Json *rung = json_add(rungs, json_object(arena));
            json_put_integer(arena, rung, "point", point);
            json_put_integer(arena, rung, "nodes", goal->nodes[point]);
        }
    }
}

void goal_json_put(Arena *arena, Json *root, const Study *study)
{
    const Goal *goal = study->goal;
    if (goal == NULL)
        return;
    Json *object = json_put_object(arena, root, "goal");
    json_put_text(arena, object, "study", goal->study_path);
    json_put_text(arena, object, goal->is_maximised ? "maximise" : "minimise",
                  study->metrics[goal->metric].name);
    json_put_real(arena, object, "indifference_part", goal->indifference_part);
    json_put_real(arena, object, "indifference_amount", goal->indifference_amount);
    json_put_real(arena, object, "confidence", goal->confidence);
    json_put_integer(arena, object, "budget_runs", goal->budget_runs);
    json_put_integer(arena, object, "at_most", goal->at_most);
    Json *weather = json_put_array(arena, object, "weather");
    for (int32_t i = 0; i < goal->weather_count; i++)
        json_add(weather, json_string(arena, study->factors[goal->weather[i]]->name));
    json_put_boolean(arena, object, "is_average_weather", goal->is_average_weather);
    put_constraints(arena, object, study);
    json_put_boolean(arena, object, "is_planned", goal->is_planned);
    put_ladders(arena, object, study);
    put_hopeless(arena, object, goal);
}

/* --- Reading: wrong members make the whole wrong --- */

static bool read_real(const Json *object, const char *key, double least, double most, double *value)
{
    const Json *node = json_member(object, key);
    if (node == NULL || node->kind != JSON_NUMBER || !(node->number >= least) ||
        !(node->number <= most))
        return false;
    *value = node->number;
    return true;
}

static bool read_whole(const Json *object, const char *key, int64_t least, int64_t most,
                       int64_t *value)
{
    const Json *node = json_member(object, key);
    if (node == NULL || !node->is_integer || node->integer < least || node->integer > most)
        return false;
    *value = node->integer;
    return true;
}

static bool read_metric(const Study *study, const Json *node, int32_t *metric)
{
    *metric = node != NULL && node->kind == JSON_STRING ? study_find_metric(study, node->text) : -1;
    return *metric >= 0;
}

static bool read_boolean(const Json *object, const char *key, bool *value)
{
    const Json *node = json_member(object, key);
    *value = json_is_true(object, key);
    return node != NULL && node->kind == JSON_BOOLEAN;
}

static bool read_constraints(Arena *arena, const Json *list, const Study *study, Goal *goal)
{
    if (list == NULL || list->kind != JSON_ARRAY || list->count > GOAL_CONSTRAINTS_MAX)
        return false;
    GoalConstraint *constraints = ARENA_ARRAY(arena, GoalConstraint, list->count + 1);
    goal->constraints = constraints;
    for (const Json *item = list->first; item != NULL; item = item->next) {
        GoalConstraint *own = &constraints[goal->constraint_count++];
        const Json *words = json_member(item, "words");
        const bool is_least = json_member(item, "at_least") != NULL;
        *own = (GoalConstraint){.side = is_least ? LIMIT_AT_LEAST : LIMIT_AT_MOST};
        if (!read_metric(study, json_member(item, "metric"), &own->metric) ||
            !read_real(item, is_least ? "at_least" : "at_most", -HUGE_VAL, HUGE_VAL, &own->limit) ||
            !read_real(item, "indifference", 0, HUGE_VAL, &own->indifference) || words == NULL ||
            words->kind != JSON_STRING)
            return false;
        own->words = words->text;
    }
    return true;
}

static bool read_weather(Arena *arena, const Json *list, const Study *study, Goal *goal)
{
    if (list == NULL || list->kind != JSON_ARRAY)
        return false;
    int32_t *weather = ARENA_ARRAY(arena, int32_t, study->factor_count + 1);
    goal->weather = weather;
    int32_t f = 0;
    for (const Json *item = list->first; item != NULL; item = item->next, f++) {
        while (f < study->factor_count && item->kind == JSON_STRING &&
               strcmp(study->factors[f]->name, item->text) != 0)
            f++;
        if (f >= study->factor_count || item->kind != JSON_STRING)
            return false;
        weather[goal->weather_count++] = f;
    }
    return goal->weather_count < study->factor_count || study->factor_count == 0;
}

static bool read_ladder(const Json *rungs, const Study *study, int32_t number, int32_t *ladder,
                        int32_t *nodes)
{
    int64_t point, own_nodes;
    if (rungs->kind != JSON_ARRAY)
        return false;
    for (const Json *rung = rungs->first; rung != NULL; rung = rung->next) {
        if (!read_whole(rung, "point", 0, study->point_count - 1, &point) ||
            !read_whole(rung, "nodes", 1, INT32_MAX, &own_nodes) || ladder[point] >= 0)
            return false;
        ladder[point] = number;
        nodes[point] = (int32_t)own_nodes;
    }
    return true;
}

static bool read_ladders(Arena *arena, const Json *list, const Study *study, Goal *goal)
{
    if (list == NULL || list->kind != JSON_ARRAY)
        return false;
    int32_t *ladder = ARENA_ARRAY(arena, int32_t, study->point_count);
    int32_t *nodes = ARENA_ARRAY(arena, int32_t, study->point_count);
    for (int32_t point = 0; point < study->point_count; point++)
        ladder[point] = -1;
    goal->ladder = ladder;
    goal->nodes = nodes;
    for (const Json *rungs = list->first; rungs != NULL; rungs = rungs->next)
        if (!read_ladder(rungs, study, goal->ladder_count++, ladder, nodes))
            return false;
    return true;
}

static bool read_hopeless(Arena *arena, const Json *list, const Study *study, Goal *goal)
{
    if (list == NULL || list->kind != JSON_ARRAY)
        return false;
    HopelessPoint *hopeless = ARENA_ARRAY(arena, HopelessPoint, list->count + 1);
    goal->hopeless = hopeless;
    for (const Json *item = list->first; item != NULL; item = item->next) {
        HopelessPoint *own = &hopeless[goal->hopeless_count++];
        const Json *reason = json_member(item, "reason");
        int64_t point;
        if (!read_whole(item, "point", 0, study->point_count - 1, &point) ||
            !read_boolean(item, "is_refused", &own->is_refused) || reason == NULL ||
            reason->kind != JSON_STRING)
            return false;
        own->point = (int32_t)point;
        own->reason = reason->text;
    }
    return true;
}

bool goal_json_read(Arena *arena, const Json *root, Study *study)
{
    const Json *object = json_member(root, "goal");
    if (object == NULL)
        return true;
    Goal *goal = ARENA_NEW(arena, Goal);
    int64_t at_most = 0;
    const Json *path = json_member(object, "study");
    goal->study_path = path != NULL && path->kind == JSON_STRING ? path->text : NULL;
    goal->is_maximised = json_member(object, "maximise") != NULL;
    study->goal = goal;
    if (!read_metric(study, json_member(object, goal->is_maximised ? "maximise" : "minimise"),
                     &goal->metric) ||
        !read_real(object, "indifference_part", 0, HUGE_VAL, &goal->indifference_part) ||
        !read_real(object, "indifference_amount", 0, HUGE_VAL, &goal->indifference_amount) ||
        !read_real(object, "confidence", 0.5, 0.999999, &goal->confidence) ||
        !read_whole(object, "budget_runs", 0, INT64_C(1) << 40, &goal->budget_runs) ||
        !read_whole(object, "at_most", study->seeds.at_least, REPLICATIONS_MAX / 4, &at_most))
        return false;
    goal->at_most = (int32_t)at_most;
    return study->seeds.at_least >= 2 &&
           read_boolean(object, "is_average_weather", &goal->is_average_weather) &&
           read_weather(arena, json_member(object, "weather"), study, goal) &&
           read_constraints(arena, json_member(object, "constraints"), study, goal) &&
           read_boolean(object, "is_planned", &goal->is_planned) &&
           read_ladders(arena, json_member(object, "ladders"), study, goal) &&
           read_hopeless(arena, json_member(object, "not_simulated"), study, goal);
}
