/* Changes in a file since a snapshot of its share, in whole pages. */
#ifndef EMU_FILES_DIFFERENCE_H
#define EMU_FILES_DIFFERENCE_H

#include "emu/files/store/file_store.h"

typedef struct {
    FilesRange range;
    bool is_clear; /* the range was cleared */
} FilesChange;

/* A file at one time. */
typedef struct {
    ShareName share;
    const char *path;
} FileAt;

/* Changes of a file in the range `within` from `before` to `now`, in order, in `arena`. A file that
 * did not exist before has changed wherever it is written or cleared. Compares the bytes of pages
 * that are written in both. */
FilesFailure files_difference(FileStore *files, Arena *arena, FileAt before, FileAt now,
                              FilesRange within, FilesChange **changes, int32_t *count);

#endif
