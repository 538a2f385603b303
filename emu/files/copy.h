/* Copies of files. A copy is complete when its request is answered. */
#ifndef EMU_FILES_COPY_H
#define EMU_FILES_COPY_H

#include "emu/files/call.h"

/* Sets x-ms-copy-* for a file that was copied. */
void copy_answer(FilesCall *call, const Json *properties);
/* Removes the properties of a copy, because the file's properties were set since. */
void copy_forget(Arena *arena, Json *properties);

/* The file that a URL in a request names. */
typedef struct {
    ShareName share;
    const char *path;
    const char *url; /* the URL without its query, which may hold a signature */
    FilesEntry entry;
} CopySource;

/* Looks up the file of "x-ms-copy-source". A request signed with a key of the same account may read
 * it; otherwise the URL must be signed. */
bool copy_source_read(FilesCall *call, CopySource *source);
/* Whether the URL of a second file is signed and allows all operations in `letters`. */
bool copy_url_is_signed(FilesCall *call, HttpRequest *inner, const FilesAddress *address,
                        const char *letters, FilesDenial *denial);

#endif
