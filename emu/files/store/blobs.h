/* Blobs: the files in the folder `contents` that hold the bytes of files on shares. Ranges are only
 * ever appended to a blob, and given back to the disk when they are unused. */
#ifndef EMU_FILES_BLOBS_H
#define EMU_FILES_BLOBS_H

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
enum { BLOB_NAME = 24 };

struct Blobs {
    Arena *arena;
    Store *store;
    Tables *tables;
    int folder;           /* descriptor of the folder `contents`; -1 */
    FilesReader *readers; /* all open readers */
    DeadRange *dead;
    uint32_t dead_count, dead_capacity, dead_before; /* at the beginning of the operation */
    OpenBlob open_blobs[OPEN_BLOBS];
    uint64_t uses;
    FilesRange damaged; /* of a file: the bytes that the last FILES_DAMAGED is about */
    DamageListener listener;
};

/* The name of its file. */
void blob_name(int64_t blob, char name[BLOB_NAME]);
/* A descriptor for reading the blob, until blob_release; -1 with errno. */
int blob_hold(Blobs *blobs, int64_t blob);
/* Releases the descriptor of a reader: that of a blob, or a separate one. */
void blob_release(Blobs *blobs, int descriptor);
void blob_close_all(Blobs *blobs);
/* Appends bytes and returns their position; -1 on failure. Bytes that were appended and not
 * committed stay before them, unused. */
int64_t blob_append(Blobs *blobs, int64_t blob, const char *bytes, int64_t length);
/* Reports to the listener. */
void damage_report(const Blobs *blobs, const char *file, FilesRange range);
void dead_add(Blobs *blobs, DeadRange range);
/* Removes the file of the blob. */
void blob_remove(Blobs *blobs, int64_t blob);
/* Frees the disk space of a range; on a file system that cannot, only space is lost. */
void blob_punch(const Blobs *blobs, DeadRange range);

#endif
