/* What a request to Azure Files is about: which account, share and path. Three forms lead there:
 *
 *     host style   https://ACCOUNT.file.SUFFIX/SHARE/dir/file
 *     path style   http://127.0.0.1:PORT/ACCOUNT/SHARE/dir/file
 *     userinfo     https://ACCOUNT.file.core.x@127.0.0.1:PORT/SHARE/dir/file, on a listener of its
 *                  own: the account stands in the signature alone
 *
 * In path style, too, what is signed with a key may leave the account to its signature.
 *
 * The path is split after it is decoded: some clients send "a%2Fb" for a directory. Slashes at its
 * end mean nothing; nor do dots at the end of a name, unless the request has
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
    const char *path;     /* "a/b", as the store takes it; "" */
    const char *resource; /* "/SHARE/a/b" as written, but decoded: what signatures of URLs are of */
    const char *snapshot; /* of "sharesnapshot"; NULL */
} FilesAddress;

/* Whether a text looks like a snapshot's time, "2018-06-15T21:57:57.0000000Z": nothing longer, and
 * no other characters. */
bool files_is_snapshot_time(const char *text);

/* Whether the account's name may be one: 3 to 24 small letters and digits, and no word with which
 * paths of the Resource Manager and its neighbours begin. */
bool account_name_is_valid(const char *name);

/* The version of the protocol that the client says it speaks, else that of its SAS; where neither
 * is one, 2021-12-02. */
const char *files_version(const HttpRequest *request);

/* Whether a request goes to Azure Files, or the blob host, at all. `suffix`: "core.windows.net". */
bool files_address_is_ours(const HttpRequest *request, const char *suffix);
/* Anything but AZURE_OK leaves `address` half filled. */
AzureError files_address_read(const HttpRequest *request, const char *suffix,
                              FilesAddress *address);
/* The same of a URL inside a request ("x-ms-copy-source"), whose query is put into `inner`, a
 * request that has nothing else. AZURE_FILES_ADDRESS_URI also for one that is not ours. */
AzureError files_address_read_url(const HttpRequest *outer, const char *url, const char *suffix,
                                  HttpRequest *inner, FilesAddress *address);

#endif
