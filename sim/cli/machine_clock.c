#include "sim/cli/machine_clock.h"

#include <time.h>

#include "sim/base/units.h"

int64_t machine_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}
