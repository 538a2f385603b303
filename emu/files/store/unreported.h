/* The files that clients wrote and whose contents were not reported to the world yet. */
#ifndef EMU_FILES_UNREPORTED_H
#define EMU_FILES_UNREPORTED_H

#include "emu/files/store/file_store.h"

typedef struct {
    ShareName share;
    const char *path;
} FilesUnreported;
FilesFailure files_unreported_add(FileStore *files, ShareName share, const char *path);
FilesFailure files_unreported_remove(FileStore *files, ShareName share, const char *path);
/* All of them, ordered by account, share and path; in `arena`. */
FilesUnreported *files_unreported(FileStore *files, Arena *arena, int32_t *count);

#endif
