/* The context of Azure Files: its stores, and the functions that it needs from the emulator. */
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
    const HttpAddresses *addresses; /* for absolute URLs */
    bool
        is_files_only; /* no Resource Manager: the first request with its name creates an account */

    void *owner; /* of the functions below */
    /* The simulated calendar, and the machine's, with which times of signatures are compared. */
    int64_t (*now_ms)(void *owner);
    int64_t (*machine_ms)(void *owner);
    /* Key `which` (0 or 1) of an account in base64, in `arena`; NULL if there is no such account.
     */
    const char *(*account_key)(void *owner, Arena *arena, const char *account, int which);
    /* A number that changes when an account is deleted and created again; -1 if there is no
     * account. */
    int64_t (*account_number)(void *owner, const char *account);
    /* A unique id for `purpose` and the current request. */
    void (*new_id)(void *owner, const char *purpose, char out[FILES_ID]);
    /* Enters a command ("file.upload") in the journal and applies it; false with the problems. */
    bool (*enter)(void *owner, const Json *command, Problems *problems);

    /* The account that was last found to have no CORS rules, "" at first. Every GET looks for
     * rules, which otherwise is a query of the database. */
    char account_without_cors[25];
} AzureFiles;

#endif
