/* Private to emu/files: Rename Directory and Rename File. */
#include <string.h>

#include "emu/files/copy.h"
#include "emu/files/metadata.h"
#include "emu/files/properties.h"

/* Whether the request may remove the source from its path. A key, and a SAS of the account or the
 * share, covers both paths. A SAS of one file covers that file only: then the source needs a SAS
 * that allows reading and deleting it. */
static bool may_move(FilesCall *call, HttpRequest *inner, const FilesAddress *source)
{
    FilesDenial denial = {AZURE_FILES_RESOURCE_TYPE_MISMATCH, ""};
    return !call->access.is_of_file ||
           (call->kind == FILES_FILE && copy_url_is_signed(call, inner, source, "rd", &denial)) ||
           call_refuse_denial(call, &denial);
}

/* The path to rename, in the same share. */
static bool rename_source(FilesCall *call, const char **path)
{
    const char *url;
    HttpRequest inner;
    FilesAddress address;
    if (!call_has_header(call, "x-ms-file-rename-source", &url))
        return false;
    const AzureError fault =
        files_address_read_url(call->request, url, call->service->storage_suffix, &inner, &address);
    const bool is_here = fault == AZURE_OK && address.host == FILES_HOST &&
                         strcmp(address.account, call->address.account) == 0 &&
                         strcmp(address.share, call->address.share) == 0;
    if (!is_here || address.snapshot || *address.path == '\0')
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                               "(x-ms-file-rename-source: a path of the same share)");
    if (!may_move(call, &inner, &address))
        return false;
    *path = files_path(call->files, call->arena, call->share, address.path);
    return true;
}

typedef struct PathList PathList;
struct PathList {
    const char *path; /* below the directory */
    int64_t bytes;
    PathList *next;
};

/* All files below a directory. */
static PathList *files_below(FilesCall *call, const char *directory, const char *inner,
                             PathList *found)
{
    enum { PAGE = 1000 };
    const char *after = "";
    bool more = true;
    while (more) {
        FilesEntry *entries;
        int32_t count;
        if (files_list(call->files, call->arena, call->share, directory, "", after, PAGE, &entries,
                       &count, &more) != FILES_OK ||
            count == 0)
            break;
        for (int32_t i = 0; i < count; i++) {
            const char *path = arena_printf(call->arena, "%s/%s", inner, entries[i].name);
            if (entries[i].kind == FILES_DIRECTORY) {
                found = files_below(call,
                                    arena_printf(call->arena, "%s/%s", directory, entries[i].name),
                                    path, found);
                continue;
            }
            PathList *file = ARENA_NEW(call->arena, PathList);
            *file = (PathList){.path = path, .bytes = entries[i].bytes, .next = found};
            found = file;
        }
        after = entries[count - 1].name;
    }
    return found;
}

/* For the world a renamed file is deleted and created. */
static bool report_moved(FilesCall *call, const char *from, const PathList *files)
{
    for (; files; files = files->next) {
        const char *to = arena_printf(call->arena, "%s%s", call->address.path, files->path);
        if (!call_report_delete(call, arena_printf(call->arena, "%s%s", from, files->path)) ||
            !call_report_upload(call, to, files->bytes) || !call_report_later(call, to))
            return false;
    }
    return true;
}

/* Whether the entry at the new path may be replaced. */
static bool may_replace(FilesCall *call)
{
    FilesEntry old;
    const FilesFailure failure =
        files_look(call->files, call->arena, call->share, call->address.path, &old);
    if (failure == FILES_NO_RESOURCE)
        return !call_header(call, "x-ms-destination-lease-id") ||
               call_refuse(call, AZURE_FILES_NO_LEASE_OF_FILE);
    if (failure != FILES_OK)
        return true; // files_rename reports why
    const bool ignores = call_is_true(call, "x-ms-file-rename-ignore-readonly");
    return (old.kind != FILES_FILE ||
            call_lease_allows(call, &old, "x-ms-destination-lease-id", true)) &&
           (ignores || smb_is_writable(call, &old));
}

/* Sets the properties and metadata of the request. */
static FilesFailure change_moved(FilesCall *call, const FilesEntry *old, Json *properties,
                                 const char *metadata)
{
    const char *news = properties_print(call->arena, properties);
    const bool is_changed = strcmp(news, old->properties) != 0 || *metadata;
    return is_changed ? files_change(call->files, call->share, call->address.path, -1, news,
                                     *metadata ? metadata : NULL, NULL)
                      : FILES_OK;
}

void op_entry_rename(FilesCall *call)
{
    const FilesKind kind = call->kind;
    const char *from = "", *metadata;
    FilesEntry old;
    if (!rename_source(call, &from))
        return;
    FilesFailure failure = files_look(call->files, call->arena, call->share, from, &old);
    if (failure == FILES_OK && old.kind != kind)
        failure = FILES_OTHER_KIND;
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    Json *properties = files_json_read(call->arena, old.properties);
    const char *type;
    if (!call_text(call, "x-ms-content-type", &type))
        return;
    if ((kind == FILES_FILE && !call_lease_allows(call, &old, "x-ms-source-lease-id", true)) ||
        !may_replace(call) || !metadata_take(call, &metadata) ||
        !smb_take(call, properties, (SmbWord){"preserve", &old}))
        return;
    if (type && kind == FILES_FILE)
        files_json_put(call->arena, properties, "content-type", type);
    PathList *files = kind == FILES_DIRECTORY ? files_below(call, from, "", NULL)
                                              : ARENA_NEW(call->arena, PathList);
    if (kind == FILES_FILE)
        *files = (PathList){.path = "", .bytes = old.bytes};
    failure = files_rename(call->files, call->share, from, call->address.path,
                           call_is_true(call, "x-ms-file-rename-replace-if-exists"));
    if (failure == FILES_OK)
        failure = change_moved(call, &old, properties, metadata);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else if (report_moved(call, from, files))
        smb_answer_path(call, call->address.path);
}
