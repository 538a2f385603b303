#include "emu/state/file_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/files.h"

static bool machine_failed(const char *doing, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("files", 0, 0), "cannot %s %s: %s", doing,
                       path, strerror(errno));
}

static bool copy_bytes(int from, int to, const char *path, const char *to_path, Status *status)
{
    char piece[1 << 16];
    for (;;) {
        const ssize_t length = read(from, piece, sizeof piece);
        if (length == 0)
            return fsync(to) == 0 || machine_failed("sync", to_path, status);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return machine_failed("read", path, status);
        if (!file_put(to, piece, (size_t)length, FILE_CURRENT_POSITION))
            return machine_failed("write", to_path, status);
    }
}

bool file_copy(const char *path, const char *to_path, Status *status)
{
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return machine_failed("read", path, status);
    const int to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool is_copied = to >= 0 ? copy_bytes(from, to, path, to_path, status)
                                   : machine_failed("write", to_path, status);
    close(from);
    if (to >= 0)
        close(to);
    return is_copied;
}
