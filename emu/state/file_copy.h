/* A copy of a file of a state folder, for a folder that continues it. */
#ifndef EMU_FILE_COPY_H
#define EMU_FILE_COPY_H

#include "sim/base/status.h"

/* Copies the bytes of `path` to the new file `to_path` (0600), and syncs it. STATUS_MACHINE on
 * failure; part of the new file may be there then. */
MUST_CHECK bool file_copy(const char *path, const char *to_path, Status *status);

#endif
