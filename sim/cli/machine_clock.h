/* What time it is on this machine, for whoever measures or waits, and as its files have it.
 * Simulated time is the world's. */
#ifndef SIM_CLI_MACHINE_CLOCK_H
#define SIM_CLI_MACHINE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "sim/base/units.h"

/* Since some moment that stays: a clock that nobody sets (CLOCK_MONOTONIC). */
int64_t machine_clock_ns(void);
/* Since 1970, UTC (CLOCK_REALTIME): what files and people have. */
int64_t machine_unix_ns(void);

/* `time` as one number. */
static inline int64_t machine_time_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

#endif
