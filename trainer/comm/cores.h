/* The cores that a process may use, and a warning when the ranks of a machine want more of them.
 *
 * A core here is what the system schedules on: with hyper-threading two of them share one. */
#ifndef TRAINER_CORES_H
#define TRAINER_CORES_H

#include "sim/base/status.h"

enum { CORES_MAX = 1024 };

/* One bit a core, by the system's number. */
typedef struct {
    uint64_t bits[CORES_MAX / 64];
} CoreSet;

/* Those that this process may run on: mpirun binds ranks to cores of their own, and containers and
 * taskset leave out others. Never empty. */
CoreSet cores_allowed(void);
int32_t cores_count(const CoreSet *set);

/* Adds a warning when `ranks` on one machine, each computing with `threads`, share fewer `cores`;
 * all at least 1. */
void cores_warn(Problems *warnings, int32_t ranks, int32_t threads, int32_t cores);

#endif
