#include "real/calibrate/measurements_join.h"

#include <string.h>

static const char *const lists[] = {"training", "allreduce", "disk"};
enum { LISTS = sizeof lists / sizeof lists[0] };

static bool is_same(const Json *old, const Json *new, const char *fact, Status *status)
{
    const Json *a = json_member(old, fact), *b = json_member(new, fact);
    if (!a || a->kind != b->kind || (a->kind != JSON_STRING && !a->is_integer))
        return status_fail(status, STATUS_BAD_INPUT, json_at(a ? a : old),
                           "the measurements lack \"%s\"", fact);
    if (a->kind == JSON_STRING ? strcmp(a->text, b->text) == 0 : a->integer == b->integer)
        return true;
    status_fail(status, STATUS_BAD_INPUT, json_at(a),
                "these measurements have another \"%s\", so they are not of this machine", fact);
    return status_hint(status, "calibrate without them, or use their --name and --backend");
}

bool measurements_fit(const Json *old, const Json *facts, Status *status)
{
    static const char *const same[] = {"measurements", "host", "processor",
                                       "cores",        "gpus", "backend"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (!is_same(old, facts, same[i], status))
            return false;
    const Json *rounds = json_member(old, "rounds");
    if (!rounds || !rounds->is_integer || rounds->integer < 1)
        return status_fail(status, STATUS_BAD_INPUT, json_at(rounds ? rounds : old),
                           "the measurements lack \"rounds\"");
    for (size_t i = 0; i < LISTS; i++) {
        const Json *list = json_member(old, lists[i]);
        if (!list || list->kind != JSON_ARRAY)
            return status_fail(status, STATUS_BAD_INPUT, json_at(list ? list : old),
                               "the measurements have no list \"%s\"", lists[i]);
    }
    return true;
}

Json *measurements_join(Arena *arena, const Json *old, const Json *new)
{
    const int64_t before = json_member(old, "rounds")->integer;
    const int64_t more = json_member(new, "rounds")->integer;
    Json *joined = json_copy(arena, old, NULL);
    json_set(arena, joined, "date", json_copy(arena, json_member(new, "date"), NULL));
    json_put_integer(arena, joined, "rounds", before + more);
    for (size_t i = 0; i < LISTS; i++)
        for (const Json *item = json_member(new, lists[i])->first; item; item = item->next) {
            Json *later = json_add(json_member(joined, lists[i]), json_copy(arena, item, NULL));
            const int64_t round = json_member(item, "round")->integer;
            json_put_integer(arena, later, "round", before + round);
        }
    return joined;
}
