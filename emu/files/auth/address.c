#include "emu/files/auth/address.h"

#include <string.h>

#include "emu/files/auth/sas_fields.h"
#include "emu/files/store/file_names.h"
#include "sim/base/ascii.h"

bool account_name_is_valid(const char *name)
{
    static const char *const taken[] = {"subscriptions", "providers", "tenants",  "metadata",
                                        "adfs",          "msi",       "trainyard"};
    const size_t length = strlen(name);
    if (length < 3 || length > 24 || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") != length)
        return false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return false;
    return true;
}

/* --- The account --- */

/* The account of "ACCOUNT.file.SUFFIX" or "ACCOUNT.blob.SUFFIX", with or without a port; NULL. */
static const char *account_of_host(Arena *arena, const char *host, const char *suffix,
                                   FilesHost *kind)
{
    const size_t length = strcspn(host, ":"), account = strcspn(host, ".");
    const char *service = host + account;
    const size_t rest = length > account ? length - account : 0;
    if (rest != strlen(".file.") + strlen(suffix) ||
        !ascii_same_start(service + strlen(".file."), suffix, strlen(suffix)))
        return NULL;
    if (ascii_same_start(service, ".file.", 6))
        *kind = FILES_HOST;
    else if (ascii_same_start(service, ".blob.", 6))
        *kind = BLOB_HOST;
    else
        return NULL;
    char *name = arena_strndup(arena, host, account);
    for (char *c = name; *c; c++)
        *c = ascii_lower(*c); // host names have no case
    return name;
}

/* The account of "SharedKey ACCOUNT:signature" or of SharedKeyLite; NULL. */
static const char *account_of_signature(const HttpRequest *request)
{
    static const char scheme[] = "SharedKey";
    const char *text = http_header(request, "Authorization");
    const bool is_key = text && strncmp(text, scheme, sizeof scheme - 1) == 0;
    const char *space = is_key ? strchr(text, ' ') : NULL;
    const char *colon = space ? strchr(space, ':') : NULL;
    const char *account =
        colon ? arena_strndup(request->arena, space + 1, (size_t)(colon - space - 1)) : NULL;
    return account && account_name_is_valid(account) ? account : NULL;
}

/* The first part of the path, decoded, and the rest of the path; NULL if an escape is broken. */
static const char *first_part(const HttpRequest *request, const char **rest)
{
    const char *at = request->target + strspn(request->target, "/");
    const size_t length = strcspn(at, "/");
    *rest = at + length;
    return http_decode(request->arena, at, length, false);
}

bool files_address_is_ours(const HttpRequest *request, const char *suffix)
{
    FilesHost host;
    const char *rest;
    if (request->listener == LISTENER_USERINFO ||
        account_of_host(request->arena, request->host, suffix, &host) ||
        account_of_signature(request))
        return true;
    const char *account = first_part(request, &rest);
    return account && account_name_is_valid(account);
}

/* --- What it is about --- */

const char *files_version(const HttpRequest *request)
{
    const char *said = http_header(request, "x-ms-version");
    if (!said)
        said = http_query(request, "sv");
    return said && files_is_version(said) ? arena_strdup(request->arena, said) : "2021-12-02";
}

/* Older versions do not have the header. */
static bool keeps_dots(const HttpRequest *request, const char *header)
{
    const char *said = http_header(request, header);
    return said && ascii_same(said, "true") && strcmp(files_version(request), "2022-11-02") >= 0;
}

/* Reads "/SHARE/a/b", a path without its account. */
static AzureError read_resource(Arena *arena, const char *path, bool has_dots,
                                FilesAddress *address)
{
    const char *decoded = http_decode(arena, path, strlen(path), false);
    if (!decoded)
        return AZURE_FILES_ADDRESS_URI;
    decoded += strspn(decoded, "/");
    size_t length = strlen(decoded);
    while (length > 0 && decoded[length - 1] == '/')
        length--;
    decoded = arena_strndup(arena, decoded, length);
    address->resource = length > 0 ? arena_printf(arena, "/%s", decoded) : "";
    const size_t share = strcspn(decoded, "/");
    address->share = arena_strndup(arena, decoded, share);
    address->path = "";
    if (share > 0 && !share_name_is_valid(address->share))
        return share < 3 || share > 63 ? AZURE_FILES_ADDRESS_SHARE_LENGTH
                                       : AZURE_FILES_ADDRESS_SHARE;
    FileName *names;
    int32_t count;
    const char *below = decoded + share + (decoded[share] == '/');
    if (!file_path_fits(below))
        return AZURE_FILES_ADDRESS_PATH;
    if (!has_dots)
        below = file_path_without_dots(arena, below);
    if (!file_path_split(arena, below, &names, &count))
        return AZURE_FILES_ADDRESS_NAME;
    for (int32_t i = 0; i < count; i++)
        address->path =
            i == 0 ? names[i].name : arena_printf(arena, "%s/%s", address->path, names[i].name);
    return AZURE_OK;
}

bool files_is_snapshot_time(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && length < 40 && strspn(text, "0123456789-:.TZ") == length;
}

static AzureError read_address(const HttpRequest *request, const char *suffix, bool has_dots,
                               FilesAddress *address)
{
    *address = (FilesAddress){.host = FILES_HOST};
    const char *rest = request->target;
    if (request->listener == LISTENER_USERINFO)
        address->account = account_of_signature(request);
    else
        address->account = account_of_host(request->arena, request->host, suffix, &address->host);
    if (!address->account && request->listener != LISTENER_USERINFO) {
        const char *signing = account_of_signature(request);
        address->account = first_part(request, &rest);
        if (!address->account)
            return AZURE_FILES_ADDRESS_URI;
        // The JavaScript SDK renames to "/SHARE/a/b", also if paths begin with the account, and
        // continues with that path. A signature with a key names the account.
        if (signing && strcmp(signing, address->account) != 0) {
            address->account = signing;
            rest = request->target;
        }
        const char *kind = http_query(request, "sr");
        if (kind && strcmp(kind, "b") == 0) // a signature for a blob
            address->host = BLOB_HOST;
    }
    if (!address->account || !account_name_is_valid(address->account))
        return AZURE_FILES_ADDRESS_ACCOUNT;
    address->snapshot = http_query(request, "sharesnapshot");
    if (address->snapshot && !files_is_snapshot_time(address->snapshot))
        return AZURE_FILES_ADDRESS_SNAPSHOT;
    return read_resource(request->arena, rest, has_dots, address);
}

AzureError files_address_read(const HttpRequest *request, const char *suffix, FilesAddress *address)
{
    return read_address(request, suffix, keeps_dots(request, "x-ms-allow-trailing-dot"), address);
}

/* --- URLs --- */

/* Reads "https://HOST/path?query" as a request; false if it is not a URL. */
static bool read_url(Arena *arena, const char *url, HttpRequest *request)
{
    if (ascii_same_start(url, "https://", 8))
        url += 8;
    else if (ascii_same_start(url, "http://", 7))
        url += 7;
    else
        return false;
    const size_t authority = strcspn(url, "/?#");
    request->host = arena_strndup(arena, url, authority);
    url += authority;
    const size_t path = strcspn(url, "?#");
    request->target = path > 0 ? arena_strndup(arena, url, path) : "/";
    url += path;
    const char *query = *url == '?' ? url + 1 : "";
    return http_read_query(request, arena_strndup(arena, query, strcspn(query, "#")));
}

static bool is_this_machine(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (ascii_same_start(host, names[i], length) &&
            (host[length] == '\0' || host[length] == ':'))
            return true;
    }
    return false;
}

AzureError files_address_read_url(const HttpRequest *outer, const char *url, const char *suffix,
                                  HttpRequest *inner, FilesAddress *address)
{
    *inner = (HttpRequest){.arena = outer->arena,
                           .listener = LISTENER_PLAIN,
                           .method = HTTP_GET,
                           .method_text = "GET",
                           .query_text = "",
                           .peer = outer->peer,
                           .body = ""};
    if (!read_url(outer->arena, url, inner))
        return AZURE_FILES_ADDRESS_URI;
    // In "ACCOUNT.file.core.x@127.0.0.1:PORT" the user names the account.
    const char *at = strchr(inner->host, '@');
    if (at) {
        const size_t user = (size_t)(at - inner->host), account = strcspn(inner->host, ".");
        if (account < user && strncmp(inner->host + account, ".file.", 6) == 0)
            inner->target =
                arena_printf(outer->arena, "/%.*s%s", (int)account, inner->host, inner->target);
        inner->host = at + 1;
    }
    // Other hosts are neither an account of this emulator nor this machine.
    FilesHost kind;
    const bool is_here = is_this_machine(inner->host) || strcmp(inner->host, outer->host) == 0;
    if (!is_here && !account_of_host(outer->arena, inner->host, suffix, &kind))
        return AZURE_FILES_ADDRESS_URI;
    return read_address(inner, suffix, keeps_dots(outer, "x-ms-source-allow-trailing-dot"),
                        address);
}
