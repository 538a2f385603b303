#include "emu/files/copy.h"

#include <inttypes.h>
#include <string.h>

#include "emu/files/failure.h"
#include "emu/files/file.h"
#include "emu/files/metadata.h"
#include "emu/files/properties.h"

/* --- The source --- */

/* Whether the URL of a second file is signed itself, for all that `letters` allow. */
bool copy_url_is_signed(FilesCall *call, HttpRequest *inner, const FilesAddress *address,
                        const char *letters, FilesDenial *denial)
{
    FilesAccess access;
    // The source is fetched by this machine, as by the service itself.
    inner->listener = call->request->listener;
    if (!files_authenticate(call->service, inner, address, &access, denial))
        return false;
    for (; *letters; letters++) {
        const char letter[] = {*letters, '\0'};
        if (!files_authorize(&access, &(FilesNeeds){'o', letter, letter}, denial))
            return false;
    }
    return true;
}

/* The URL without its query: a signature must not be stored or returned. */
static const char *without_query(Arena *arena, const char *url, const char *snapshot)
{
    const size_t length = strcspn(url, "?#");
    const char *plain = arena_strndup(arena, url, length);
    return snapshot
               ? arena_printf(arena, "%s?sharesnapshot=%s", plain, http_encode(arena, snapshot, ""))
               : plain;
}

bool copy_source_read(FilesCall *call, CopySource *source)
{
    const char *url;
    HttpRequest inner;
    FilesAddress address;
    if (!call_has_header(call, "x-ms-copy-source", &url) ||
        !call_text(call, "x-ms-copy-source", &url))
        return false;
    if (call_header(call, "x-ms-copy-source-authorization"))
        return call_refuse_for(call, AZURE_FILES_UNSUPPORTED_HEADER,
                               "(x-ms-copy-source-authorization: sign the source's URL instead)");
    const AzureError fault =
        files_address_read_url(call->request, url, call->service->storage_suffix, &inner, &address);
    if (fault != AZURE_OK || address.host != FILES_HOST || *address.path == '\0')
        return call_refuse(call, AZURE_FILES_COPY_SOURCE);
    const bool is_signed = http_query(&inner, "sig") != NULL;
    const bool has_key =
        !call->access.permissions && strcmp(address.account, call->address.account) == 0;
    FilesDenial denial;
    if ((is_signed || !has_key) && !copy_url_is_signed(call, &inner, &address, "r", &denial))
        return call_refuse(call, AZURE_FILES_COPY_SOURCE_DENIED);
    *source = (CopySource){
        .share = {.account = address.account, .share = address.share, .snapshot = address.snapshot},
        .path = address.path,
        .url = without_query(call->arena, url, address.snapshot)};
    const FilesFailure failure =
        files_look(call->files, call->arena, source->share, source->path, &source->entry);
    const bool is_missing =
        failure != FILES_OK && azure_error(files_failure_error(failure))->status == 404;
    if (is_missing || (failure == FILES_OK && source->entry.kind != FILES_FILE))
        return call_refuse(call, AZURE_FILES_COPY_SOURCE_MISSING);
    return failure == FILES_OK || call_refuse_failure(call, failure);
}

/* --- Properties of a copy --- */

static const char *const copy_headers[][2] = {
    {"copy-id", "x-ms-copy-id"},
    {"copy-source", "x-ms-copy-source"},
    {"copy-progress", "x-ms-copy-progress"},
    {"copy-completion-time", "x-ms-copy-completion-time"}};
enum { COPY_HEADERS = sizeof copy_headers / sizeof *copy_headers };

void copy_answer(FilesCall *call, const Json *properties)
{
    if (*files_json_text(properties, copy_headers[0][0]) == '\0')
        return;
    for (int i = 0; i < COPY_HEADERS; i++)
        http_set(call->response, copy_headers[i][1],
                 files_json_text(properties, copy_headers[i][0]));
    http_set(call->response, "x-ms-copy-status", "success");
}

void copy_forget(Arena *arena, Json *properties)
{
    for (int i = 0; i < COPY_HEADERS; i++)
        files_json_put(arena, properties, copy_headers[i][0], "");
}

/* Sets the properties of the copy over those of the source. */
static bool take_properties(FilesCall *call, const CopySource *source, Json *properties)
{
    char id[FILES_ID], now[HTTP_DATE];
    call->service->new_id(call->service->owner, "files.copy", id);
    http_date_print(call_now_ms(call), now);
    const char *const values[COPY_HEADERS] = {
        id, source->url,
        arena_printf(call->arena, "%" PRId64 "/%" PRId64, source->entry.bytes, source->entry.bytes),
        now};
    for (int i = 0; i < COPY_HEADERS; i++)
        files_json_put(call->arena, properties, copy_headers[i][0], values[i]);
    return smb_take_copy(call, properties, source->share, &source->entry);
}

/* --- Operations --- */

void op_copy_start(FilesCall *call)
{
    CopySource source;
    const char *metadata;
    if (!copy_source_read(call, &source) || !file_may_be_made(call) ||
        !metadata_take(call, &metadata))
        return;
    Json *properties = files_json_read(call->arena, source.entry.properties);
    if (!take_properties(call, &source, properties))
        return;
    const char *path = call->address.path;
    FilesFailure failure = files_copy(call->files, source.share, source.path, call->share, path,
                                      *metadata ? metadata : NULL);
    if (failure == FILES_OK)
        failure = files_change(call->files, call->share, path, -1,
                               properties_print(call->arena, properties), NULL, NULL);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    if (!call_report_upload(call, path, source.entry.bytes)) {
        files_file_delete(call->files, call->share, path);
        return;
    }
    if (!call_report_later(call, path))
        return;
    call->response->status = 202;
    call_stamp_path(call, path);
    http_set(call->response, "x-ms-copy-id", files_json_text(properties, "copy-id"));
    http_set(call->response, "x-ms-copy-status", "success");
}

void op_copy_abort(FilesCall *call)
{
    FilesEntry file;
    const char *action, *id = http_query(call->request, "copyid");
    if (!call_has_header(call, "x-ms-copy-action", &action) || !call_look(call, FILES_FILE, &file))
        return;
    if (strcmp(action, "abort") != 0)
        call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(x-ms-copy-action: \"%s\")", action);
    else if (!id || *id == '\0')
        call_refuse_for(call, AZURE_FILES_MISSING_QUERY, "(copyid)");
    else
        call_refuse(call, AZURE_FILES_NO_COPY);
}
