/* Files that are texts in memory: compiled in, or made by the program. */
#ifndef SIM_SCENARIO_CATALOG_ASSET_FILES_H
#define SIM_SCENARIO_CATALOG_ASSET_FILES_H

#include "sim/base/asset.h"
#include "sim/base/file_source.h"

/* The files of one folder. */
typedef struct {
    const char *path;    /* ends with a slash: "catalog/"; "": the names are whole paths */
    const Asset *assets; /* [*count] */
    const int *count;
} AssetFolder;

typedef struct {
    int32_t folder_count;
    const AssetFolder *folders;
    const FileSource *others; /* the source of all other files; NULL: there are none */
} AssetFiles;

/* `files` is borrowed. */
FileSource asset_files(const AssetFiles *files);

#endif
