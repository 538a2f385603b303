/* Operations that take a while: what a 202 points to, and what polls of it find.
 *
 * An operation's id contains all about it (which resource, what, since when) under a mask, with a
 * check sum that depends on the session's seed. So there is no table of operations, a restart loses
 * none, and an invented id is not found. */
#ifndef EMU_ARM_OPERATION_H
#define EMU_ARM_OPERATION_H

#include "emu/arm/arm.h"

typedef enum { OPERATION_CREATE, OPERATION_DELETE, OPERATION_TERMINATE } OperationKind;

typedef enum {
    OPERATION_IN_PROGRESS,
    OPERATION_SUCCEEDED,
    OPERATION_FAILED,
    OPERATION_CANCELED, /* a creation whose resource was deleted meanwhile */
} OperationState;

typedef struct {
    bool is_known; /* false: there is no such operation */
    OperationKind kind;
    RecordKind what; /* which resource, gone or not: its kind, row in the world and path */
    uint32_t row;
    ResourcePath path;
    int64_t start_ms; /* of simulated time */
    OperationState state;
    int64_t end_ns; /* when it is not in progress any more */
} Operation;

/* The id of an operation on a resource that begins now; in `arena`. */
const char *operation_id(const ArmCall *call, OperationKind kind, const Record *record);
/* What has become of it. */
Operation operation_read(const ArmCall *call, const char *id);

#endif
