/* Who asks Azure Files, and what they may do: requests are signed with a key of the account
 * (SharedKey, SharedKeyLite), or their URL is (shared access signatures, emu/files/auth/sas.h).
 * Nobody is let in without.
 *
 * Source: Microsoft, "Authorize with Shared Key" (Azure Storage REST API). */
#ifndef EMU_FILES_AUTH_H
#define EMU_FILES_AUTH_H

#include "emu/files/auth/sas.h"

/* False with the reason. Times are compared with the machine's calendar; those of SAS also with
 * the simulated one. */
MUST_CHECK bool files_authenticate(const AzureFiles *service, const HttpRequest *request,
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

/* --- For tests --- */

/* What a SharedKey signature is of; of the lite one with `is_lite`. In the request's arena. Headers
 * stand in the order of their bytes; one other order is taken, too. */
const char *files_string_to_sign(const HttpRequest *request, const char *account, bool is_lite);
#endif
