#include "sim/base/text_files.h"

#include <string.h>

static bool text_read(void *context, Arena *arena, const char *path, const char **text,
                      size_t *length, Status *status)
{
    const TextFiles *files = context;
    *text = files->text_of(files->context, path);
    if (*text == NULL)
        return files->others != NULL
                   ? files->others->read(files->others->context, arena, path, text, length, status)
                   : file_is_missing(path, status);
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
                   : file_is_missing(path, status);
    *bytes = (int64_t)strlen(text);
    return true;
}

FileSource text_files(const TextFiles *files)
{
    // Other sources write to their context; this one only reads.
    return (FileSource){.context = (void *)files, .read = text_read, .size = text_size};
}
