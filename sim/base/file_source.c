#include "sim/base/file_source.h"

#include <string.h>

size_t path_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

const char *path_beside(Arena *arena, const char *path, const char *name)
{
    if (name[0] == '/')
        return name;
    return arena_printf(arena, "%.*s%s", (int)path_folder_length(path), path, name);
}

bool file_is_missing(const char *path, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, place_in(path, 0, 0), "there is no such file");
}

Status *file_problem(Problems *problems, Place at, const char *name, const Status *why)
{
    if (why->code == STATUS_NOT_FOUND)
        return problems_add(problems, why->code, at, "there is no file \"%s\"", name);
    return problems_add(problems, why->code, at, "file \"%s\": %s", name, why->message);
}
