#include "sim/schema/json_load.h"

Json *json_load(const JsonLoader *loader, const char *path, JsonDialect dialect, Status *status)
{
    const char *text;
    size_t length;
    if (!loader->files.read(loader->files.context, loader->arena, path, &text, &length, status))
        return NULL;
    return json_parse(loader->arena, path, text, length, dialect, loader->problems);
}

void json_load_reference(const JsonLoader *loader, const char *path, JsonDialect dialect,
                         Json *parent, Json *node)
{
    Status status = {0};
    if (node->kind != JSON_STRING)
        return; // the content itself, or a mistake that binding reports
    Json *tree = json_load(loader, path_beside(loader->arena, path, node->text), dialect, &status);
    if (tree != NULL)
        json_replace(parent, node, tree);
    else if (status.code != STATUS_OK)
        status_hint(problems_add(loader->problems, status.code, node->at, "%s", status.message),
                    "files are looked for next to \"%s\"", path);
}
