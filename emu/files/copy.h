/* Copies of files: whoever makes one waits for it here, so each is complete when it is answered. */
#ifndef EMU_FILES_COPY_H
#define EMU_FILES_COPY_H

#include "emu/files/call.h"

/* x-ms-copy-* of a file that was copied. */
void copy_tell(FilesCall *call, const Json *properties);
/* The file is no copy any more: its properties were set since. */
void copy_forget(Arena *arena, Json *properties);
/* Whether a file may be made, or replaced, at the request's path (files_file.c). */
bool file_may_be_made(FilesCall *call);

#endif
