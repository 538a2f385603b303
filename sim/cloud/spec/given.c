#include "sim/cloud/spec/given.h"

const char *const *given_lines(Arena *arena, const RunGiven *given, uint32_t *count)
{
    enum { OTHERS = 2 };
    const uint32_t most = given->set_count + given->parameter_count + given->file_count + OTHERS;
    const char **lines = ARENA_ARRAY(arena, const char *, most);
    uint32_t line = 0;
    for (uint32_t i = 0; i < given->set_count; i++)
        lines[line++] = arena_printf(arena, "set %s", given->sets[i]);
    if (given->failures != NULL)
        lines[line++] = arena_printf(arena, "failures %s", given->failures);
    if (given->samples != NULL)
        lines[line++] = arena_printf(arena, "samples %s", given->samples);
    for (uint32_t i = 0; i < given->parameter_count; i++)
        lines[line++] = arena_printf(arena, "param %s=%s", given->parameters[i].name,
                                     given->parameters[i].value);
    for (uint32_t i = 0; i < given->file_count; i++)
        lines[line++] =
            arena_printf(arena, "file %s %s", given->files[i].name, given->files[i].value);
    *count = line;
    return lines;
}
