/* Operations of files, except for their ranges (ranges.c) and copies (copy.c), and what these share
 * with them. */
#ifndef EMU_FILES_FILE_H
#define EMU_FILES_FILE_H

#include "emu/files/call.h"

/* Whether a file may be made, or replaced, at the request's path. */
bool file_may_be_made(FilesCall *call);

/* A file's contents from byte `first` on as the source of an answer; lives in `arena` and closes
 * the reader at its end. */
HttpSource files_source(Arena *arena, FilesReader *reader, int64_t first);

#endif
