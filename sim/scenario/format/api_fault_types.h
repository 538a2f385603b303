/* An item of a scenario's "api_faults" as the file writes it. */
#ifndef SIM_SCENARIO_FORMAT_API_FAULT_TYPES_H
#define SIM_SCENARIO_FORMAT_API_FAULT_TYPES_H

#include "sim/schema/bind.h"

/* X(ENUM, name, what it does) */
#define API_FAULT_KINDS(X)                                                                         \
    X(ERROR, "api.error", "answers with an error, before anything is done")                        \
    X(RESET, "api.reset", "cuts the connection without an answer, before anything is done")        \
    X(LOST, "api.lost", "does what is asked, and cuts the connection without an answer")           \
    X(SLOW, "api.slow", "sends the answer's body slowly")                                          \
    X(STALE, "api.stale", "answers a GET with an earlier answer")

typedef enum {
#define X(name, text, what) API_FAULT_##name,
    API_FAULT_KINDS(X)
#undef X
        API_FAULT_NONE
} ApiFaultKind;

/* The members in the form in which they are read. */
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
const char *api_fault_name(ApiFaultKind kind); /* "api.error" */
/* Whether faults of that kind may have the member `key`, which the type has. */
bool api_fault_takes(ApiFaultKind kind, const char *key);

#endif
