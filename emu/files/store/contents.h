/* The contents of files on disk: extents, which say where the ranges of a file are stored; blobs,
 * the files that hold the bytes; and readers. */
#ifndef EMU_FILES_CONTENTS_H
#define EMU_FILES_CONTENTS_H

#include "emu/files/store/reader.h"
#include "emu/files/store/tables.h"
#include "emu/state/store.h"

/* A range that may be removed from disk after the next commit. */
typedef struct {
    int64_t blob;
    int64_t position, length; /* length 0: the whole blob, if no extent refers to it any more */
} DeadRange;

/* A recently read blob: opening its file costs more than reading a few KiB of it. The number of a
 * blob is not used again while it is here, because blob_remove takes it out. */
typedef struct {
    int64_t blob;    /* 0: its file is removed, and only its readers use the descriptor */
    int descriptor;  /* -1: none */
    int32_t readers; /* how many use the descriptor */
    uint64_t used;   /* Blobs.uses at the last use */
} OpenBlob;

enum { OPEN_BLOBS = 32 };

typedef struct {
    Arena *arena;
    Store *store;
    Tables *tables;
    int folder;           /* descriptor of the folder `contents`; -1 */
    FilesReader *readers; /* all open readers */
    DeadRange *dead;
    uint32_t dead_count, dead_capacity, dead_before; /* at the beginning of the operation */
    OpenBlob open_blobs[OPEN_BLOBS];
    uint64_t uses;
} Blobs;

/* Opens the folder `contents` of the store. Blobs that no extent refers to are set aside, with a
 * warning of the store. STATUS_BAD_INPUT where blobs are missing; if the store recovers, their
 * files are removed, with a warning for each. */
bool contents_open(Blobs *blobs, Arena *arena, Store *store, Tables *tables, Status *status);
void contents_close(Blobs *blobs);
/* Removes ranges and blobs that are unused since the last commit. */
void contents_sweep(Blobs *blobs);
/* Writes a range of the contents of an entry whose row is in the table. `*contents` may get another
 * number. */
void contents_write(Blobs *blobs, int64_t *contents, int64_t first, int64_t length,
                    const char *bytes);
/* Frees the whole pages of the range and writes zeros to the rest of it. */
void contents_clear(Blobs *blobs, int64_t *contents, int64_t first, int64_t length);
/* Removes the range, as if it had never been written. */
void contents_cut(Blobs *blobs, int64_t *contents, int64_t first, int64_t length);
/* Appends all bytes of a reader. */
void contents_fill(Blobs *blobs, int64_t *contents, FilesReader *reader);
/* Records that an entry does not use the contents any more: its row is removed or has other
 * contents. */
void contents_drop(Blobs *blobs, int64_t contents);
FilesReader *contents_reader(Blobs *blobs, int64_t contents, int64_t bytes);
/* A reader of `there` bytes of a file, which it closes, and of zeros up to `bytes`. */
FilesReader *descriptor_reader(Blobs *blobs, int descriptor, int64_t there, int64_t bytes);
/* Opens a file without a name, for generated contents; -1 on failure. */
int unnamed_file(Blobs *blobs);
/* The written or cleared pages of a reader's file in [first, last]. */
FilesRange *reader_pages(const FilesReader *reader, Arena *arena, FilesPages which, int64_t first,
                         int64_t last, int32_t *count);
/* Begins an operation, or undoes it: ranges that it left unused are used again. */
void contents_begin(Blobs *blobs);
void contents_undo(Blobs *blobs);

#endif
