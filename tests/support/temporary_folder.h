/* A folder for the files of one test. */
#ifndef TESTS_SUPPORT_TEMPORARY_FOLDER_H
#define TESTS_SUPPORT_TEMPORARY_FOLDER_H

#include "sim/base/arena.h"

/* A new, empty one below $TMPDIR or /tmp. */
const char *temporary_folder_create(Arena *arena);
void temporary_folder_remove(const char *folder); /* with all that is in it */

/* Writes FOLDER/NAME. */
void temporary_file_write(const char *folder, const char *name, const void *bytes, size_t length);

/* The text of the file at `path`; ends the test if it cannot be read. */
char *temporary_file_text(Arena *arena, const char *path);

#endif
