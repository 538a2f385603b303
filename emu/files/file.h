/* Operations of files, except for their ranges (ranges.c) and copies (copy.c), and functions that
 * those use. */
#ifndef EMU_FILES_FILE_H
#define EMU_FILES_FILE_H

#include "emu/files/call.h"

/* Whether a file may be created or replaced at the request's path. */
bool file_may_be_made(FilesCall *call);

/* Makes a range of a file the source of an answer. The source is allocated in `arena` and closes
 * the reader. The first 32 MiB are read and checked before, because a later failure can only cut
 * the connection; if this fails, the reader is closed and the answer unchanged. */
FilesFailure files_send(Arena *arena, FilesReader *reader, FilesRange range,
                        HttpResponse *response);

#endif
