#define _GNU_SOURCE // fallocate
#include "emu/state/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

Reserve reserve_find(const char *path)
{
    struct stat facts;
    return (Reserve){.path = path,
                     .is_there = lstat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
                                 (int64_t)facts.st_blocks * S_BLKSIZE >= RESERVE_BYTES};
}

void reserve_take(Reserve *reserve)
{
    if (reserve->is_there || reserve->cannot_be)
        return;
    const int descriptor = open(reserve->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0)
        return;
    reserve->is_there = fallocate(descriptor, 0, 0, (off_t)RESERVE_BYTES) == 0;
    reserve->cannot_be = !reserve->is_there && errno == EOPNOTSUPP;
    close(descriptor);
    if (!reserve->is_there)
        unlink(reserve->path);
}

void reserve_release(Reserve *reserve)
{
    unlink(reserve->path);
    reserve->is_there = false;
}
