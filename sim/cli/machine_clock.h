/* The clock of this machine, for measurements, waits and the times of files. Simulated time
 * belongs to the world. */
#ifndef SIM_CLI_MACHINE_CLOCK_H
#define SIM_CLI_MACHINE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "sim/base/units.h"

/* Nanoseconds since a fixed moment; this clock is never set (CLOCK_MONOTONIC). */
int64_t machine_clock_ns(void);
/* Nanoseconds since 1970 in UTC (CLOCK_REALTIME), as in files. */
int64_t machine_unix_ns(void);

/* `time` as one number. */
static inline int64_t machine_time_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

#endif
