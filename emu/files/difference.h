/* What has changed in a file since a snapshot of its share, in whole pages. */
#ifndef EMU_FILES_DIFFERENCE_H
#define EMU_FILES_DIFFERENCE_H

#include "emu/files/store/file_store.h"

typedef struct {
    FilesRange range;
    bool is_clear; /* nothing is written there any more */
} FilesChange;

/* A file at one time. */
typedef struct {
    ShareName share;
    const char *path;
} FileAt;

/* Changes of a file within `within` from `before` to `now`, in order, in `arena`. One that was not
 * there before has changed wherever it is written or cleared. Reads both where both are written. */
FilesFailure files_difference(FileStore *files, Arena *arena, FileAt before, FileAt now,
                              FilesRange within, FilesChange **changes, int32_t *count);

#endif
