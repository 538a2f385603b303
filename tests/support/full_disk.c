#include "tests/support/full_disk.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "sim/base/invariant.h"

/* Sets the soft limit and leaves the hard limit unchanged. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    const bool is_known = getrlimit(RLIMIT_FSIZE, &limit) == 0;
    invariant(is_known);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    const bool is_set = setrlimit(RLIMIT_FSIZE, &limit) == 0;
    invariant(is_set);
}

void disk_full_begin(int64_t bytes)
{
    signal(SIGXFSZ, SIG_IGN); // else it ends the process
    limit_files((rlim_t)bytes);
}

void disk_full_end(void)
{
    limit_files(RLIM_INFINITY);
}
