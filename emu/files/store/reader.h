/* An open file of the store. Later writes do not change its bytes. */
#ifndef EMU_FILES_READER_H
#define EMU_FILES_READER_H

#include <stddef.h>
#include <stdint.h>

typedef struct FilesReader FilesReader;

/* Reads up to `length` bytes from `first` on. Returns their number, or -1 on failure. */
int64_t files_read(FilesReader *reader, int64_t first, char *room, size_t length);
void files_reader_close(FilesReader *reader);

#endif
