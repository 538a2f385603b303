#include "sim/cli/disk_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/cli/files.h"

// Enough for the list of ten million jobs with many columns.
enum { FILE_BYTES_MAX = 1 << 30 };

static bool disk_read(void *context, Arena *arena, const char *path, const char **text,
                      size_t *length, Status *status)
{
    (void)context;
    char *data;
    if (!file_read(arena, path, FILE_BYTES_MAX, &data, length, status))
        return false;
    *text = data;
    return true;
}

static bool disk_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    (void)context;
    struct stat facts;
    if (stat(path, &facts) != 0)
        return status_fail(status,
                           errno == ENOENT || errno == ENOTDIR ? STATUS_NOT_FOUND : STATUS_MACHINE,
                           place_in(path, 0, 0), "%s", strerror(errno));
    *bytes = (int64_t)facts.st_size;
    return true;
}

const FileSource disk_files = {.read = disk_read, .size = disk_size};
