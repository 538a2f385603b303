/* The contents of files: what writing, clearing and dropping a range does to its extents
 * (emu/files/store/extents.h) and its blob (emu/files/store/blobs.h). */
#ifndef EMU_FILES_CONTENTS_H
#define EMU_FILES_CONTENTS_H

#include "emu/files/store/blobs.h"

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
/* Begins an operation, or undoes it: ranges that it left unused are used again. */
void contents_begin(Blobs *blobs);
void contents_undo(Blobs *blobs);
/* Removes ranges and blobs that are unused since the last commit. */
void contents_sweep(Blobs *blobs);

#endif
