/* Files beneath a folder, opened by relative paths that no link can lead out of it: no part of a
 * path is followed if it is a link, and ".." is refused. */
#ifndef EMU_BENEATH_H
#define EMU_BENEATH_H

#include <fcntl.h>
#include <stdbool.h>

/* How a directory is opened whose entries are read or opened. */
enum { BENEATH_FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* The directory `path` ("": itself) below `folder`, a descriptor. If `makes`, missing directories
 * are made. -1 with errno. */
int beneath_open_folder(int folder, const char *path, bool makes);
/* The last part of `path`, with `*above` the directory that it is in, which the caller closes; NULL
 * with errno. */
const char *beneath_open_above(int folder, const char *path, bool makes, int *above);
/* A file, opened with `flags`; -1 with errno. */
int beneath_open_file(int folder, const char *path, int flags, bool makes);

#endif
