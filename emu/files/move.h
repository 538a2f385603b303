/* Files and directories under another name, and what requests say in headers of a second file:
 * where it is, and whether they may read it. */
#ifndef EMU_FILES_MOVE_H
#define EMU_FILES_MOVE_H

#include "emu/files/call.h"

/* Rename Directory, Rename File. */
void move_entry(FilesCall *call, FilesKind kind);

/* The file that a URL in a request names. */
typedef struct {
    ShareName share;
    const char *path;
    const char *told; /* the URL without its signature */
    FilesEntry entry;
} CopySource;

/* The file of "x-ms-copy-source". A key of the same account may read it; otherwise its URL is
 * signed. */
bool copy_source_read(FilesCall *call, CopySource *source);

#endif
