#include "sim/cli/machine_clock.h"

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return machine_time_ns(now);
}

int64_t machine_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t machine_unix_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}
