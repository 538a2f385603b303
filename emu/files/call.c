#include "emu/files/call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>

#include "emu/files/failure.h"
#include "emu/files/properties.h"
#include "emu/files/range.h"
#include "emu/files/store/ticks.h"
#include "emu/files/store/unreported.h"
#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

/* --- Refusing --- */

/* `element`: another element after the message; NULL: none. */
static bool refuse(FilesCall *call, int32_t status, const char *code, const char *message,
                   const char *element, const char *value)
{
    HttpResponse *response = call->response;
    // The answer so far is dropped, except for the headers of all answers.
    response->status = status;
    response->reason = message;
    response->source = (HttpSource){0};
    response->entity_bytes = -1;
    http_set(response, "x-ms-error-code", code);
    if (call->request->method == HTTP_HEAD)
        return false;
    char time[CIVIL_TEXT];
    iso_time_print(call_now_ms(call), time);
    XmlWriter *xml = xml_begin(call->arena, "Error");
    xml_text(xml, "Code", code);
    xml_text(
        xml, "Message",
        arena_printf(call->arena, "%s\nRequestId:%s\nTime:%s", message, call->request_id, time));
    if (element)
        xml_text(xml, element, value);
    call_answer_xml(call, xml);
    return false;
}

bool call_refuse_code(FilesCall *call, int32_t status, const char *code, const char *message)
{
    return refuse(call, status, code, message, NULL, NULL);
}

bool call_refuse(FilesCall *call, AzureError error, ...)
{
    va_list values;
    va_start(values, error);
    const char *message = azure_error_message(call->arena, error, values);
    va_end(values);
    return call_refuse_code(call, azure_error(error)->status, azure_error(error)->code, message);
}

bool call_refuse_with(FilesCall *call, AzureError error, const char *element, const char *value)
{
    const AzureErrorRow *row = azure_error(error);
    return refuse(call, row->status, row->code, row->message, element, value);
}

bool call_refuse_for(FilesCall *call, AzureError error, const char *format, ...)
{
    char what[300];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    what[strcspn(what, "\r\n")] = '\0';
    const AzureErrorRow *row = azure_error(error);
    return call_refuse_code(call, row->status, row->code,
                            arena_printf(call->arena, "%s %s", row->message, what));
}

bool call_refuse_failure(FilesCall *call, FilesFailure failure)
{
    return call_refuse(call, files_failure_error(failure));
}

bool call_refuse_denial(FilesCall *call, const FilesDenial *denial)
{
    return *denial->detail
               ? call_refuse_with(call, denial->error, "AuthenticationErrorDetail", denial->detail)
               : call_refuse(call, denial->error);
}

/* --- Reading the request --- */

const char *call_header(const FilesCall *call, const char *name)
{
    const char *value = http_header(call->request, name);
    return value && *value ? value : NULL;
}

bool call_has_header(FilesCall *call, const char *name, const char **value)
{
    *value = call_header(call, name);
    return *value || call_refuse_for(call, AZURE_FILES_MISSING_HEADER, "(%s)", name);
}

bool call_text(FilesCall *call, const char *name, const char **value)
{
    enum { TEXT_MAX = 2 << 10 };
    *value = call_header(call, name);
    const size_t length = *value ? strlen(*value) : 0;
    return (length <= TEXT_MAX && (length == 0 || !u8_check((const uint8_t *)*value, length))) ||
           call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(%s: up to %d bytes of UTF-8)", name,
                           TEXT_MAX);
}

bool call_number(FilesCall *call, const char *name, int64_t least, int64_t most, int64_t *value)
{
    const char *text = call_header(call, name);
    if (!text)
        return true;
    int64_t number = -1;
    const bool is_minus = least < 0 && strcmp(text, "-1") == 0;
    if (!is_minus && !http_number(text, &number))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(%s: \"%s\" is not a number)",
                               name, text);
    if (number < least || number > most)
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                               "(%s: %s, expected %" PRId64 " to %" PRId64 ")", name, text, least,
                               most);
    *value = number;
    return true;
}

bool call_is_true(const FilesCall *call, const char *name)
{
    const char *value = call_header(call, name);
    return value && ascii_same(value, "true");
}

bool call_word(FilesCall *call, const char *name, const char *const *words, int32_t count,
               const char **value)
{
    *value = NULL;
    const char *text = call_header(call, name);
    if (!text)
        return true;
    for (int32_t i = 0; i < count && !*value; i++)
        if (ascii_same(text, words[i]))
            *value = words[i];
    return *value || call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(%s: \"%s\")", name, text);
}

bool call_range(FilesCall *call, FilesRange *range, bool *is_there)
{
    const char *name = call_header(call, "x-ms-range") ? "x-ms-range" : "Range";
    const char *text = call_header(call, name);
    *is_there = text != NULL;
    return !text || files_range_parse(text, range) ||
           call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                           "(%s: \"%s\", expected \"bytes=FIRST-LAST\" or \"bytes=FIRST-\")", name,
                           text);
}

bool call_max_results(FilesCall *call, int32_t *max)
{
    enum { RESULTS_MAX = 5000 };
    *max = RESULTS_MAX;
    const char *text = http_query(call->request, "maxresults");
    int64_t number;
    if (!text || *text == '\0')
        return true;
    const bool is_minus = *text == '-';
    if (!http_number(text + is_minus, &number))
        return call_refuse_for(call, AZURE_FILES_INVALID_QUERY, "(maxresults: \"%s\")", text);
    if (is_minus || number == 0)
        return call_refuse_for(call, AZURE_FILES_QUERY_OUT_OF_RANGE, "(maxresults: %s)", text);
    if (number < RESULTS_MAX)
        *max = (int32_t)number;
    return true;
}

bool call_includes(const FilesCall *call, const char *word)
{
    const char *at = http_query(call->request, "include");
    while (at && *at) {
        const size_t length = strcspn(at, ",");
        if (length == strlen(word) && ascii_same_start(at, word, length))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

/* --- Looking --- */

int64_t call_now_ms(const FilesCall *call)
{
    return call->service->now_ms(call->service->owner);
}

static bool is_reading(const FilesCall *call)
{
    return call->request->method == HTTP_GET || call->request->method == HTTP_HEAD;
}

bool call_look(FilesCall *call, FilesKind kind, FilesEntry *entry)
{
    const FilesFailure failure =
        files_look(call->files, call->arena, call->share, call->address.path, entry);
    if (failure != FILES_OK)
        return call_refuse_failure(call, failure);
    const bool is_root = entry->kind == FILES_SHARE && kind == FILES_DIRECTORY;
    if (is_root)
        entry->id = 0; // the parent id of its entries
    return entry->kind == kind || is_root ||
           call_refuse(call, is_reading(call) ? AZURE_FILES_NOT_FOUND : AZURE_FILES_OTHER_KIND);
}

bool call_look_to_read(FilesCall *call, FilesEntry *entry)
{
    return call_look(call, call->kind, entry) &&
           (call->kind == FILES_DIRECTORY ||
            call_lease_allows(call, entry, "x-ms-lease-id", false));
}

bool call_look_to_change(FilesCall *call, FilesEntry *entry)
{
    if (call->kind == FILES_DIRECTORY && *call->address.path == '\0')
        return call_refuse_for(call, AZURE_FILES_INVALID_NAME,
                               "(the root directory is the share's)");
    return call_look(call, call->kind, entry) &&
           (call->kind == FILES_DIRECTORY || call_lease_allows(call, entry, "x-ms-lease-id", true));
}

bool call_lease_allows(FilesCall *call, const FilesEntry *entry, const char *header, bool is_write)
{
    const bool is_share = entry->kind == FILES_SHARE;
    const Lease lease = lease_read(call->arena, entry->lease);
    const bool is_locked = lease_is_locked(&lease, call_now_ms(call));
    const char *text = call_header(call, header);
    char id[LEASE_ID];
    if (!text)
        return !is_locked || !is_write || call_refuse(call, AZURE_FILES_LEASE_MISSING);
    if (!lease_id_read(text, id))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(%s is not a GUID)", header);
    const bool is_valid = strcmp(id, lease.id) == 0;
    if (is_locked)
        return is_valid || call_refuse(call, is_share ? AZURE_FILES_LEASE_MISMATCH_OF_SHARE
                                                      : AZURE_FILES_LEASE_MISMATCH_OF_FILE);
    if (is_valid)
        return call_refuse(call, AZURE_FILES_LEASE_LOST);
    return call_refuse(call,
                       is_share ? AZURE_FILES_NO_LEASE_OF_SHARE : AZURE_FILES_NO_LEASE_OF_FILE);
}

/* --- Conditions (RFC 9110, section 13) --- */

/* Whether a list of ETags, or "*", includes `etag`. */
static bool etags_have(const char *list, const char *etag)
{
    while (*list) {
        list += strspn(list, " \t,");
        const size_t length = strcspn(list, ",");
        size_t used = length;
        while (used > 0 && (list[used - 1] == ' ' || list[used - 1] == '\t'))
            used--;
        const bool is_any = used == 1 && *list == '*';
        if (is_any || (used == strlen(etag) && strncmp(list, etag, used) == 0))
            return true;
        list += length;
    }
    return false;
}

/* In whole seconds, as in headers. */
static int64_t modified_ms(const FilesEntry *entry)
{
    enum { SECOND_MS = 1000 };
    return ticks_unix_ms(entry->changed_ticks) / SECOND_MS * SECOND_MS;
}

bool call_conditions(FilesCall *call)
{
    const char *match = call_header(call, "If-Match");
    const char *none = call_header(call, "If-None-Match");
    const char *since = call_header(call, "If-Modified-Since");
    const char *unless = call_header(call, "If-Unmodified-Since");
    if (!match && !none && !since && !unless)
        return true;
    int64_t since_ms, unless_ms;
    if (since && !http_date_parse(since, &since_ms))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(If-Modified-Since)");
    if (unless && !http_date_parse(unless, &unless_ms))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(If-Unmodified-Since)");
    FilesEntry entry;
    if (files_look(call->files, call->arena, call->share, call->address.path, &entry) != FILES_OK)
        // An entry to be created does not exist yet; its handler reports whatever else is missing.
        return is_reading(call) || !match || call_refuse(call, AZURE_FILES_CONDITION_NOT_MET);
    const char *etag = entry_etag(call->arena, &entry);
    if ((match && !etags_have(match, etag)) ||
        (!match && unless && modified_ms(&entry) > unless_ms))
        return call_refuse(call, AZURE_FILES_CONDITION_NOT_MET);
    const bool is_same = none ? etags_have(none, etag) : since && modified_ms(&entry) <= since_ms;
    if (!is_same)
        return true;
    if (!is_reading(call))
        return call_refuse(call, AZURE_FILES_CONDITION_NOT_MET);
    call->response->status = 304;
    http_set(call->response, "x-ms-error-code", "ConditionNotMet");
    call_stamp(call, &entry);
    return false;
}

bool call_wants_range(const FilesCall *call, const FilesEntry *entry)
{
    const char *wanted = call_header(call, "If-Range");
    return !wanted || strcmp(wanted, entry_etag(call->arena, entry)) == 0 ||
           strcmp(wanted, entry_modified(call->arena, entry)) == 0;
}

/* --- Answering --- */

void call_set(FilesCall *call, const char *name, const char *format, ...)
{
    char value[200];
    va_list values;
    va_start(values, format);
    vsnprintf(value, sizeof value, format, values);
    va_end(values);
    http_set(call->response, name, arena_strdup(call->arena, value));
}

const char *entry_etag(Arena *arena, const FilesEntry *entry)
{
    return arena_printf(arena, "\"0x%016" PRIX64 "\"", entry->etag);
}

const char *entry_modified(Arena *arena, const FilesEntry *entry)
{
    char *date = arena_alloc(arena, HTTP_DATE);
    http_date_print(ticks_unix_ms(entry->changed_ticks), date);
    return date;
}

void call_stamp(FilesCall *call, const FilesEntry *entry)
{
    http_set(call->response, "ETag", entry_etag(call->arena, entry));
    http_set(call->response, "Last-Modified", entry_modified(call->arena, entry));
}

void call_stamp_path(FilesCall *call, const char *path)
{
    FilesEntry entry;
    if (files_look(call->files, call->arena, call->share, path, &entry) == FILES_OK)
        call_stamp(call, &entry);
}

void call_answer_lease(FilesCall *call, const FilesEntry *entry)
{
    // Clients of older versions do not know leases, and fail on the headers.
    if (strcmp(call->version, entry->kind == FILES_SHARE ? "2020-02-10" : "2019-02-02") < 0)
        return;
    const Lease lease = lease_read(call->arena, entry->lease);
    const LeaseState state = lease_state(&lease, call_now_ms(call));
    const bool is_locked = lease_is_locked(&lease, call_now_ms(call));
    http_set(call->response, "x-ms-lease-status", is_locked ? "locked" : "unlocked");
    http_set(call->response, "x-ms-lease-state", lease_state_name(state));
    if (state == LEASE_LEASED)
        http_set(call->response, "x-ms-lease-duration",
                 lease.ends_ms == INT64_MAX ? "infinite" : "fixed");
}

const char *call_encoded_name(const FilesCall *call, const char *name)
{
    const bool is_encoded = strcmp(call->version, "2021-12-02") >= 0 && !xml_can_hold(name);
    return is_encoded ? http_encode(call->arena, name, "/") : NULL;
}

void call_write_name(const FilesCall *call, XmlWriter *xml, const char *element, const char *name)
{
    const char *encoded = call_encoded_name(call, name);
    if (encoded)
        xml_encoded(xml, element, encoded);
    else
        xml_text(xml, element, name);
}

void call_answer_xml(FilesCall *call, XmlWriter *xml)
{
    size_t length;
    const char *document = xml_finish(xml, &length);
    http_body(call->response, "application/xml", document, length);
}

const char *call_endpoint(const FilesCall *call)
{
    const HttpRequest *request = call->request;
    const char *scheme = request->listener == LISTENER_PLAIN ? "http" : "https";
    const char *account = call->address.account;
    if (request->listener == LISTENER_USERINFO)
        return arena_printf(call->arena, "%s://%s.file.core.emu@%s/", scheme, account,
                            request->host);
    const bool is_host_style = strncmp(request->host, account, strlen(account)) == 0 &&
                               request->host[strlen(account)] == '.';
    return is_host_style ? arena_printf(call->arena, "%s://%s/", scheme, request->host)
                         : arena_printf(call->arena, "%s://%s/%s", scheme, request->host, account);
}

const char *call_setting(const FilesCall *call, const char *kind, const char *name)
{
    const int64_t account =
        call->service->account_number(call->service->owner, call->address.account);
    return arena_printf(call->arena, "%s/%s/%" PRId64 "/%s", kind, call->address.account,
                        account >= 0 ? account : 0, name);
}

/* --- Reporting to the world --- */

static Json *command(FilesCall *call, const char *action, const char *name)
{
    Json *json = json_object(call->arena);
    files_json_put(call->arena, json, "do", action);
    files_json_put(call->arena, json, "name", name);
    return json;
}

static bool enter_command(FilesCall *call, const Json *said)
{
    Problems problems = problems_create(call->arena);
    if (call->service->enter(call->service->owner, said, &problems))
        return true;
    const Status *why = &problems.items[0];
    const char *message = arena_strdup(call->arena, why->message);
    switch (why->code) {
    case STATUS_MACHINE:
        return call_refuse_failure(call, FILES_NO_SPACE);
    case STATUS_NOT_FOUND:
        return call_refuse(call, AZURE_FILES_WORLD_NOT_FOUND, message);
    case STATUS_CONFLICT:
    case STATUS_QUOTA:
        return call_refuse(call, AZURE_FILES_WORLD_CONFLICT, message);
    case STATUS_BAD_INPUT:
    case STATUS_OK:
        break;
    }
    return call_refuse(call, AZURE_FILES_WORLD_BAD_INPUT, message);
}

/* Without the Resource Manager the first request with its name creates an account. */
static bool create_account(FilesCall *call)
{
    if (!call->service->is_files_only ||
        call->service->account_number(call->service->owner, call->address.account) >= 0)
        return true;
    return enter_command(call, command(call, "storage.create", call->address.account));
}

static const char *world_name(const FilesCall *call)
{
    return share_name_text(call->arena, call->share);
}

bool call_report_share(FilesCall *call, bool is_created)
{
    Json *said = command(call, is_created ? "share.create" : "share.delete", world_name(call));
    if (is_created)
        files_json_put(call->arena, said, "tier",
                       call->share.is_container ? "blob" : "standard"); // its speed for jobs
    return (!is_created || create_account(call)) && enter_command(call, said);
}

/* A job finds a file by the letters with which it was first written, whatever letters this request
 * has. */
static const char *true_path(const FilesCall *call, const char *path)
{
    return files_path(call->files, call->arena, call->share, path);
}

bool call_report_upload(FilesCall *call, const char *path, int64_t bytes)
{
    Json *said = command(call, "file.upload", world_name(call));
    files_json_put(call->arena, said, "file", true_path(call, path));
    Json *content = json_put_object(call->arena, said, "content");
    json_put_integer(call->arena, content, "bytes", bytes);
    return enter_command(call, said);
}

bool call_report_later(FilesCall *call, const char *path)
{
    const FilesFailure failure =
        files_unreported_add(call->files, call->share, true_path(call, path));
    return failure == FILES_OK || call_refuse_failure(call, failure);
}

bool call_report_delete(FilesCall *call, const char *path)
{
    Json *said = command(call, "file.delete", world_name(call));
    files_json_put(call->arena, said, "file", path);
    return enter_command(call, said);
}
