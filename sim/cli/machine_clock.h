/* What time it is on this machine, for whoever measures or waits. Simulated time is the world's. */
#ifndef SIM_CLI_MACHINE_CLOCK_H
#define SIM_CLI_MACHINE_CLOCK_H

#include <stdint.h>

/* Since some moment that stays: a clock that nobody sets (CLOCK_MONOTONIC). */
int64_t machine_clock_ns(void);

#endif
