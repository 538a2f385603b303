#include "emu/files/file.h"

#include <inttypes.h>
#include <string.h>

#include "emu/files/copy.h"
#include "emu/files/metadata.h"
#include "emu/files/properties.h"
#include "emu/http/crypto.h"
#include "sim/base/ascii.h"

/* --- Making --- */

/* The permission to create does not include replacing an existing file. */
bool file_may_be_made(FilesCall *call)
{
    FilesEntry old;
    const FilesFailure failure =
        files_look(call->files, call->arena, call->share, call->address.path, &old);
    if (failure == FILES_NO_RESOURCE)
        return !call_header(call, "x-ms-lease-id") ||
               call_refuse(call, AZURE_FILES_NO_LEASE_OF_FILE);
    if (failure != FILES_OK)
        return call_refuse_failure(call, failure);
    if (call->access.permissions && !strchr(call->access.permissions, 'w'))
        return call_refuse_denial(call, &(FilesDenial){AZURE_FILES_PERMISSION_MISMATCH, ""});
    const bool ignores = call_is_true(call, "x-ms-file-copy-ignore-readonly");
    return (old.kind == FILES_FILE || call_refuse(call, AZURE_FILES_OTHER_KIND)) &&
           call_lease_allows(call, &old, "x-ms-lease-id", true) &&
           (ignores || smb_is_writable(call, &old));
}

/* The settings of a new file. */
typedef struct {
    int64_t bytes;
    const char *metadata;
    Json *properties;
} NewFile;

static bool take_file(FilesCall *call, NewFile *file)
{
    const char *type, *length;
    bool is_any;
    file->properties = json_object(call->arena);
    if (!smb_has_all_headers(call) || !call_has_header(call, "x-ms-type", &type) ||
        !call_has_header(call, "x-ms-content-length", &length) ||
        !call_number(call, "x-ms-content-length", 0, FILES_BYTES_MAX, &file->bytes))
        return false;
    if (!ascii_same(type, "file"))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                               "(x-ms-type: \"%s\", expected \"file\")", type);
    if (call->request->body_bytes > 0)
        return call_refuse_for(call, AZURE_FILES_INVALID_INPUT,
                               "(a file is made without contents: put its ranges)");
    return metadata_take(call, &file->metadata) && content_take(call, file->properties, &is_any) &&
           smb_take(call, file->properties, (SmbWord){0});
}

void op_file_create(FilesCall *call)
{
    NewFile file;
    if (!take_file(call, &file) || !file_may_be_made(call))
        return;
    const char *path = call->address.path;
    const FilesFailure failure =
        files_file_create(call->files, call->share, path, file.bytes,
                          properties_print(call->arena, file.properties), file.metadata);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    if (!call_report_upload(call, path, file.bytes)) {
        files_file_delete(call->files, call->share, path);
        return;
    }
    call->response->status = 201;
    smb_answer_path(call, path);
}

void op_file_delete(FilesCall *call)
{
    FilesEntry file;
    if (!call_look_to_change(call, &file) || !smb_is_writable(call, &file))
        return;
    const char *path = files_path(call->files, call->arena, call->share, call->address.path);
    const FilesFailure failure = files_file_delete(call->files, call->share, path);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else if (call_report_delete(call, path))
        call->response->status = 202;
}

/* --- Reading --- */

typedef struct {
    FilesReader *reader;
    int64_t first;
} Contents;

static int64_t contents_read(void *owner, int64_t offset, char *room, size_t length)
{
    const Contents *contents = owner;
    return files_read(contents->reader, contents->first + offset, room, length);
}

static void contents_free(void *owner)
{
    files_reader_close(((Contents *)owner)->reader);
}

FilesFailure files_send(Arena *arena, FilesReader *reader, FilesRange range, HttpResponse *response)
{
    enum { CHECKED_MOST = 32 << 20 };
    FilesRange checked = range;
    if (range.last - range.first >= CHECKED_MOST)
        checked.last = range.first + CHECKED_MOST - 1;
    const FilesFailure failure = files_check(reader, checked);
    if (failure != FILES_OK) {
        files_reader_close(reader);
        return failure;
    }
    Contents *contents = ARENA_NEW(arena, Contents);
    *contents = (Contents){reader, range.first};
    response->source = (HttpSource){contents, contents_read, contents_free};
    response->source_bytes = range.last - range.first + 1;
    return FILES_OK;
}

/* Sets the headers of a file that is read. */
static void answer_file(FilesCall *call, const FilesEntry *file, bool is_whole)
{
    const Json *properties = files_json_read(call->arena, file->properties);
    smb_answer(call, file, properties);
    content_answer(call, properties, is_whole);
    metadata_answer(call, file->metadata);
    copy_answer(call, properties);
    call_answer_lease(call, file);
    http_set(call->response, "x-ms-type", "File");
    http_set(call->response, "x-ms-server-encrypted", "true");
    http_set(call->response, "Accept-Ranges", "bytes");
}

/* Sets the headers that a service SAS overrides. */
static void answer_overrides(FilesCall *call)
{
    static const char *const overrides[][2] = {{"rscc", "Cache-Control"},
                                               {"rscd", "Content-Disposition"},
                                               {"rsce", "Content-Encoding"},
                                               {"rscl", "Content-Language"},
                                               {"rsct", "Content-Type"}};
    const bool is_service_sas = call->access.permissions && !call->access.kinds;
    for (size_t i = 0; is_service_sas && i < sizeof overrides / sizeof *overrides; i++) {
        const char *value = http_query(call->request, overrides[i][0]);
        if (value && *value)
            http_set(call->response, overrides[i][1], value);
    }
}

void op_file_head(FilesCall *call)
{
    FilesEntry file;
    if (!call_look_to_read(call, &file))
        return;
    answer_file(call, &file, true);
    answer_overrides(call);
    call->response->entity_bytes = file.bytes;
}

/* Sends small contents from memory, which is faster; false if they cannot be read. */
static bool send_contents(FilesCall *call, FilesReader *reader, FilesRange range)
{
    enum { SMALL = 64 << 10 };
    HttpResponse *response = call->response;
    const int64_t length = range.last - range.first + 1;
    FilesFailure failure;
    if (length > SMALL) {
        failure = files_send(call->arena, reader, range, response);
        return failure == FILES_OK || call_refuse_failure(call, failure);
    }
    char *bytes = arena_alloc(call->arena, (size_t)length);
    const int64_t got = files_read(reader, range.first, bytes, (size_t)length);
    failure = files_reader_failure(reader);
    files_reader_close(reader);
    response->body = bytes;
    response->body_bytes = (size_t)length;
    return got == length || call_refuse_failure(call, failure);
}

/* Sets Content-MD5 of a range, which the client requested. */
static bool tell_range_md5(FilesCall *call, FilesReader *reader, FilesRange range)
{
    const size_t length = (size_t)(range.last - range.first + 1);
    char *bytes = arena_alloc(call->arena, length);
    unsigned char digest[MD5_BYTES];
    if (files_read(reader, range.first, bytes, length) != (int64_t)length)
        return call_refuse_failure(call, files_reader_failure(reader));
    crypto_md5(bytes, length, digest);
    http_set(call->response, "Content-MD5", base64_encode(call->arena, digest, sizeof digest));
    return true;
}

/* The requested range; the whole file if the request has none. */
static bool read_range(FilesCall *call, const FilesEntry *file, FilesRange *range, bool *is_part)
{
    enum { HASHED_MAX = 4 << 20 };
    const bool is_hashed = call_is_true(call, "x-ms-range-get-content-md5");
    *range = (FilesRange){0, INT64_MAX};
    if (!call_range(call, range, is_part))
        return false;
    if (*is_part && !call_wants_range(call, file)) {
        *is_part = false;
        *range = (FilesRange){0, file->bytes - 1};
        return true;
    }
    if (*is_part && range->first >= file->bytes) {
        call_set(call, "Content-Range", "bytes */%" PRId64, file->bytes);
        return call_refuse_failure(call, FILES_BAD_RANGE);
    }
    if (range->last >= file->bytes)
        range->last = file->bytes - 1;
    return !is_hashed || (*is_part && range->last - range->first < HASHED_MAX) ||
           call_refuse_for(call, AZURE_FILES_OUT_OF_RANGE,
                           "(x-ms-range-get-content-md5 goes with a range of up to 4 MiB)");
}

void op_file_get(FilesCall *call)
{
    FilesEntry file;
    FilesReader *reader;
    FilesRange range;
    bool is_part;
    const FilesFailure failure =
        files_look_open(call->files, call->arena, call->share, call->address.path, &file, &reader);
    if (failure != FILES_OK) {
        // For a client that reads, a directory is not a file.
        call_refuse_failure(call, failure == FILES_OTHER_KIND ? FILES_NO_RESOURCE : failure);
        return;
    }
    const bool is_hashed = call_is_true(call, "x-ms-range-get-content-md5");
    if (!call_lease_allows(call, &file, "x-ms-lease-id", false) ||
        !read_range(call, &file, &range, &is_part) ||
        (is_hashed && is_part && !tell_range_md5(call, reader, range))) {
        files_reader_close(reader);
        return;
    }
    if (!send_contents(call, reader, range))
        return;
    answer_file(call, &file, !is_part);
    answer_overrides(call);
    if (is_part) {
        call->response->status = 206;
        call_set(call, "Content-Range", "bytes %" PRId64 "-%" PRId64 "/%" PRId64, range.first,
                 range.last, file.bytes);
    }
}

/* --- Changing --- */

void op_file_set(FilesCall *call)
{
    FilesEntry file;
    int64_t bytes = -1;
    bool is_any;
    Json *content = json_object(call->arena);
    if (!smb_has_all_headers(call) || !call_look_to_change(call, &file) ||
        !call_number(call, "x-ms-content-length", 0, FILES_BYTES_MAX, &bytes) ||
        !content_take(call, content, &is_any))
        return;
    Json *properties = files_json_read(call->arena, file.properties);
    // Content headers are set together: missing ones are removed. A size alone changes none.
    if (is_any || bytes < 0)
        content_replace(call->arena, properties, content);
    copy_forget(call->arena, properties);
    if ((bytes >= 0 && !smb_is_writable(call, &file)) ||
        !smb_take(call, properties, (SmbWord){"preserve", &file}))
        return;
    const FilesFailure failure =
        files_change(call->files, call->share, call->address.path, bytes,
                     properties_print(call->arena, properties), NULL, NULL);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else if (bytes < 0 || bytes == file.bytes ||
             (call_report_upload(call, call->address.path, bytes) &&
              call_report_later(call, call->address.path)))
        smb_answer_path(call, call->address.path);
}
