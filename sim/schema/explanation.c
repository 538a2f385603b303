#include "sim/schema/explanation.h"

#include <inttypes.h>
#include <string.h>

Explanation explanation_create(Arena *arena)
{
    return (Explanation){.arena = arena};
}

void explain(Explanation *explanation, const char *name, const char *value, const char *origin)
{
    enum { CAPACITY_AT_FIRST = 64 };
    if (explanation->count == explanation->capacity) {
        int32_t capacity =
            explanation->capacity == 0 ? CAPACITY_AT_FIRST : 2 * explanation->capacity;
        ExplainedValue *values = ARENA_ARRAY(explanation->arena, ExplainedValue, capacity);
        if (explanation->count > 0)
            memcpy(values, explanation->values,
                   (size_t)explanation->count * sizeof(ExplainedValue));
        explanation->values = values;
        explanation->capacity = capacity;
    }
    explanation->values[explanation->count++] =
        (ExplainedValue){.name = arena_strdup(explanation->arena, name),
                         .value = arena_strdup(explanation->arena, value),
                         .origin = arena_strdup(explanation->arena, origin)};
}

bool explained_is_assumed(const ExplainedValue *value)
{
    return strstr(value->origin, "ASSUMED") != NULL;
}

const char *place_text(Arena *arena, Place at)
{
    if (at.line == 0)
        return at.source == NULL ? "" : at.source;
    return arena_printf(arena, "%s:%" PRId32 ":%" PRId32, at.source, at.line, at.column);
}

void explanation_print(Text *text, const Explanation *explanation)
{
    for (int32_t i = 0; i < explanation->count; i++) {
        const ExplainedValue *value = &explanation->values[i];
        text_printf(text, "%s = %s  # %s\n", value->name, value->value, value->origin);
    }
}
