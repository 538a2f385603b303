#include "emu/files/properties.h"

#include <inttypes.h>
#include <string.h>
#include <unistr.h>

#include "emu/files/auth/sas_fields.h"
#include "emu/files/store/ticks.h"
#include "emu/http/crypto.h"
#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

/* --- Times --- */

enum { SECOND_MS = 1000 };

static const char *ticks_text(Arena *arena, int64_t ticks)
{
    char text[TICKS_TEXT];
    ticks_print(ticks, text);
    return arena_strdup(arena, text);
}

/* --- Content headers --- */

static const struct {
    const char *sent, *answered, *key;
} content_headers[] = {{"x-ms-content-type", "Content-Type", "content-type"},
                       {"x-ms-content-encoding", "Content-Encoding", "content-encoding"},
                       {"x-ms-content-language", "Content-Language", "content-language"},
                       {"x-ms-cache-control", "Cache-Control", "cache-control"},
                       {"x-ms-content-disposition", "Content-Disposition", "content-disposition"},
                       {"x-ms-content-md5", "Content-MD5", "content-md5"}};
enum { CONTENT_HEADERS = sizeof content_headers / sizeof *content_headers };
#define CONTENT_MD5 "x-ms-content-md5"

bool content_take(FilesCall *call, Json *properties, bool *is_any)
{
    *is_any = false;
    for (int i = 0; i < CONTENT_HEADERS; i++) {
        const char *value;
        size_t length;
        if (!call_text(call, content_headers[i].sent, &value))
            return false;
        *is_any = *is_any || value;
        // The client's value is stored; it is not compared with the contents.
        if (value && strcmp(content_headers[i].sent, CONTENT_MD5) == 0 &&
            !base64_decode(call->arena, value, &length))
            return call_refuse(call, AZURE_FILES_INVALID_MD5);
        files_json_put(call->arena, properties, content_headers[i].key, value ? value : "");
    }
    return true;
}

void content_replace(Arena *arena, Json *properties, const Json *taken)
{
    for (int i = 0; i < CONTENT_HEADERS; i++)
        files_json_put(arena, properties, content_headers[i].key,
                       files_json_text(taken, content_headers[i].key));
    const bool is_typed = *files_json_text(taken, "content-type") != '\0';
    files_json_put(arena, properties, "untyped", is_typed ? "" : "true");
}

void content_answer(FilesCall *call, const Json *properties, bool is_whole)
{
    if (*files_json_text(properties, "untyped") == '\0')
        http_set(call->response, "Content-Type", "application/octet-stream");
    for (int i = 0; i < CONTENT_HEADERS; i++) {
        const char *value = files_json_text(properties, content_headers[i].key);
        const bool is_md5_of_part = !is_whole && strcmp(content_headers[i].sent, CONTENT_MD5) == 0;
        if (*value != '\0')
            http_set(call->response, is_md5_of_part ? CONTENT_MD5 : content_headers[i].answered,
                     value);
    }
}

const char *properties_print(Arena *arena, const Json *properties)
{
    Json *said = json_object(arena);
    for (const Json *member = properties->first; member; member = member->next)
        if (*member->text != '\0')
            files_json_put(arena, said, member->key, member->text);
    return files_json_print(arena, said);
}

/* --- Attributes --- */

static const char *const attribute_names[] = {
    "None",      "ReadOnly",          "Hidden",     "System", "Archive", "Temporary", "Offline",
    "Directory", "NotContentIndexed", "NoScrubData"};
enum { ATTRIBUTE_NAMES = sizeof attribute_names / sizeof *attribute_names };

static bool has_attribute(const char *list, const char *name)
{
    while (*list) {
        list += strspn(list, " |");
        const size_t length = strcspn(list, " |");
        if (length == strlen(name) && ascii_same_start(list, name, length))
            return true;
        list += length;
    }
    return false;
}

/* The attributes in the order and spelling of the table; NULL if one is unknown. "None" stands for
 * no attributes, and must be alone. */
static const char *attributes_read(Arena *arena, const char *list)
{
    const char *out = "";
    int count = 0;
    for (const char *at = list + strspn(list, " |"); *at; at += strspn(at, " |")) {
        const size_t length = strcspn(at, " |");
        bool is_known = false;
        for (int i = 0; i < ATTRIBUTE_NAMES; i++)
            is_known = is_known || (strlen(attribute_names[i]) == length &&
                                    ascii_same_start(at, attribute_names[i], length));
        if (!is_known)
            return NULL;
        at += length;
        count++;
    }
    if (count > 1 && has_attribute(list, attribute_names[0]))
        return NULL;
    for (int i = 1; i < ATTRIBUTE_NAMES; i++)
        if (has_attribute(list, attribute_names[i]))
            out = arena_printf(arena, "%s%s%s", out, *out ? "|" : "", attribute_names[i]);
    return out;
}

const char *smb_attributes(Arena *arena, const FilesEntry *entry, const Json *properties)
{
    const char *said = files_json_text(properties, "attributes");
    if (entry->kind == FILES_FILE)
        return *said ? said : "Archive";
    if (*said == '\0' || has_attribute(said, "Directory"))
        return *said ? said : "Directory";
    return attributes_read(arena, arena_printf(arena, "%s|Directory", said));
}

bool smb_is_writable(FilesCall *call, const FilesEntry *entry)
{
    const Json *properties = files_json_read(call->arena, entry->properties);
    return !has_attribute(smb_attributes(call->arena, entry, properties), "ReadOnly") ||
           call_refuse(call, AZURE_FILES_READ_ONLY);
}

static bool is_the_word(SmbWord word, const char *value)
{
    return word.word && ascii_same(value, word.word);
}

/* A file is not a directory. */
static bool attributes_fit(const FilesCall *call, const char *attributes)
{
    const char *type = http_query(call->request, "restype");
    return !has_attribute(attributes, "Directory") || (type && ascii_same(type, "directory"));
}

static bool take_attributes(FilesCall *call, Json *properties, SmbWord word)
{
    const char *value = call_header(call, "x-ms-file-attributes");
    if (!value)
        return true;
    if (is_the_word(word, value))
        value = smb_attributes(call->arena, word.entry,
                               files_json_read(call->arena, word.entry->properties));
    const char *attributes = attributes_read(call->arena, value);
    if (!attributes || !attributes_fit(call, attributes))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(x-ms-file-attributes: \"%s\")",
                               value);
    files_json_put(call->arena, properties, "attributes", attributes);
    return true;
}

/* --- Times that clients set --- */

/* Reads "2018-06-15T21:57:57.1234567Z" with all its decimals; false if the text is not a time. */
static bool read_time(Arena *arena, const char *text, const char **out)
{
    enum { WHOLE = 19, DECIMALS = 7 }; // lengths of "2018-06-15T21:57:57", and of the decimals
    int64_t unix_ms;
    if (!sas_time_parse(text, &unix_ms))
        return false;
    char decimals[DECIMALS + 1] = "0000000", whole[CIVIL_TEXT];
    const char *point = strchr(text, '.');
    if (point)
        memcpy(decimals, point + 1, strspn(point + 1, "0123456789"));
    iso_time_print(unix_ms, whole);
    *out = arena_printf(arena, "%.*s.%sZ", WHOLE, whole, decimals);
    return true;
}

/* "": the store's time, of a new file now. `entry_time` returns the time of the word's entry. */
typedef const char *EntryTime(Arena *arena, const FilesEntry *entry, const Json *properties);
static bool take_time(FilesCall *call, Json *properties, const char *header, const char *key,
                      SmbWord word, EntryTime *entry_time)
{
    const char *value = call_header(call, header), *time = "";
    if (!value)
        return true;
    if (is_the_word(word, value))
        time = entry_time(call->arena, word.entry,
                          files_json_read(call->arena, word.entry->properties));
    else if (ascii_same(value, "now"))
        time = word.word ? ticks_text(call->arena, ticks_of(call_now_ms(call))) : "";
    else if (!read_time(call->arena, value, &time))
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(%s: \"%s\" is not a time)",
                               header, value);
    files_json_put(call->arena, properties, key, time);
    return true;
}

static const char *text_or_ticks(Arena *arena, const Json *properties, const char *key,
                                 int64_t ticks)
{
    const char *said = files_json_text(properties, key);
    return *said ? said : ticks_text(arena, ticks);
}

const char *smb_created(Arena *arena, const FilesEntry *entry, const Json *properties)
{
    return text_or_ticks(arena, properties, "creation-time", entry->created_ticks);
}

const char *smb_written(Arena *arena, const FilesEntry *entry, const Json *properties)
{
    return text_or_ticks(arena, properties, "last-write-time", entry->written_ticks);
}

const char *smb_changed(Arena *arena, const FilesEntry *entry, const Json *properties)
{
    return text_or_ticks(arena, properties, "change-time", entry->changed_ticks);
}

const char *smb_changed_now(Arena *arena, const FilesEntry *entry)
{
    Json *properties = files_json_read(arena, entry->properties);
    files_json_put(arena, properties, "change-time", "");
    return properties_print(arena, properties);
}

static bool take_times(FilesCall *call, Json *properties, SmbWord word)
{
    files_json_put(call->arena, properties, "change-time", "");
    return take_time(call, properties, "x-ms-file-creation-time", "creation-time", word,
                     smb_created) &&
           take_time(call, properties, "x-ms-file-last-write-time", "last-write-time", word,
                     smb_written) &&
           take_time(call, properties, "x-ms-file-change-time", "change-time", word, smb_changed);
}

/* --- Permission --- */

static bool take_permission(FilesCall *call, Json *properties)
{
    const char *sddl = call_header(call, "x-ms-file-permission");
    const char *key = call_header(call, "x-ms-file-permission-key");
    if (sddl && key)
        return call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                               "(x-ms-file-permission and x-ms-file-permission-key are two ways to "
                               "say the same)");
    if (key && ascii_same(key, "preserve"))
        key = NULL;
    if (key && !permission_has(call, key))
        return call_refuse(call, AZURE_FILES_NO_PERMISSION_KEY);
    const bool is_word = sddl && (ascii_same(sddl, "inherit") || ascii_same(sddl, "preserve"));
    if (sddl && ascii_same(sddl, "inherit"))
        key = "";
    if (sddl && !is_word && !permission_keep(call, sddl, &key))
        return false;
    if (key)
        files_json_put(call->arena, properties, "permission-key", key);
    return true;
}

const char *smb_permission_key(const Json *properties)
{
    const char *said = files_json_text(properties, "permission-key");
    return *said ? said : permission_default_key();
}

/* --- All of SMB's --- */

bool smb_take(FilesCall *call, Json *properties, SmbWord word)
{
    return take_attributes(call, properties, word) && take_times(call, properties, word) &&
           take_permission(call, properties);
}

/* --- The same of copies --- */

/* Sets the permission of a copy: "source", or "override" by the request's. */
static bool take_copied_permission(FilesCall *call, Json *properties, ShareName source,
                                   const char *source_key)
{
    static const char *const words[] = {"source", "override"};
    const char *mode, *key;
    if (!call_word(call, "x-ms-file-permission-copy-mode", words, 2, &mode))
        return false;
    const bool is_said =
        call_header(call, "x-ms-file-permission") || call_header(call, "x-ms-file-permission-key");
    const bool is_source = mode == words[0];
    if (mode && is_said == is_source)
        return is_said
                   ? call_refuse_for(call, AZURE_FILES_INVALID_HEADER,
                                     "(x-ms-file-permission-copy-mode: source, and a permission)")
                   : call_refuse_for(call, AZURE_FILES_MISSING_HEADER,
                                     "(x-ms-file-permission or x-ms-file-permission-key)");
    if (!is_source)
        return take_permission(call, properties);
    if (!permission_copy(call, source, source_key, &key))
        return false;
    files_json_put(call->arena, properties, "permission-key", key);
    return true;
}

bool smb_take_copy(FilesCall *call, Json *properties, ShareName source, const FilesEntry *entry)
{
    static const char *const keys[] = {"attributes", "creation-time", "last-write-time",
                                       "permission-key"};
    const SmbWord word = {"source", entry};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        files_json_put(call->arena, properties, keys[i], "");
    if (!take_attributes(call, properties, word) || !take_times(call, properties, word))
        return false;
    const char *attributes = files_json_text(properties, "attributes");
    if (*attributes && call_is_true(call, "x-ms-file-copy-set-archive"))
        files_json_put(
            call->arena, properties, "attributes",
            attributes_read(call->arena, arena_printf(call->arena, "%s|Archive", attributes)));
    const Json *said = files_json_read(call->arena, entry->properties);
    return take_copied_permission(call, properties, source, smb_permission_key(said));
}

/* --- Answering --- */

void smb_answer(FilesCall *call, const FilesEntry *entry, const Json *properties)
{
    HttpResponse *response = call->response;
    Arena *arena = call->arena;
    call_stamp(call, entry);
    http_set(response, "x-ms-file-attributes", smb_attributes(arena, entry, properties));
    http_set(response, "x-ms-file-creation-time", smb_created(arena, entry, properties));
    http_set(response, "x-ms-file-last-write-time", smb_written(arena, entry, properties));
    http_set(response, "x-ms-file-change-time", smb_changed(arena, entry, properties));
    http_set(response, "x-ms-file-permission-key", smb_permission_key(properties));
    call_set(call, "x-ms-file-id", "%" PRId64, entry->id);
    call_set(call, "x-ms-file-parent-id", "%" PRId64, entry->parent_id);
}

void smb_answer_path(FilesCall *call, const char *path)
{
    FilesEntry entry;
    if (files_look(call->files, call->arena, call->share, path, &entry) == FILES_OK)
        smb_answer(call, &entry, files_json_read(call->arena, entry.properties));
    http_set(call->response, "x-ms-request-server-encrypted", "true");
}

bool smb_has_all_headers(FilesCall *call)
{
    static const char *const headers[] = {"x-ms-file-attributes", "x-ms-file-creation-time",
                                          "x-ms-file-last-write-time"};
    const char *value;
    if (strcmp(call->version, "2019-02-02") < 0 || strcmp(call->version, "2021-04-10") > 0)
        return true;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (!call_has_header(call, headers[i], &value))
            return false;
    return call_header(call, "x-ms-file-permission-key") ||
           call_has_header(call, "x-ms-file-permission", &value);
}
