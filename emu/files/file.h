/* Operations of files, except for their ranges (ranges.c) and copies (copy.c), and functions that
 * those use. */
#ifndef EMU_FILES_FILE_H
#define EMU_FILES_FILE_H

#include "emu/files/call.h"

/* Whether a file may be created or replaced at the request's path. */
bool file_may_be_made(FilesCall *call);

/* The source of an answer: a file's contents from byte `first` on. It is allocated in `arena` and
 * closes the reader. */
HttpSource files_source(Arena *arena, FilesReader *reader, int64_t first);

#endif
