/* Everything a run starts from, as plain values: the service's habits and what is asked of it.
 * Filled by sim/scenario from files, by the emulator from requests, by tests by hand. Borrowed by
 * the world and unchanged while it lives. */
#ifndef SIM_CORE_SCENARIO_H
#define SIM_CORE_SCENARIO_H

#include "sim/core/command.h"

typedef enum { FIDELITY_STEP, FIDELITY_EPOCH, FIDELITY_JOB } Fidelity;

typedef struct {
    const char *name; /* "cifar10-horovod": file name or folder */
    const char *description;
    uint64_t seed;
    int64_t start_unix_ms; /* simulated time 0 on the calendar */
    const char *region;
    const char *subscription;
    int64_t until_ns; /* stop here at the latest; INT64_MAX: until nothing is left to happen */
    Fidelity fidelity;
    ServiceModel service;
    int32_t command_count;
    const Command *commands; /* in the order of the file */
} Scenario;

#endif
