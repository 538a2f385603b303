/* An open file of the store. Later writes do not change its bytes. */
#ifndef EMU_FILES_READER_H
#define EMU_FILES_READER_H

#include <stddef.h>
#include <stdint.h>

#include "emu/files/store/entry.h"

typedef struct FilesReader FilesReader;
typedef struct Blobs Blobs;

/* Is called where stored bytes differ from their checksum. `file`: "account/share/path". */
typedef struct {
    void *owner;
    void (*damaged)(void *owner, const char *file, FilesRange range); /* NULL: no listener */
} DamageListener;

/* Reads up to `length` bytes from `first` on. Returns their number, or -1 on failure: bytes that
 * differ from their checksum are not returned. */
int64_t files_read(FilesReader *reader, int64_t first, char *room, size_t length);
/* The last failure: FILES_MACHINE, FILES_DAMAGED; FILES_OK: none. */
FilesFailure files_reader_failure(const FilesReader *reader);
/* Reads [first, last] as files_read does, and keeps nothing of it. */
FilesFailure files_check(FilesReader *reader, FilesRange range);
void files_reader_close(FilesReader *reader);

/* --- For emu/files/store --- */

/* `file` is its name for a DamageListener. NULL if the disk fails, which the tables record. */
FilesReader *contents_reader(Blobs *blobs, const char *file, int64_t contents, int64_t bytes);
/* A reader of `there` bytes of a file, which it closes, and of zeros up to `bytes`. */
FilesReader *descriptor_reader(Blobs *blobs, int descriptor, int64_t there, int64_t bytes);
/* The written or cleared pages of a reader's file in [first, last]. */
FilesRange *reader_pages(const FilesReader *reader, Arena *arena, FilesPages which, int64_t first,
                         int64_t last, int32_t *count);
/* Whether an open reader reads the blob. */
bool readers_use(const Blobs *blobs, int64_t blob);

#endif
