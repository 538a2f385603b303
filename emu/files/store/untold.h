/* Which files clients wrote since the world was told what is in them. */
#ifndef EMU_FILES_UNTOLD_H
#define EMU_FILES_UNTOLD_H

#include "emu/files/store/file_store.h"

typedef struct {
    ShareName share;
    const char *path;
} FilesUntold;
FilesFailure files_untold_add(FileStore *files, ShareName share, const char *path);
FilesFailure files_untold_remove(FileStore *files, ShareName share, const char *path);
/* All of them, by account, share and path; in `arena`. */
FilesUntold *files_untold(FileStore *files, Arena *arena, int32_t *count);

#endif
