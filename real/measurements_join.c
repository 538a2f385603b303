#include <string.h>

#include "real/measuring.h"

static bool is_same(const Json *old, const Json *new, const char *fact, Status *status)
{
    const Json *a = json_member(old, fact), *b = json_member(new, fact);
    if (!a || !b || a->kind != b->kind || (a->kind != JSON_STRING && !a->is_integer))
        return status_fail(status, STATUS_BAD_INPUT, json_at(a ? a : old),
                           "the measurements do not say \"%s\"", fact);
    if (a->kind == JSON_STRING ? strcmp(a->text, b->text) == 0 : a->integer == b->integer)
        return true;
    status_fail(status, STATUS_BAD_INPUT, json_at(a),
                "these measurements are of another machine, whose \"%s\" is not the same", fact);
    return status_hint(status, "calibrate without them, or with the same --name and --backend");
}

/* The items of `list` behind those of `to`, `rounds` later. */
static bool add_later(Arena *arena, Json *to, const Json *list, int64_t rounds, Status *status)
{
    if (!to || to->kind != JSON_ARRAY || !list || list->kind != JSON_ARRAY)
        return status_fail(status, STATUS_BAD_INPUT, json_at(to ? to : list),
                           "the measurements lack a list");
    for (const Json *item = list->first; item; item = item->next) {
        const Json *round = json_member(item, "round");
        if (!round || !round->is_integer)
            return status_fail(status, STATUS_BAD_INPUT, json_at(item),
                               "a measurement has no count \"round\"");
        Json *later = json_add(to, json_copy(arena, item, NULL));
        json_set(arena, later, "round", json_integer(arena, rounds + round->integer));
    }
    return true;
}

Json *measurements_join(Arena *arena, const Json *old, const Json *new, Status *status)
{
    static const char *const facts[] = {"measurements", "host", "processor",
                                        "cores",        "gpus", "backend"};
    static const char *const lists[] = {"training", "allreduce", "disk"};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (!is_same(old, new, facts[i], status))
            return NULL;
    const Json *before = json_member(old, "rounds"), *more = json_member(new, "rounds");
    if (!before || !before->is_integer || before->integer < 1 || !more || !more->is_integer) {
        status_fail(status, STATUS_BAD_INPUT, json_at(before ? before : old),
                    "the measurements do not say \"rounds\"");
        return NULL;
    }
    Json *joined = json_copy(arena, old, NULL);
    json_set(arena, joined, "date", json_copy(arena, json_member(new, "date"), NULL));
    json_set(arena, joined, "rounds", json_integer(arena, before->integer + more->integer));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!add_later(arena, json_member(joined, lists[i]), json_member(new, lists[i]),
                       before->integer, status))
            return NULL;
    return joined;
}
