/* What an operation of the file store works with, and how it begins and ends. */
#ifndef EMU_FILES_OPERATION_H
#define EMU_FILES_OPERATION_H

#include "emu/files/store/contents.h"
#include "emu/files/store/file_store.h"
#include "emu/files/store/tables.h"
#include "emu/files/store/world_files.h"

enum { SHARES_USED = 64 };

/* How much is in a share at most: what there was when it was counted, and what came since. Whoever
 * stays below the quota by that need not count again. */
typedef struct {
    int64_t share;
    int64_t bytes;
    uint32_t written; /* WorldFiles.written_by_jobs then */
} ShareUse;

struct FileStore {
    Arena *arena;
    Store *store;
    Tables tables;
    Blobs blobs;
    WorldFiles world;
    ShareUse shares_used[SHARES_USED]; /* a few that clients write to */
    uint32_t share_used_next;          /* the place of the next one */
    bool has_untold;                   /* there may be rows of `file_untold` */
};

/* An operation that writes is undone whole when it fails. */
bool operation_begin(FileStore *files);
FilesFailure operation_end(FileStore *files, FilesFailure failure);
/* One that only looks. */
void operation_look(FileStore *files);
FilesFailure operation_looked(const FileStore *files, FilesFailure failure);

#endif
