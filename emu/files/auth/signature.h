/* Signatures by an account's keys, and why a request is denied. */
#ifndef EMU_FILES_SIGNATURE_H
#define EMU_FILES_SIGNATURE_H

#include "emu/files/auth/azure_files.h"
#include "emu/http/azure_error.h"

/* With `is_files_only` there is no Resource Manager to make accounts: each account name is one,
 * and this is its key 1 and key 2. Account and key are those that Microsoft publishes for storage
 * emulators ("Use the Azurite emulator for local Azure Storage development"): tools know them, and
 * the key protects nothing. */
#define FILES_DEVELOPMENT_ACCOUNT "devstoreaccount1"
#define FILES_DEVELOPMENT_KEY                                                                      \
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

/* Key `which` (0 or 1) of an account in base64; NULL when there is no such account. */
const char *files_account_key(const AzureFiles *service, Arena *arena, const char *account,
                              int which);

/* Why not: always 403. */
typedef struct {
    AzureError error;
    const char *detail; /* what exactly; "" where that would help nobody */
} FilesDenial;

/* Fills `denial`; returns false. */
bool files_deny(FilesDenial *denial, AzureError error, const char *detail);

/* The signature of `text` by key `which` (0, 1) of the account, base64; NULL without account. */
const char *files_signature(const AzureFiles *service, Arena *arena, const char *account, int which,
                            const char *text);
/* Whether `signature` is that of `text` by one of the account's keys. */
bool files_signature_is_right(const AzureFiles *service, Arena *arena, const char *account,
                              const char *text, const char *signature);

#endif
