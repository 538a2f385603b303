#include "sim/scenario/catalog/files.h"

static const Json *included(const Json *catalog)
{
    const Json *list = json_member(catalog, "include");
    bool is_list = list != NULL && list->kind == JSON_ARRAY && list->count <= CATALOG_INCLUDES_MOST;
    return is_list ? list : NULL; // the catalogue's reader refuses other values
}

void catalog_load_included(const JsonLoader *loader, Json *catalog)
{
    Json *list = included(catalog) != NULL ? json_member(catalog, "include") : NULL;
    for (Json *item = list != NULL ? list->first : NULL, *next; item != NULL; item = next) {
        next = item->next; // the item itself is about to be replaced
        json_load_reference(loader, catalog->at.source, JSON_WITH_COMMENTS, list, item);
    }
}

bool catalog_is_loaded(const Json *catalog)
{
    const Json *list = included(catalog);
    for (const Json *item = list != NULL ? list->first : NULL; item != NULL; item = item->next)
        if (item->kind == JSON_STRING)
            return false;
    return catalog->kind != JSON_STRING;
}

const Json *catalog_file_load(Arena *arena, const CatalogFile *file, Problems *problems)
{
    const JsonLoader loader = {.arena = arena, .files = file->from, .problems = problems};
    Status status = {0};
    Json *root = json_load(&loader, file->path, JSON_WITH_COMMENTS, &status);
    if (root == NULL && status.code != STATUS_OK)
        problems_add_status(problems, &status);
    if (root == NULL)
        return NULL;
    catalog_load_included(&loader, root);
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
