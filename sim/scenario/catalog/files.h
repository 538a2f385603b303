/* Catalogues from files, without a scenario that names them. */
#ifndef SIM_SCENARIO_CATALOG_FILES_H
#define SIM_SCENARIO_CATALOG_FILES_H

#include "sim/base/file_source.h"
#include "sim/scenario/catalog/read.h"
#include "sim/schema/json_load.h"

/* Replaces the names in "include" of `catalog`, the tree of a catalogue, by the trees of the files.
 * Adds a problem for each file that cannot be read or is not JSON, and leaves its name. */
void catalog_load_included(const JsonLoader *loader, Json *catalog);
/* Whether `catalog` and all files that it includes have been read. */
bool catalog_is_loaded(const Json *catalog);

typedef struct {
    FileSource from;
    const char *path;
} CatalogFile;

/* The tree of one file; NULL, with problems, when the file or one that it includes cannot be
 * read. */
const Json *catalog_file_load(Arena *arena, const CatalogFile *file, Problems *problems);

/* The catalogue of `count` >= 1 files and the files that they include; later files change
 * earlier ones. NULL, with all problems added to `problems`, when a file is not valid. */
const Catalog *catalog_files_read(Arena *arena, const CatalogFile *files, int32_t count,
                                  Problems *problems);

#endif
