#include "sim/scenario/catalog/built_in_catalog.h"

#include <string.h>

#include "sim/base/text_files.h"

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

static const char *text_of(const void *context, const char *path)
{
    (void)context;
    return built_in_catalog_text(path);
}

FileSource built_in_catalog(void)
{
    static const TextFiles files = {.text_of = text_of};
    return text_files(&files);
}
