#include "emu/files/told.h"

#include <string.h>
#include <unistr.h>

#include "emu/files/store/json.h"
#include "emu/files/store/untold.h"

int32_t files_untold_count(const AzureFiles *service)
{
    int32_t count;
    Arena *arena = arena_create();
    files_untold(service->files, arena, &count);
    arena_destroy(arena);
    return count;
}

/* The file's text; NULL when it is too long, no UTF-8, or has a NUL, which a command cannot have.
 */
static const char *text_of(FilesReader *reader, Arena *arena, int64_t bytes)
{
    if (bytes > FILES_TOLD_TEXT_MAX)
        return NULL;
    char *text = arena_alloc(arena, (size_t)bytes + 1);
    const bool is_read = files_read(reader, 0, text, (size_t)bytes) == bytes;
    const bool is_text = is_read && !memchr(text, '\0', (size_t)bytes) &&
                         !u8_check((const uint8_t *)text, (size_t)bytes);
    text[bytes] = '\0';
    return is_text ? text : NULL;
}

/* The command that says what is in a file; NULL when it is not there any more. */
static Json *upload_of(FileStore *files, Arena *arena, const FilesUntold *untold)
{
    FilesReader *reader;
    int64_t bytes;
    if (files_open(files, untold->share, untold->path, &reader, &bytes) != FILES_OK)
        return NULL;
    const char *text = text_of(reader, arena, bytes);
    files_reader_close(reader);
    Json *said = json_object(arena);
    files_json_put(arena, said, "do", "file.upload");
    files_json_put(arena, said, "name",
                   arena_printf(arena, "%s/%s", untold->share.account, untold->share.share));
    files_json_put(arena, said, "file", untold->path);
    Json *content = json_put_object(arena, said, "content");
    if (text)
        files_json_put(arena, content, "text", text);
    else
        json_put_integer(arena, content, "bytes", bytes);
    return said;
}

/* False when the disk is full. A share that the world knows no more needs no files. */
static bool tell(const AzureFiles *service, Arena *arena, const FilesUntold *untold)
{
    Problems problems = problems_create(arena);
    const Json *said = upload_of(service->files, arena, untold);
    const bool is_told = !said || service->enter(service->owner, said, &problems) ||
                         problems.items[0].code != STATUS_MACHINE;
    return is_told && files_untold_remove(service->files, untold->share, untold->path) == FILES_OK;
}

void files_tell_written(const AzureFiles *service)
{
    int32_t count;
    Arena *arena = arena_create();
    const FilesUntold *untold = files_untold(service->files, arena, &count);
    for (int32_t i = 0; i < count && tell(service, arena, &untold[i]); i++)
        continue;
    arena_destroy(arena);
}
