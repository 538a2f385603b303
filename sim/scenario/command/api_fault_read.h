/* Rules for faults between a client and the emulator: a scenario's "api_faults", and requests to
 * /trainyard/faults.
 *
 *     {"do": "api.error", "path": "*clusters*", "method": "PUT", "status": 429,
 *      "retry_after": "2s", "chance": "10%", "count": 3, "seed": 7}
 *
 * A run without the emulator has no clients, so the rules have no effect. */
#ifndef SIM_SCENARIO_API_FAULT_READ_H
#define SIM_SCENARIO_API_FAULT_READ_H

#include "sim/scenario/format/api_fault_types.h"

typedef struct {
    ApiFaultKind kind;
    const char *method, *path; /* globs */
    int32_t status;
    const char *code;
    int64_t retry_after_s; /* -1: none */
    int64_t bytes_per_s;
    int64_t chance_ppm;
    int64_t skip, count; /* count INT64_MAX: without end */
    uint64_t seed;
} ApiFaultRule;

/* The rule that `text` describes; it borrows the texts. False with the problems, also when a
 * member was already refused. */
bool api_fault_read(const ApiFaultText *text, ApiFaultRule *rule, Problems *problems);

#endif
