#include "sim/scenario/catalog/files.h"

#include "sim/scenario/load.h"

const Json *catalog_file_load(Arena *arena, const CatalogFile *file, Problems *problems)
{
    const char *text;
    size_t length;
    Status status = {0};
    if (!file->from.read(file->from.context, arena, file->path, &text, &length, &status)) {
        problems_add_status(problems, &status);
        return NULL;
    }
    Json *root = json_parse(arena, file->path, text, length, JSON_WITH_COMMENTS, problems);
    if (root == NULL)
        return NULL;
    catalog_load_included(arena, file->from, root, problems);
    return catalog_is_loaded(root) ? root : NULL;
}

const Catalog *catalog_files_read(Arena *arena, const CatalogFile *files, int32_t count,
                                  Problems *problems)
{
    const Json **roots = ARENA_ARRAY(arena, const Json *, count);
    bool are_loaded = true;
    for (int32_t i = 0; i < count; i++) {
        roots[i] = catalog_file_load(arena, &files[i], problems);
        are_loaded &= roots[i] != NULL;
    }
    return are_loaded ? catalog_read(arena, roots, count, problems) : NULL;
}
