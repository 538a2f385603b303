#include "sim/output/summary/names.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/name_table.h"

const char *summary_short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static uint32_t counted(const NameTable *table, const char *name)
{
    uint32_t count = 0;
    return name_table_find(table, name, &count) ? count : 0;
}

/* How many paths have each short name. */
static NameTable *count_paths(Arena *arena, const char *const *paths, uint32_t count)
{
    NameTable *known = name_table_create(arena), *path_counts = name_table_create(arena);
    for (uint32_t i = 0; i < count; i++) {
        if (paths[i] == NULL || counted(known, paths[i]) > 0)
            continue; // the same path again is not another path
        name_table_set(known, paths[i], 1);
        const char *name = summary_short_name(paths[i]);
        name_table_set(path_counts, name, counted(path_counts, name) + 1);
    }
    return path_counts;
}

const char **summary_names(Arena *arena, const char *const *paths, uint32_t count)
{
    const NameTable *path_counts = count_paths(arena, paths, count);
    NameTable *times_made = name_table_create(arena);
    const char **names = ARENA_ARRAY(arena, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        if (paths[i] == NULL)
            continue;
        const char *name = summary_short_name(paths[i]);
        const uint32_t times = counted(times_made, paths[i]) + 1;
        name_table_set(times_made, paths[i], times);
        names[i] = counted(path_counts, name) == 1 ? name : paths[i];
        if (times > 1)
            names[i] = arena_printf(arena, "%s#%" PRIu32, names[i], times);
    }
    return names;
}
