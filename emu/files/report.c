#include "emu/files/report.h"

#include <string.h>
#include <unistr.h>

#include "emu/files/store/json.h"
#include "emu/files/store/unreported.h"

int32_t files_unreported_count(const AzureFiles *service)
{
    int32_t count;
    Arena *arena = arena_create();
    files_unreported(service->files, arena, &count);
    arena_destroy(arena);
    return count;
}

/* The file's text; NULL if it is too long, not UTF-8, or has a NUL, which a command cannot contain.
 */
static const char *text_of(FilesReader *reader, Arena *arena, int64_t bytes)
{
    if (bytes > FILES_REPORT_TEXT_MAX)
        return NULL;
    char *text = arena_alloc(arena, (size_t)bytes + 1);
    const bool is_read = files_read(reader, 0, text, (size_t)bytes) == bytes;
    const bool is_text = is_read && !memchr(text, '\0', (size_t)bytes) &&
                         !u8_check((const uint8_t *)text, (size_t)bytes);
    text[bytes] = '\0';
    return is_text ? text : NULL;
}

/* The command that reports the contents of a file; NULL if the file does not exist any more. */
static Json *upload_of(FileStore *files, Arena *arena, const FilesUnreported *file)
{
    FilesReader *reader;
    int64_t bytes;
    if (files_open(files, file->share, file->path, &reader, &bytes) != FILES_OK)
        return NULL;
    const char *text = text_of(reader, arena, bytes);
    files_reader_close(reader);
    Json *said = json_object(arena);
    files_json_put(arena, said, "do", "file.upload");
    files_json_put(arena, said, "name", share_name_text(arena, file->share));
    files_json_put(arena, said, "file", file->path);
    Json *content = json_put_object(arena, said, "content");
    if (text)
        files_json_put(arena, content, "text", text);
    else
        json_put_integer(arena, content, "bytes", bytes);
    return said;
}

/* False if the disk is full. Files of a share that the world has deleted are dropped. */
static bool report(const AzureFiles *service, Arena *arena, const FilesUnreported *file)
{
    Problems problems = problems_create(arena);
    const Json *said = upload_of(service->files, arena, file);
    const bool is_reported = !said || service->enter(service->owner, said, &problems) ||
                             problems.items[0].code != STATUS_MACHINE;
    return is_reported &&
           files_unreported_remove(service->files, file->share, file->path) == FILES_OK;
}

void files_report_written(const AzureFiles *service)
{
    int32_t count;
    Arena *arena = arena_create();
    const FilesUnreported *file = files_unreported(service->files, arena, &count);
    for (int32_t i = 0; i < count && report(service, arena, &file[i]); i++)
        continue;
    arena_destroy(arena);
}
