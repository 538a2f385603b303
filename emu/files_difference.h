/* What has changed in a file since a snapshot of its share, in whole pages. */
#ifndef EMU_FILES_DIFFERENCE_H
#define EMU_FILES_DIFFERENCE_H

#include "emu/file_store.h"

typedef struct {
    FilesRange range;
    bool is_clear; /* nothing is written there any more */
} FilesChange;

/* Changes of `path` within `within` from `before` to `now`, in order, in `arena`. A file that was
 * not there before has changed wherever it is written. Reads both where either is written. */
FilesFailure files_difference(FileStore *files, Arena *arena, ShareName before, ShareName now,
                              const char *path, FilesRange within, FilesChange **changes,
                              int32_t *count);

#endif
