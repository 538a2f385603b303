/* The account, share and path that a request to Azure Files is about. A request has one of three
 * forms:
 *
 *     host style   https://ACCOUNT.file.SUFFIX/SHARE/dir/file
 *     path style   http://127.0.0.1:PORT/ACCOUNT/SHARE/dir/file
 *     userinfo     https://ACCOUNT.file.core.x@127.0.0.1:PORT/SHARE/dir/file, on a separate
 *                  listener: only the signature contains the account
 *
 * A path-style request that is signed with a key may also leave the account to its signature. One
 * with a signature for a blob (sr=b) is for the blob host.
 *
 * The path is split after it is decoded, because some clients send "a%2Fb" for a directory. Slashes
 * at its end are ignored. So are dots at the end of a name, unless the request has
 * x-ms-allow-trailing-dot, or x-ms-source-allow-trailing-dot for a URL inside it. */
#ifndef EMU_FILES_ADDRESS_H
#define EMU_FILES_ADDRESS_H

#include "emu/http/azure_error.h"
#include "emu/http/http.h"

typedef enum { FILES_HOST, BLOB_HOST } FilesHost;

typedef struct {
    FilesHost host;
    const char *account;
    const char *share;    /* ""; a container of the blob host */
    const char *path;     /* "a/b", in the store's form; "" */
    const char *resource; /* "/SHARE/a/b" as written, but decoded: signatures of URLs cover it */
    const char *snapshot; /* of "sharesnapshot"; NULL */
} FilesAddress;

/* Whether a text has the form of a snapshot's time, "2018-06-15T21:57:57.0000000Z". */
bool files_is_snapshot_time(const char *text);

/* Whether `name` is a valid account name: 3 to 24 small letters and digits, and not a word with
 * which paths of the Resource Manager or the emulator begin. */
bool account_name_is_valid(const char *name);

/* The protocol version of the request, or else of its SAS; 2021-12-02 if neither has a valid one.
 */
const char *files_version(const HttpRequest *request);

/* Whether a request is for Azure Files or the blob host. `suffix`: "core.windows.net". */
bool files_address_is_ours(const HttpRequest *request, const char *suffix);
/* AZURE_OK, or the error of a malformed address; `address` is incomplete then. */
AzureError files_address_read(const HttpRequest *request, const char *suffix,
                              FilesAddress *address);
/* The same for a URL inside a request ("x-ms-copy-source"). `inner` becomes a request with the
 * URL's host, path and query. AZURE_FILES_ADDRESS_URI for a URL that is not the emulator's. */
AzureError files_address_read_url(const HttpRequest *outer, const char *url, const char *suffix,
                                  HttpRequest *inner, FilesAddress *address);

#endif
