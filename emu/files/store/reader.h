/* An open file of the store. Its bytes stay as they were when it was opened, whatever is written
 * meanwhile. */
#ifndef EMU_FILES_READER_H
#define EMU_FILES_READER_H

#include <stddef.h>
#include <stdint.h>

typedef struct FilesReader FilesReader;

/* `length` bytes from `first` on, of those that there are; how many, or -1. */
int64_t files_read(FilesReader *reader, int64_t first, char *room, size_t length);
void files_reader_close(FilesReader *reader);

#endif
