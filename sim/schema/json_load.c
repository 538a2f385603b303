#include "sim/schema/json_load.h"

Json *json_load(const JsonLoader *loader, const char *path, JsonDialect dialect, Status *status)
{
    const char *text;
    size_t length;
    if (!loader->files.read(loader->files.context, loader->arena, path, &text, &length, status))
        return NULL;
    return json_parse(loader->arena, path, text, length, dialect, loader->problems);
}

static void refuse_reference(const JsonLoader *loader, const char *path, const Json *node,
                             const Status *why)
{
    Status *problem = file_problem(loader->problems, node->at, node->text, why);
    const FileSource *files = &loader->files;
    const char *nearest = NULL;
    if (why->code == STATUS_NOT_FOUND && files->nearest != NULL)
        nearest = files->nearest(files->context, loader->arena,
                                 path_beside(loader->arena, path, node->text));
    if (nearest != NULL)
        status_hint(problem, "did you mean \"%s\"? files are looked for next to \"%s\"",
                    path_beside(loader->arena, node->text, nearest), path);
    else
        status_hint(problem, "files are looked for next to \"%s\"", path);
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
        refuse_reference(loader, path, node, &status);
}
