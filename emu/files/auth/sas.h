/* Shared access signatures: URLs that say what may be done until when, and are signed for it.
 *
 * Source: Microsoft, "Create a service SAS", "Create an account SAS", "Define a stored access
 * policy" (Azure Storage REST API). */
#ifndef EMU_FILES_SAS_H
#define EMU_FILES_SAS_H

#include "emu/files/auth/address.h"
#include "emu/files/auth/signature.h"

/* What a request may do. */
typedef struct {
    const char *permissions; /* of a SAS: letters of "rcwdl" and others; NULL: everything */
    const char *kinds;       /* of an account SAS: letters of "sco", service, share, object; NULL */
    bool is_of_file;         /* a SAS of the one file that its URL names */
} FilesAccess;

/* Whether the URL's signature, times, addresses and protocol let the request in; what it may do
 * goes into `access`. */
MUST_CHECK bool files_sas_check(const AzureFiles *service, const HttpRequest *request,
                                const FilesAddress *address, FilesAccess *access,
                                FilesDenial *denial);

/* "http://PLAIN/ACCOUNT/SHARE/path?sv=...&sr=f&sig=...&se=...&sp=rl", valid until the second of
 * `expires_unix_ms`; NULL when there is no such account. In `arena`. */
const char *files_sas_url(const AzureFiles *service, Arena *arena, const char *account,
                          const char *share, const char *path, const char *permissions,
                          int64_t expires_unix_ms);

#endif
