/* Private to emu/files: writing, clearing and listing ranges of files. */
#include <inttypes.h>
#include <string.h>

#include "emu/files/copy.h"
#include "emu/files/difference.h"
#include "emu/files/properties.h"
#include "emu/files/range.h"
#include "emu/http/crypto.h"
#include "sim/base/ascii.h"

enum { RANGE_MAX = 4 << 20 };

/* --- Writing --- */

/* Reads the range to write, which must have both ends and be in the file. */
static bool read_written(FilesCall *call, const FilesEntry *file, FilesRange *range)
{
    bool is_there;
    if (!call_range(call, range, &is_there))
        return false;
    if (!is_there)
        return call_refuse_for(call, AZURE_FILES_MISSING_HEADER, "(x-ms-range)");
    if (range->last == INT64_MAX)
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                               "(x-ms-range needs its last byte to be written)");
    return range->last < file->bytes || call_refuse_failure(call, FILES_BAD_RANGE);
}

static bool may_write(FilesCall *call, FilesEntry *file, FilesRange *range)
{
    // A structured body (with checksums) would be written as if it were the contents.
    if (call_header(call, "x-ms-structured-body"))
        return call_refuse_for(call, AZURE_FILES_UNSUPPORTED_HEADER, "(x-ms-structured-body)");
    return call_look_to_change(call, file) && smb_is_writable(call, file) &&
           read_written(call, file, range);
}

/* Whether the body has the MD5 in the request. Sets the MD5 of the body in the answer. */
static bool check_md5(FilesCall *call)
{
    unsigned char digest[MD5_BYTES];
    crypto_md5(call->request->body, call->request->body_bytes, digest);
    const char *said = call_header(call, "Content-MD5");
    if (said) {
        size_t length;
        const unsigned char *bytes = base64_decode(call->arena, said, &length);
        if (!bytes || length != MD5_BYTES)
            return call_refuse(call, AZURE_FILES_INVALID_MD5);
        if (memcmp(bytes, digest, MD5_BYTES) != 0)
            return call_refuse(call, AZURE_FILES_MD5_MISMATCH);
    }
    http_set(call->response, "Content-MD5", base64_encode(call->arena, digest, sizeof digest));
    return true;
}

/* Writes the range and the file's time of writing. `bytes` NULL: clears it. */
static void write_range(FilesCall *call, const FilesEntry *file, FilesRange range,
                        const char *bytes)
{
    static const char *const words[] = {"now", "preserve"};
    const char *word = NULL;
    if (!call_word(call, "x-ms-file-last-write-time", words, 2, &word))
        return;
    Json *properties = files_json_read(call->arena, file->properties);
    const char *before = properties_print(call->arena, properties);
    const bool stays = word && strcmp(word, "preserve") == 0;
    files_json_put(call->arena, properties, "last-write-time",
                   stays ? smb_written(call->arena, file, properties) : "");
    files_json_put(call->arena, properties, "change-time", "");
    const char *news = properties_print(call->arena, properties);
    FilesFailure failure = files_write(call->files, call->share, call->address.path, range.first,
                                       range.last - range.first + 1, bytes);
    if (failure == FILES_OK && strcmp(news, before) != 0)
        failure = files_change(call->files, call->share, call->address.path, -1, news, NULL, NULL);
    FilesEntry now;
    if (failure == FILES_OK)
        failure = files_look(call->files, call->arena, call->share, call->address.path, &now);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    if (!call_report_later(call, call->address.path))
        return;
    call->response->status = 201;
    call_stamp(call, &now);
    properties = files_json_read(call->arena, now.properties);
    http_set(call->response, "x-ms-file-last-write-time",
             smb_written(call->arena, &now, properties));
    http_set(call->response, "x-ms-request-server-encrypted", "true");
}

static void refuse_large(FilesCall *call)
{
    call_refuse_with(call, AZURE_FILES_BODY_TOO_LARGE, "MaxLimit",
                     arena_printf(call->arena, "%d", RANGE_MAX));
}

void op_range_put(FilesCall *call)
{
    static const char *const words[] = {"update", "clear"};
    const HttpRequest *request = call->request;
    const char *said, *word;
    FilesEntry file = {0};
    FilesRange range = {0};
    if (!call_has_header(call, "x-ms-write", &said) ||
        !call_word(call, "x-ms-write", words, 2, &word))
        return;
    const bool is_clear = strcmp(word, "clear") == 0;
    if (is_clear && call_header(call, "Content-MD5")) {
        call_refuse_for(call, AZURE_FILES_UNSUPPORTED_HEADER,
                        "(Content-MD5 of a range that is cleared)");
        return;
    }
    // Checked before the range: a body that is too large is always 413.
    if (request->body_bytes > RANGE_MAX) {
        refuse_large(call);
        return;
    }
    if (!may_write(call, &file, &range))
        return;
    const int64_t length = range.last - range.first + 1;
    if (!is_clear && length > RANGE_MAX)
        refuse_large(call);
    else if ((int64_t)request->body_bytes != (is_clear ? 0 : length))
        call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                        "(Content-Length: %zu bytes for a range of %" PRId64 ")",
                        request->body_bytes, is_clear ? 0 : length);
    else if (is_clear || check_md5(call))
        write_range(call, &file, range, is_clear ? NULL : request->body);
}

/* --- Writing from a URL --- */

/* Reads the range of the source, which must be as long as the range to write. */
static bool read_source_range(FilesCall *call, const CopySource *source, int64_t length,
                              FilesRange *range)
{
    const char *text;
    if (!call_has_header(call, "x-ms-source-range", &text))
        return false;
    if (!files_range_parse(text, range) || range->last == INT64_MAX)
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(x-ms-source-range: \"%s\")",
                               text);
    if (range->last >= source->entry.bytes)
        return call_refuse_failure(call, FILES_BAD_RANGE);
    return range->last - range->first + 1 == length ||
           call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                           "(x-ms-range and x-ms-source-range are not of one length)");
}

static char *read_source(FilesCall *call, const CopySource *source, FilesRange range)
{
    FilesReader *reader;
    int64_t bytes;
    const size_t length = (size_t)(range.last - range.first + 1);
    const FilesFailure failure =
        files_open(call->files, source->share, source->path, &reader, &bytes);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return NULL;
    }
    char *room = arena_alloc(call->arena, length);
    const int64_t got = files_read(reader, range.first, room, length);
    const FilesFailure failure_to_read = files_reader_failure(reader);
    files_reader_close(reader);
    if (got == (int64_t)length)
        return room;
    call_refuse_failure(call, failure_to_read);
    return NULL;
}

/* Checks x-ms-source-content-crc64 and the conditions on it. Sets the checksum in the answer. */
static bool check_sum(FilesCall *call, const char *bytes, size_t length)
{
    unsigned char sum[8];
    const uint64_t number = crypto_crc64(bytes, length);
    for (int i = 0; i < 8; i++)
        sum[i] = (unsigned char)(number >> 8 * i);
    const char *text = base64_encode(call->arena, sum, sizeof sum);
    const char *said = call_header(call, "x-ms-source-content-crc64");
    const char *match = call_header(call, "x-ms-source-if-match-crc64");
    const char *none = call_header(call, "x-ms-source-if-none-match-crc64");
    if (said && strcmp(said, text) != 0)
        return call_refuse(call, AZURE_FILES_CRC64_MISMATCH);
    if ((match && strcmp(match, text) != 0) || (none && strcmp(none, text) == 0))
        return call_refuse(call, AZURE_FILES_CONDITION_NOT_MET);
    http_set(call->response, "x-ms-content-crc64", text);
    return true;
}

void op_range_put_from_url(FilesCall *call)
{
    const char *word;
    FilesEntry file = {0};
    FilesRange range = {0}, from;
    CopySource source;
    if (!call_has_header(call, "x-ms-write", &word) || !may_write(call, &file, &range))
        return;
    const int64_t length = range.last - range.first + 1;
    if (!ascii_same(word, "update") || call->request->body_bytes > 0) {
        call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(x-ms-write: update, without a body)");
        return;
    }
    if (length > RANGE_MAX) {
        call_refuse_for(call, AZURE_FILES_OUT_OF_RANGE, "(a range of up to 4 MiB)");
        return;
    }
    if (!copy_source_read(call, &source) || !read_source_range(call, &source, length, &from))
        return;
    const char *bytes = read_source(call, &source, from);
    if (bytes && check_sum(call, bytes, (size_t)length))
        write_range(call, &file, range, bytes);
}

/* --- Listing --- */

/* The written ranges, as changes of an empty file. */
static FilesFailure written_ranges(FilesCall *call, FilesRange within, FilesChange **changes,
                                   int32_t *count)
{
    FilesRange *ranges;
    const FilesFailure failure =
        files_ranges(call->files, call->arena, call->share, call->address.path, FILES_WRITTEN,
                     within.first, within.last, &ranges, count);
    if (failure != FILES_OK)
        return failure;
    *changes = ARENA_ARRAY(call->arena, FilesChange, *count);
    for (int32_t i = 0; i < *count; i++)
        (*changes)[i].range = ranges[i];
    return FILES_OK;
}

/* The path of the file in a snapshot: the request's path, or, if the file was renamed since and the
 * request allows it, the earlier path. */
static bool find_before(FilesCall *call, const FilesEntry *file, FileAt *before)
{
    FilesEntry old;
    const char *path;
    FilesFailure failure = files_look(call->files, call->arena, before->share, "", &old);
    if (failure != FILES_OK)
        return call_refuse_failure(call, FILES_NO_PREVIOUS);
    failure = files_look(call->files, call->arena, before->share, before->path, &old);
    if (file->is_of_world || (failure == FILES_OK && old.id == file->id))
        return true;
    failure = files_find(call->files, call->arena, before->share, file->id, &path);
    if (failure == FILES_NO_RESOURCE)
        return true;
    if (failure != FILES_OK)
        return call_refuse_failure(call, failure);
    before->path = path;
    return call_is_true(call, "x-ms-file-support-rename") ||
           call_refuse_for(call, AZURE_FILES_GENERATION_MISMATCH,
                           "(it was renamed: x-ms-file-support-rename is needed)");
}

void op_range_list(FilesCall *call)
{
    FilesEntry file;
    FilesRange within = {0, INT64_MAX};
    FilesChange *changes;
    int32_t count;
    bool is_there;
    const char *since = http_query(call->request, "prevsharesnapshot");
    if (since && !files_is_snapshot_time(since)) {
        call_refuse_for(call, AZURE_FILES_INVALID_QUERY, "(prevsharesnapshot: \"%s\")", since);
        return;
    }
    if (!call_range(call, &within, &is_there) || !call_look_to_read(call, &file))
        return;
    if (is_there && within.first >= file.bytes) {
        call_refuse_failure(call, FILES_BAD_RANGE);
        return;
    }
    if (within.last >= file.bytes)
        within.last = file.bytes - 1;
    const FileAt now = {call->share, call->address.path};
    FileAt before = now;
    before.share.snapshot = since;
    if (since && !find_before(call, &file, &before))
        return;
    const FilesFailure failure =
        since ? files_difference(call->files, call->arena, before, now, within, &changes, &count)
              : written_ranges(call, within, &changes, &count);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    call_stamp(call, &file);
    call_set(call, "x-ms-content-length", "%" PRId64, file.bytes);
    XmlWriter *xml = xml_begin(call->arena, "Ranges");
    for (int32_t i = 0; i < count; i++) {
        xml_open(xml, changes[i].is_clear ? "ClearRange" : "Range");
        xml_number(xml, "Start", changes[i].range.first);
        xml_number(xml, "End", changes[i].range.last);
        xml_close(xml);
    }
    call_answer_xml(call, xml);
}
