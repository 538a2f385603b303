#include "sim/cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void streams_guard(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
            continue;
        // open returns the lowest free number: this one. The wrong direction makes every use fail.
        const int direction = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", direction) < 0)
            return; // without /dev/null the descriptor stays closed
    }
}

bool streams_finish(Status *status)
{
    errno = 0;
    const bool has_failed = ferror(stdout) != 0;
    const bool is_closed = fclose(stdout) == 0;
    if (is_closed && !has_failed)
        return true;
    return status_fail(status, STATUS_MACHINE, place_in("standard output", 0, 0),
                       "writing failed: %s", errno ? strerror(errno) : "some of it was lost");
}
