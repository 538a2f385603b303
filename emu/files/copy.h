/* Copies of files: whoever makes one waits for it here, so each is complete when it is answered. */
#ifndef EMU_FILES_COPY_H
#define EMU_FILES_COPY_H

#include "emu/files/call.h"

/* x-ms-copy-* of a file that was copied. */
void copy_tell(FilesCall *call, const Json *properties);
/* The file is no copy any more: its properties were set since. */
void copy_forget(Arena *arena, Json *properties);

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
/* Whether the URL of a second file is signed itself, for all that `letters` allow. */
bool copy_url_is_signed(FilesCall *call, HttpRequest *inner, const FilesAddress *address,
                        const char *letters, FilesDenial *denial);

#endif
