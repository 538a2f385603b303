/* Where file contents come from: the disk (sim/cli/disk_files.h), the memory of a test, a store. */
#ifndef SIM_BASE_FILE_SOURCE_H
#define SIM_BASE_FILE_SOURCE_H

#include <stddef.h>

#include "sim/base/status.h"

/* Paths use '/' and are not empty. */
typedef struct {
    void *context;
    /* Reads the whole file into `arena`. STATUS_NOT_FOUND when there is no such file,
     * STATUS_MACHINE when it cannot be read. */
    bool (*read)(void *context, Arena *arena, const char *path, const char **text, size_t *length,
                 Status *status);
    /* Returns only the size, because a share may contain large files. Fails like `read`. */
    bool (*size)(void *context, const char *path, int64_t *bytes, Status *status);
    /* The file's name in the folder of `path` that was most likely meant by the one there (see
     * nearest_name), in `arena`; NULL when there is none. NULL: the source lists no folders. */
    const char *(*nearest)(void *context, Arena *arena, const char *path);
} FileSource;

/* Length of the folder part of `path` with its slash; 0 when there is none. */
size_t path_folder_length(const char *path);
/* `name` relative to the folder of `path`; an absolute name is returned unchanged. In `arena`. */
const char *path_beside(Arena *arena, const char *path, const char *name);

/* Reports that a source has no file at `path`: fills in STATUS_NOT_FOUND and returns false. */
bool file_is_missing(const char *path, Status *status);
/* Adds a problem at `at`, where a text names the file `name`, which `why` says cannot be read. */
Status *file_problem(Problems *problems, Place at, const char *name, const Status *why);

#endif
