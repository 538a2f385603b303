/* Shared access signatures: signed URLs that grant permissions until a time.
 *
 * Source: Microsoft, "Create a service SAS", "Create an account SAS", "Define a stored access
 * policy" (Azure Storage REST API). */
#ifndef EMU_FILES_SAS_H
#define EMU_FILES_SAS_H

#include "emu/files/auth/address.h"
#include "emu/files/auth/signature.h"

/* The permissions of a request. */
typedef struct {
    const char *permissions; /* of a SAS: letters of "rcwdl" and others; NULL: all permissions */
    const char *kinds;       /* of an account SAS: letters of "sco", service, share, object; NULL */
    bool is_of_file;         /* a SAS of one file */
} FilesAccess;

/* Whether the URL's signature, times, addresses and protocol are valid; `access` gets its
 * permissions. */
MUST_CHECK bool files_sas_check(const AzureFiles *service, const HttpRequest *request,
                                const FilesAddress *address, FilesAccess *access,
                                FilesDenial *denial);

/* "http://PLAIN/ACCOUNT/SHARE/path?sv=...&sr=f&sig=...&se=...&sp=rl", in `arena`; sr=b of the blob
 * host, whose containers are in the place of shares. It expires at
 * `expires_unix_ms`, rounded down to a second. NULL if there is no such account. */
const char *files_sas_url(const AzureFiles *service, Arena *arena, FilesHost host,
                          const char *account, const char *share, const char *path,
                          const char *permissions, int64_t expires_unix_ms);

#endif
