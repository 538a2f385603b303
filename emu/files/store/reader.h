/* An open file of the store. Later writes do not change its bytes. */
#ifndef EMU_FILES_READER_H
#define EMU_FILES_READER_H

#include <stddef.h>
#include <stdint.h>

#include "emu/files/store/entry.h"

typedef struct FilesReader FilesReader;
typedef struct Blobs Blobs;

/* Reads up to `length` bytes from `first` on. Returns their number, or -1 on failure. */
int64_t files_read(FilesReader *reader, int64_t first, char *room, size_t length);
void files_reader_close(FilesReader *reader);

/* --- For emu/files/store --- */

/* NULL if the disk fails, which the tables record. */
FilesReader *contents_reader(Blobs *blobs, int64_t contents, int64_t bytes);
/* A reader of `there` bytes of a file, which it closes, and of zeros up to `bytes`. */
FilesReader *descriptor_reader(Blobs *blobs, int descriptor, int64_t there, int64_t bytes);
/* The written or cleared pages of a reader's file in [first, last]. */
FilesRange *reader_pages(const FilesReader *reader, Arena *arena, FilesPages which, int64_t first,
                         int64_t last, int32_t *count);
/* Whether an open reader reads the blob. */
bool readers_use(const Blobs *blobs, int64_t blob);

#endif
