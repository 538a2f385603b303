/* Who asks Azure Files, and what they may do: requests are signed with a key of the account
 * (SharedKey, SharedKeyLite), or their URL is (shared access signatures, emu/files/sas.h). Nobody
 * is let in without.
 *
 * Source: Microsoft, "Authorize with Shared Key" (Azure Storage REST API). */
#ifndef EMU_FILES_AUTH_H
#define EMU_FILES_AUTH_H

#include "emu/emulator.h"
#include "emu/files/address.h"

/* With `is_files_only` there is no Resource Manager to make accounts: each account name is one,
 * and this is its key 1 and key 2. Account and key are those that Microsoft publishes for storage
 * emulators ("Use the Azurite emulator for local Azure Storage development"): tools know them, and
 * the key protects nothing. */
#define FILES_DEVELOPMENT_ACCOUNT "devstoreaccount1"
#define FILES_DEVELOPMENT_KEY                                                                      \
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

/* Key `which` (0 or 1) of an account in base64; NULL when there is no such account. */
const char *files_account_key(Emulator *emulator, Arena *arena, const char *account, int which);

/* What a request may do. */
typedef struct {
    const char *permissions; /* of a SAS: letters of "rcwdl" and others; NULL: everything */
    const char *kinds;       /* of an account SAS: letters of "sco", service, share, object; NULL */
    bool is_of_file;         /* a SAS of the one file that its URL names */
} FilesAccess;

/* Why not: always 403. */
typedef struct {
    AzureError error;
    const char *detail; /* what exactly; "" where that would help nobody */
} FilesDenial;

/* Fills `denial`; returns false. */
bool files_deny(FilesDenial *denial, AzureError error, const char *detail);

/* False with the reason. Times are compared with the machine's calendar; those of SAS also with
 * the simulated one. */
MUST_CHECK bool files_authenticate(Emulator *emulator, const HttpRequest *request,
                                   const FilesAddress *address, FilesAccess *access,
                                   FilesDenial *denial);

/* What an operation needs of a SAS. */
typedef struct {
    char kind;           /* 's', 'c' or 'o', of an account SAS */
    const char *account; /* any of these letters is enough; "" needs a key */
    const char *service; /* likewise, of a SAS for a share or file */
} FilesNeeds;

MUST_CHECK bool files_authorize(const FilesAccess *access, const FilesNeeds *needs,
                                FilesDenial *denial);

/* --- For emu/files/sas.c and tests --- */

/* What a SharedKey signature is of; of the lite one with `is_lite`. In the request's arena. Headers
 * stand in the order of their bytes; one other order is taken, too. */
const char *files_string_to_sign(const HttpRequest *request, const char *account, bool is_lite);
/* The signature of `text` by key `which` (0, 1) of the account, base64; NULL without account. */
const char *files_signature(Emulator *emulator, Arena *arena, const char *account, int which,
                            const char *text);
/* Whether `signature` is that of `text` by one of the account's keys. */
bool files_signature_is_right(Emulator *emulator, Arena *arena, const char *account,
                              const char *text, const char *signature);

#endif
