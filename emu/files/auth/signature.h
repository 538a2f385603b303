/* Signatures with an account's keys, and the reason for a denial. */
#ifndef EMU_FILES_SIGNATURE_H
#define EMU_FILES_SIGNATURE_H

#include "emu/files/auth/azure_files.h"
#include "emu/http/azure_error.h"

/* With `is_files_only` there is no Resource Manager that creates accounts: every account name is
 * valid and has this key 1 and key 2. Microsoft publishes the account and the key for storage
 * emulators ("Use the Azurite emulator for local Azure Storage development"): tools know them, and
 * the key protects nothing. */
#define FILES_DEVELOPMENT_ACCOUNT "devstoreaccount1"
#define FILES_DEVELOPMENT_KEY                                                                      \
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

/* Key `which` (0 or 1) of an account in base64; NULL if there is no such account. */
const char *files_account_key(const AzureFiles *service, Arena *arena, const char *account,
                              int which);

/* Why a request is denied: always 403. */
typedef struct {
    AzureError error;
    const char *detail; /* details; "" if they would not help a client */
} FilesDenial;

/* Fills `denial`; returns false. */
bool files_deny(FilesDenial *denial, AzureError error, const char *detail);

/* The signature of `text` with key `which` (0, 1) of the account, in base64; NULL if there is no
 * such account. */
const char *files_signature(const AzureFiles *service, Arena *arena, const char *account, int which,
                            const char *text);
/* Whether `signature` is the signature of `text` with one of the account's keys. */
bool files_signature_is_valid(const AzureFiles *service, Arena *arena, const char *account,
                              const char *text, const char *signature);

#endif
