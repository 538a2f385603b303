/* The cores that a process may use, and a warning if the ranks of a machine need more cores.
 *
 * A core is a logical processor, which the system schedules on: with hyper-threading two of them
 * share a physical core. */
#ifndef TRAINER_CORES_H
#define TRAINER_CORES_H

#include "sim/base/status.h"

enum { CORES_MAX = 1024 };

/* One bit per core, indexed by the system's core number. */
typedef struct {
    uint64_t bits[CORES_MAX / 64];
} CoreSet;

/* The cores that this process may run on: mpirun binds ranks to different cores, and containers and
 * taskset exclude cores. Never empty. */
CoreSet cores_allowed(void);
int32_t cores_count(const CoreSet *set);

/* Adds a warning if `ranks` on one machine, each with `threads` threads, have fewer `cores` than
 * threads in total. All numbers are at least 1. */
void cores_warn(Problems *warnings, int32_t ranks, int32_t threads, int32_t cores);

#endif
