#include "sim/scenario/built_in_catalog.h"

#include <string.h>

const char *built_in_catalog_text(const char *path)
{
    static const char folder[] = "catalog/";
    if (strncmp(path, folder, sizeof folder - 1) != 0)
        return NULL;
    for (int i = 0; i < catalog_assets_count; i++)
        if (strcmp(catalog_assets[i].name, path + sizeof folder - 1) == 0)
            return catalog_assets[i].text;
    return NULL;
}

static bool fail_missing(const char *path, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, place_in(path, 0, 0),
                       "this is no file of the catalogue that is compiled in");
}

static bool built_in_read(void *context, Arena *arena, const char *path, const char **text,
                          size_t *length, Status *status)
{
    (void)context;
    (void)arena;
    *text = built_in_catalog_text(path);
    if (*text == NULL)
        return fail_missing(path, status);
    *length = strlen(*text);
    return true;
}

static bool built_in_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    (void)context;
    const char *text = built_in_catalog_text(path);
    if (text == NULL)
        return fail_missing(path, status);
    *bytes = (int64_t)strlen(text);
    return true;
}

const FileSource built_in_catalog = {.read = built_in_read, .size = built_in_size};
