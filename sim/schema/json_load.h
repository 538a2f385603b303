/* JSON files, and the files that they name: the content of a named file replaces its name. */
#ifndef SIM_SCHEMA_JSON_LOAD_H
#define SIM_SCHEMA_JSON_LOAD_H

#include "sim/base/file_source.h"
#include "sim/json/json.h"

typedef struct {
    Arena *arena;
    FileSource files;
    Problems *problems;
} JsonLoader;

/* The tree of the file at `path`. NULL when the file cannot be read, with the reason in `status`,
 * or when it is not JSON, with the reason in `loader->problems` and `status` unchanged. */
Json *json_load(const JsonLoader *loader, const char *path, JsonDialect dialect, Status *status);

/* If `node`, a child of `parent`, is a string, it names a file in the folder of the file at `path`.
 * Replaces `node` by the tree of the named file. If there is no such tree, adds a problem and
 * leaves `node` unchanged. */
void json_load_reference(const JsonLoader *loader, const char *path, JsonDialect dialect,
                         Json *parent, Json *node);

#endif
