#include "sim/scenario/catalog/built_in_catalog.h"

#include <string.h>

#include "sim/base/status.h"

FileSource built_in_catalog(void)
{
    static const AssetFolder folder = BUILT_IN_CATALOG("catalog/");
    static const AssetFiles files = {.folder_count = 1, .folders = &folder};
    return asset_files(&files);
}

/* Sections are the members of a file's only object, and so the first words of its lines. */
static bool has_section(const char *text, const char *section)
{
    const size_t length = strlen(section);
    for (const char *line = strstr(text, "\n  \""); line != NULL; line = strstr(line + 1, "\n  \""))
        if (strncmp(line + 4, section, length) == 0 && line[4 + length] == '"')
            return true;
    return false;
}

const char *built_in_catalog_with(const char *section)
{
    for (int i = 0; i < catalog_assets_count; i++)
        if (has_section(catalog_assets[i].text, section))
            return catalog_assets[i].name;
    return NULL;
}

static const char *without_ending(Arena *arena, const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    const bool has_ending = length > end && strcmp(name + length - end, ending) == 0;
    return arena_strndup(arena, name, has_ending ? length - end : length);
}

const char *built_in_catalog_nearest(Arena *arena, const char *path)
{
    static const char ending[] = ".json";
    const char **names = ARENA_ARRAY(arena, const char *, catalog_assets_count);
    for (int i = 0; i < catalog_assets_count; i++)
        names[i] = without_ending(arena, catalog_assets[i].name, ending);
    const char *slash = strrchr(path, '/');
    const char *typed = without_ending(arena, slash != NULL ? slash + 1 : path, ending);
    const char *nearest = nearest_name(typed, names, catalog_assets_count);
    return nearest != NULL ? arena_printf(arena, "catalog/%s%s", nearest, ending) : NULL;
}
