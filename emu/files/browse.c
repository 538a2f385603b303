#include "emu/files/browse.h"

#include <inttypes.h>
#include <string.h>

#include "emu/files/failure.h"
#include "emu/files/file.h"
#include "emu/files/properties.h"
#include "emu/files/store/file_names.h"
#include "emu/files/store/ticks.h"
#include "emu/http/gate.h"
#include "sim/base/civil_time.h"
#include "sim/json/decimal.h"

enum { PAGE = 500 };

/* --- Where --- */

typedef struct {
    ShareName share;
    const char *path; /* "a/b"; "" */
} Slot;

static const char *query_of(const HttpRequest *request, const char *name)
{
    const char *value = http_query(request, name);
    return value ? value : "";
}

/* Accepts only names that are valid in Azure Files. */
static bool read_slot(const HttpRequest *request, HttpResponse *response, Slot *slot)
{
    Arena *arena = request->arena;
    const ShareName share = share_name_read(arena, query_of(request, "share"));
    FileName *names;
    int32_t count;
    if (!share.share || !share_name_is_valid(share.share))
        return gate_refuse(request, response, 400, "InvalidShare",
                           "The query needs \"share\", as in share=account/share.");
    if (!file_path_split(arena, query_of(request, "path"), &names, &count))
        return gate_refuse(request, response, 400, "InvalidPath",
                           "The query's \"path\" is not a path on a share.");
    *slot = (Slot){share, .path = ""};
    for (int32_t i = 0; i < count; i++)
        slot->path =
            i == 0 ? names[i].name : arena_printf(arena, "%s/%s", slot->path, names[i].name);
    return true;
}

static bool succeeds(const HttpRequest *request, HttpResponse *response, FilesFailure failure)
{
    if (failure == FILES_OK)
        return true;
    const AzureErrorRow *error = azure_error(files_failure_error(failure));
    if (error->status != 404)
        return gate_refuse(request, response, error->status, error->code, "%s", error->message);
    return gate_refuse(request, response, error->status, error->code,
                       "There is nothing of the kind at %s of %s.",
                       query_of(request, "path")[0] ? query_of(request, "path") : "the root",
                       query_of(request, "share"));
}

/* --- Directories --- */

static void add_entry(Arena *arena, Json *list, const FilesEntry *entry)
{
    Json *body = json_add(list, json_object(arena));
    char written[CIVIL_TEXT];
    json_put_text(arena, body, "name", entry->name);
    json_put_text(arena, body, "kind", entry->kind == FILES_FILE ? "file" : "directory");
    if (entry->kind != FILES_FILE)
        return;
    iso_time_print(ticks_unix_ms(entry->written_ticks), written);
    json_put_integer(arena, body, "bytes", entry->bytes);
    json_put_text(arena, body, "written", written);
}

void files_browse_list(FileStore *files, const HttpRequest *request, HttpResponse *response)
{
    Arena *arena = request->arena;
    Slot slot = {0};
    FilesEntry *entries;
    int32_t count = 0;
    bool more = false;
    if (!read_slot(request, response, &slot) ||
        !succeeds(request, response,
                  files_list(files, arena, slot.share, slot.path, "", query_of(request, "after"),
                             PAGE, &entries, &count, &more)))
        return;
    Json *body = json_object(arena);
    json_put_text(arena, body, "share", query_of(request, "share"));
    json_put_text(arena, body, "path", slot.path);
    Json *list = json_put_array(arena, body, "entries");
    for (int32_t i = 0; i < count; i++)
        add_entry(arena, list, &entries[i]);
    json_put_text(arena, body, "next", more && count > 0 ? entries[count - 1].name : NULL);
    Text text = {0};
    json_print(&text, body, JSON_COMPACT);
    http_body(response, "application/json; charset=utf-8",
              arena_strndup(arena, text_string(&text), text.length), text.length);
    text_free(&text);
}

/* --- Files --- */

/* "last" of the query, or all bytes; false after refusing an invalid number. */
static bool read_last(const HttpRequest *request, HttpResponse *response, int64_t bytes,
                      int64_t *last)
{
    const char *text = query_of(request, "last");
    int64_t wanted;
    *last = bytes;
    if (*text == '\0')
        return true;
    if (!http_number(text, &wanted) || wanted < 1)
        return gate_refuse(request, response, 400, "InvalidLast",
                           "The query's \"last\" is a number of bytes above 0.");
    *last = wanted < bytes ? wanted : bytes;
    return true;
}

/* "attachment; filename*=UTF-8''stdout.txt" (RFC 6266, RFC 8187): a browser saves the file and
 * never shows it as a page, because any client can write it. */
static const char *disposition(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return arena_printf(arena, "attachment; filename*=UTF-8''%s",
                        http_encode(arena, slash ? slash + 1 : path, ""));
}

void files_browse_get(FileStore *files, const HttpRequest *request, HttpResponse *response)
{
    Arena *arena = request->arena;
    Slot slot = {0};
    FilesReader *reader;
    int64_t bytes, last;
    if (!read_slot(request, response, &slot) ||
        !succeeds(request, response, files_open(files, slot.share, slot.path, &reader, &bytes)))
        return;
    if (!read_last(request, response, bytes, &last)) {
        files_reader_close(reader);
        return;
    }
    const FilesRange range = {bytes - last, bytes - 1};
    if (!succeeds(request, response, files_send(arena, reader, range, response)))
        return;
    http_set(response, "Content-Type", "application/octet-stream");
    http_set(response, "Content-Disposition", disposition(arena, slot.path));
    http_set(response, "X-File-Bytes", arena_printf(arena, "%" PRId64, bytes));
}
