/* Addresses of files on a share that need no other authorization. */
#ifndef EMU_FILES_SAS_H
#define EMU_FILES_SAS_H

#include "emu/emulator.h"

/* The URL of a file, path style, signed with the account's key for `permissions` ("rl") up to that
 * time; in `arena`. NULL when there is no such account. */
const char *files_sas_url(Emulator *emulator, Arena *arena, const char *account, const char *share,
                          const char *path, const char *permissions, int64_t expires_unix_ms);

#endif
