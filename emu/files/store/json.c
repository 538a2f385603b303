#include "emu/files/store/json.h"

#include <string.h>

#include "sim/base/invariant.h"

Json *files_json_read(Arena *arena, const char *text)
{
    if (*text == '\0')
        return json_object(arena);
    Problems problems = problems_create(arena);
    Json *object = json_parse(arena, "properties", text, strlen(text), JSON_STRICT, &problems);
    invariant(object != NULL); // it was printed by files_json_print
    return object;
}

const char *files_json_print(Arena *arena, const Json *object)
{
    if (object->count == 0)
        return "";
    return json_text(arena, object);
}

const char *files_json_text(const Json *object, const char *key)
{
    const Json *member = json_member(object, key);
    return member ? member->text : "";
}

void files_json_put(Arena *arena, Json *object, const char *key, const char *text)
{
    json_put_text(arena, object, key, text);
}
