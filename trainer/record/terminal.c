#include "trainer/record/terminal.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static bool has_size(int descriptor)
{
    struct winsize size = {0};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
}

static bool is_watched_by_parent(int number)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), number);
    const int descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const bool is_terminal = isatty(descriptor) && has_size(descriptor);
    close(descriptor);
    return is_terminal;
}

bool terminal_is_watched(int descriptor)
{
    return isatty(descriptor) && (has_size(descriptor) || is_watched_by_parent(descriptor));
}
