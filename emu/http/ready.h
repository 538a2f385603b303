/* The facts with which clients of a running emulator are started: one small JSON file, written when
 * it serves and removed when it ends.
 *
 *     {"pid": 4711, "tls": "127.0.0.1:10443", "plain": "127.0.0.1:10444",
 *      "userinfo": "127.0.0.1:10445", "proxy": true, "files_only": false,
 *      "subscription": "...", "tenant": "...", "storage_suffix": "core.windows.net",
 *      "state": "/.../trainyard-state", "ca": "/.../ca.pem", "ca_bundle": "/.../ca-bundle.pem"} */
#ifndef EMU_READY_H
#define EMU_READY_H

#include "emu/http/addresses.h"
#include "sim/base/status.h"
#include "sim/base/text.h"

typedef struct {
    int64_t process;
    HttpAddresses addresses;
    bool has_proxy, is_files_only;
    const char *subscription, *tenant, *storage_suffix;
    const char *state_folder, *ca_path, *bundle_path; /* absolute */
} Ready;

/* "FOLDER/serve.json". */
const char *ready_path(Arena *arena, const char *state_folder);

void ready_print(const Ready *ready, Text *out);
MUST_CHECK bool ready_write(const Ready *ready, const char *path, Status *status);
/* Reads the file of the emulator that serves `state_folder`: STATUS_NOT_FOUND with a hint if there
 * is none. */
MUST_CHECK bool ready_read(Arena *arena, const char *state_folder, Ready *ready, Status *status);
/* Removes the file `path` if an emulator wrote it that was this process or has ended. */
void ready_remove(const char *path);

#endif
