/* The context of an operation of the file store, and its beginning and end. */
#ifndef EMU_FILES_OPERATION_H
#define EMU_FILES_OPERATION_H

#include "emu/files/store/contents.h"
#include "emu/files/store/file_store.h"
#include "emu/files/store/tables.h"
#include "emu/files/store/world_files.h"

enum { SHARES_USED = 64 };

/* An upper bound of the bytes in a share: the count at some time and all bytes added since. If even
 * the bound is below the quota, the share is not counted again. */
typedef struct {
    int64_t share;
    int64_t bytes;
    uint32_t written; /* WorldFiles.written_by_jobs at the count */
} ShareUse;

struct FileStore {
    Arena *arena;
    Store *store;
    Tables tables;
    Blobs blobs;
    WorldFiles world;
    ShareUse shares_used[SHARES_USED]; /* a few shares that clients write to */
    uint32_t share_used_next;          /* the index of the next one */
    bool has_unreported;               /* there may be rows in `file_untold` */
};

/* Begins and ends an operation that writes; between the two it has an arena. If it fails, all its
 * writes are undone. NULL with the cause in `tables.failure`: it cannot begin. */
Arena *operation_begin(FileStore *files);
FilesFailure operation_end(FileStore *files, Arena *arena, FilesFailure failure);
/* Begins and ends an operation that only reads. */
void operation_look(FileStore *files);
FilesFailure operation_looked(const FileStore *files, FilesFailure failure);

#endif
