/* The contents of files on disk: which ranges of a file are in which blob, blobs, and readers. */
#ifndef EMU_FILES_CONTENTS_H
#define EMU_FILES_CONTENTS_H

#include "emu/files/store/reader.h"
#include "emu/files/store/tables.h"
#include "emu/state/store.h"

/* What may be removed from disk after the next commit. */
typedef struct {
    int64_t blob;
    int64_t position, length; /* length 0: the whole blob, if nothing is in it any more */
} DeadRange;

/* A blob that was read not long ago: opening its file costs more than reading a few KiB of it. The
 * file of a number is never another one while it is here, since blob_remove takes it out. */
typedef struct {
    int64_t blob;    /* 0: its file is gone, but for its readers */
    int descriptor;  /* -1: none */
    int32_t readers; /* who use the descriptor now */
    uint64_t used;   /* when last, by Blobs.uses */
} OpenBlob;

enum { OPEN_BLOBS = 32 };

typedef struct {
    Arena *arena;
    Store *store;
    Tables *tables;
    int folder;           /* descriptor of `contents`; -1 */
    FilesReader *readers; /* all that are open */
    DeadRange *dead;
    uint32_t dead_count, dead_capacity, dead_before; /* as the operation began */
    OpenBlob open_blobs[OPEN_BLOBS];
    uint64_t uses;
} Blobs;

/* Opens the folder `contents` of the store and removes what nothing refers to. */
bool contents_open(Blobs *blobs, Arena *arena, Store *store, Tables *tables, Status *status);
void contents_close(Blobs *blobs);
/* Removes what the last commit left without use. */
void contents_sweep(Blobs *blobs);
/* In the contents of an entry whose row is in the table, which may become other ones. */
void contents_write(Blobs *blobs, int64_t *contents, int64_t first, int64_t length,
                    const char *bytes);
/* Frees the pages that lie in the range, and writes zeros before and behind them. */
void contents_clear(Blobs *blobs, int64_t *contents, int64_t first, int64_t length);
/* As if nothing had ever been in the range. */
void contents_cut(Blobs *blobs, int64_t *contents, int64_t first, int64_t length);
/* Appends all that a reader has. */
void contents_fill(Blobs *blobs, int64_t *contents, FilesReader *reader);
/* An entry has given them up: its row is gone or has others. */
void contents_drop(Blobs *blobs, int64_t contents);
FilesReader *contents_reader(Blobs *blobs, int64_t contents, int64_t bytes);
/* Of `there` bytes in a file, which becomes the reader's, and zeros up to `bytes`. */
FilesReader *descriptor_reader(Blobs *blobs, int descriptor, int64_t there, int64_t bytes);
/* Opens a file without a name, for contents that are made; -1. */
int unnamed_file(Blobs *blobs);
/* The pages of a reader's file that are written or cleared, as far as they lie in [first, last]. */
FilesRange *reader_pages(const FilesReader *reader, Arena *arena, FilesPages which, int64_t first,
                         int64_t last, int32_t *count);
/* An operation begins, or is undone: what it left unused is used again. */
void contents_begin(Blobs *blobs);
void contents_undo(Blobs *blobs);

#endif
