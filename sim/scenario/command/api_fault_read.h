/* Rules of what goes wrong between a client and the emulator: a scenario's "api_faults", and what
 * is sent to /trainyard/faults.
 *
 *     {"do": "api.error", "path": "*clusters*", "method": "PUT", "status": 429,
 *      "retry_after": "2s", "chance": "10%", "count": 3, "seed": 7}
 *
 * A run without the emulator has no clients: there they strike nobody. */
#ifndef SIM_SCENARIO_API_FAULT_READ_H
#define SIM_SCENARIO_API_FAULT_READ_H

#include "sim/schema/bind.h"

/* X(ENUM, name, what it does) */
#define API_FAULT_KINDS(X)                                                                         \
    X(ERROR, "api.error", "answers with an error, before anything is done")                        \
    X(RESET, "api.reset", "cuts the connection without an answer, before anything is done")        \
    X(SLOW, "api.slow", "sends the answer's body slowly")                                          \
    X(STALE, "api.stale", "answers a GET as it was answered before it changed")

typedef enum {
#define X(name, text, what) API_FAULT_##name,
    API_FAULT_KINDS(X)
#undef X
        API_FAULT_NONE
} ApiFaultKind;

/* As it is written. */
typedef struct {
    const Json *node;
    BoundInteger action; /* ApiFaultKind */
    BoundText method;
    BoundText path;
    BoundInteger status;
    BoundText code;
    BoundInteger retry_after;
    BoundText rate;
    BoundText chance;
    BoundInteger skip;
    BoundInteger count;
    BoundInteger seed;
} ApiFaultText;

extern const ObjectType api_fault_type;

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

/* What `text` means; it borrows the texts. False with the problems, also where something in it was
 * refused already. */
bool api_fault_read(const ApiFaultText *text, ApiFaultRule *rule, Problems *problems);

#endif
