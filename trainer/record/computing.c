#include "trainer/record/computing.h"

#include <string.h>

static const char after_backend[] = ", ", before_device[] = " on ";

const char *computing_text(Arena *arena, Computing computing)
{
    const char *device = computing.device ? computing.device : "";
    return arena_printf(arena, "%s%s%s%s%s", computing.backend, after_backend, computing.precision,
                        computing.device ? before_device : "", device);
}

Computing computing_parse(Arena *arena, const char *text)
{
    const char *line = arena_strndup(arena, text, strcspn(text, "\n"));
    const char *comma = strstr(line, after_backend);
    if (comma == NULL)
        return (Computing){0};
    const char *precision = comma + strlen(after_backend);
    const char *on = strstr(precision, before_device);
    const size_t length = on ? (size_t)(on - precision) : strlen(precision);
    return (Computing){.backend = arena_strndup(arena, line, (size_t)(comma - line)),
                       .precision = arena_strndup(arena, precision, length),
                       .device = on ? on + strlen(before_device) : NULL};
}
