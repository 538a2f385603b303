#include "sim/scenario/catalog/asset_files.h"

#include <string.h>

static const char *text_of(const AssetFiles *files, const char *path)
{
    for (int32_t i = 0; i < files->folder_count; i++) {
        const AssetFolder *folder = &files->folders[i];
        const size_t length = strlen(folder->path);
        for (int j = 0; j < *folder->count && strncmp(path, folder->path, length) == 0; j++)
            if (strcmp(folder->assets[j].name, path + length) == 0)
                return folder->assets[j].text;
    }
    return NULL;
}

static bool asset_read(void *context, Arena *arena, const char *path, const char **text,
                       size_t *length, Status *status)
{
    const AssetFiles *files = context;
    *text = text_of(files, path);
    if (*text == NULL)
        return files->others != NULL
                   ? files->others->read(files->others->context, arena, path, text, length, status)
                   : file_is_missing(path, status);
    *length = strlen(*text);
    return true;
}

static bool asset_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    const AssetFiles *files = context;
    const char *text = text_of(files, path);
    if (text == NULL)
        return files->others != NULL
                   ? files->others->size(files->others->context, path, bytes, status)
                   : file_is_missing(path, status);
    *bytes = (int64_t)strlen(text);
    return true;
}

FileSource asset_files(const AssetFiles *files)
{
    // Other sources write to their context; this one only reads.
    return (FileSource){.context = (void *)files, .read = asset_read, .size = asset_size};
}
