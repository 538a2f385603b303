#include "sim/base/text_files.h"

#include <string.h>

static bool is_missing(const char *path, Status *status)
{
    return status_fail(status, STATUS_NOT_FOUND, place_in(path, 0, 0), "there is no such file");
}

static bool text_read(void *context, Arena *arena, const char *path, const char **text,
                      size_t *length, Status *status)
{
    const TextFiles *files = context;
    *text = files->text_of(files->context, path);
    if (*text == NULL)
        return files->others != NULL
                   ? files->others->read(files->others->context, arena, path, text, length, status)
                   : is_missing(path, status);
    *length = strlen(*text);
    return true;
}

static bool text_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    const TextFiles *files = context;
    const char *text = files->text_of(files->context, path);
    if (text == NULL)
        return files->others != NULL
                   ? files->others->size(files->others->context, path, bytes, status)
                   : is_missing(path, status);
    *bytes = (int64_t)strlen(text);
    return true;
}

FileSource text_files(const TextFiles *files)
{
    // Other sources write to their context; this one only reads.
    return (FileSource){.context = (void *)files, .read = text_read, .size = text_size};
}
