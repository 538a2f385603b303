/* Authentication and authorisation of requests to Azure Files. A request is signed with a key of
 * the account (SharedKey, SharedKeyLite), or its URL is a shared access signature
 * (emu/files/auth/sas.h). All others are denied.
 *
 * Source: Microsoft, "Authorize with Shared Key" (Azure Storage REST API). */
#ifndef EMU_FILES_AUTH_H
#define EMU_FILES_AUTH_H

#include "emu/files/auth/sas.h"

/* False with the reason in `denial`. Times are compared with the machine's calendar. */
MUST_CHECK bool files_authenticate(const AzureFiles *service, const HttpRequest *request,
                                   const FilesAddress *address, FilesAccess *access,
                                   FilesDenial *denial);

/* The permissions that an operation needs from a SAS. */
typedef struct {
    char kind;           /* 's', 'c' or 'o', of an account SAS */
    const char *account; /* one of these letters is enough; "" needs a key */
    const char *service; /* the same for a SAS of a share or file */
} FilesNeeds;

MUST_CHECK bool files_authorize(const FilesAccess *access, const FilesNeeds *needs,
                                FilesDenial *denial);

/* --- For tests --- */

/* The text that a SharedKey signature covers, or with `is_lite` a SharedKeyLite signature; in the
 * request's arena. Headers are in the order of their bytes; one other order is accepted, too. */
const char *files_string_to_sign(const HttpRequest *request, const char *account, bool is_lite);
#endif
