#include "sim/study/format/constraint_text.h"

#include <string.h>

/* A new member of `object` with the place of the text. */
static void put(Arena *arena, Json *object, const char *key, Json *value, Place at)
{
    Json *member = json_set(arena, object, key, value);
    member->at = member->key_at = at;
}

static const char *trimmed(Arena *arena, const char *begin, const char *end)
{
    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    return arena_strndup(arena, begin, (size_t)(end - begin));
}

Json *constraint_of_text(Arena *arena, const char *text, Place at, Problems *problems)
{
    const char *least = strstr(text, ">="), *most = strstr(text, "<=");
    const char *sign = least != NULL ? least : most;
    const char *metric = sign != NULL ? trimmed(arena, text, sign) : "";
    const char *limit = sign != NULL ? trimmed(arena, sign + 2, sign + strlen(sign)) : "";
    if ((least != NULL && most != NULL) || metric[0] == '\0' || limit[0] == '\0') {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                                 "a constraint is a metric, '>=' or '<=', and a limit"),
                    "as in 'waited_within(20m) >= 95%%'");
        return NULL;
    }
    Json *object = json_object(arena);
    object->at = at;
    put(arena, object, "metric", json_string(arena, metric), at);
    put(arena, object, least != NULL ? "at_least" : "at_most",
        json_or_text(arena, at.source, limit), at);
    return object;
}

static bool has_texts(const Json *list)
{
    for (const Json *item = list != NULL && list->kind == JSON_ARRAY ? list->first : NULL;
         item != NULL; item = item->next)
        if (item->kind == JSON_STRING)
            return true;
    return false;
}

const Json *constraints_as_objects(Arena *arena, const Json *root, Problems *problems)
{
    const Json *given = json_member(root, "subject_to");
    if (!has_texts(given))
        return root;
    Json *copy = json_copy(arena, root, NULL), *old = json_member(copy, "subject_to");
    Json *list = json_copy_empty(arena, given);
    for (const Json *item = given->first; item != NULL; item = item->next) {
        Json *object = item->kind == JSON_STRING
                           ? constraint_of_text(arena, item->text, item->at, problems)
                           : json_copy(arena, item, NULL);
        if (object != NULL)
            json_add(list, object);
    }
    json_replace(copy, old, list);
    return copy;
}
