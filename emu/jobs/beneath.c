#include "emu/jobs/beneath.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_keeping_errno(int descriptor)
{
    const int error = errno;
    close(descriptor);
    errno = error;
}

/* The directory whose name is the first `length` bytes of `path`. */
static int open_part(int folder, const char *path, size_t length, bool makes)
{
    char name[NAME_MAX + 1];
    if (length > NAME_MAX || (length == 2 && strncmp(path, "..", 2) == 0)) {
        errno = EINVAL;
        return -1;
    }
    memcpy(name, path, length);
    name[length] = '\0';
    if (makes)
        (void)!mkdirat(folder, name, 0700); // openat reports the reason
    return openat(folder, name, BENEATH_FOLDER_FLAGS);
}

int beneath_open_folder(int folder, const char *path, bool makes)
{
    int at = openat(folder, ".", BENEATH_FOLDER_FLAGS);
    while (at >= 0 && *path != '\0') {
        const size_t length = strcspn(path, "/");
        if (length > 0 && !(length == 1 && *path == '.')) {
            const int inner = open_part(at, path, length, makes);
            close_keeping_errno(at);
            at = inner;
        }
        path += length + (path[length] == '/');
    }
    return at;
}

const char *beneath_open_above(int folder, const char *path, bool makes, int *above)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof parent) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(parent, path, length);
    parent[length] = '\0';
    *above = beneath_open_folder(folder, parent, makes);
    return *above < 0 ? NULL : slash ? slash + 1 : path;
}

int beneath_open_file(int folder, const char *path, int flags, bool makes)
{
    int above;
    const char *name = beneath_open_above(folder, path, makes, &above);
    if (!name)
        return -1;
    const int file = openat(above, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0700);
    close_keeping_errno(above);
    return file;
}
