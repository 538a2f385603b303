/* What Azure Files works with, and what it asks of the emulator around it. */
#ifndef EMU_AZURE_FILES_H
#define EMU_AZURE_FILES_H

#include "emu/files/store/file_store.h"
#include "emu/http/addresses.h"
#include "emu/state/store.h"
#include "sim/json/json.h"

enum { FILES_ID = 37 }; /* a GUID, with its NUL */

typedef struct {
    FileStore *files;
    Store *store; /* its settings hold blob containers and the properties of file services */
    const char *storage_suffix;     /* "core.windows.net" */
    const HttpAddresses *addresses; /* where clients reach the emulator */
    bool is_files_only; /* no Resource Manager: an account exists as soon as a request names it */

    void *owner; /* of the functions below */
    /* The simulated calendar, and the machine's, by which times of signatures are judged. */
    int64_t (*now_ms)(void *owner);
    int64_t (*machine_ms)(void *owner);
    /* Key `which` (0 or 1) of an account in base64, in `arena`; NULL: there is no such account. */
    const char *(*account_key)(void *owner, Arena *arena, const char *account, int which);
    /* A number that differs when an account is deleted and made again; -1: there is none. */
    int64_t (*account_number)(void *owner, const char *account);
    /* An id for `purpose` that no other request gets. */
    void (*new_id)(void *owner, const char *purpose, char out[FILES_ID]);
    /* Enters a command ("file.upload") in the journal and applies it; false with the problems. */
    bool (*enter)(void *owner, const Json *command, Problems *problems);
} AzureFiles;

#endif
