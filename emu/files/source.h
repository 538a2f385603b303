/* A file's contents as the source of an answer. */
#ifndef EMU_FILES_SOURCE_H
#define EMU_FILES_SOURCE_H

#include "emu/files/store/file_store.h"
#include "emu/http/http.h"

/* From byte `first` on; lives in `arena` and closes the reader at its end. */
HttpSource files_source(Arena *arena, FilesReader *reader, int64_t first);

#endif
