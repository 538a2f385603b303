/* Operations that last: the ids that a 202 contains, and the state that polls of them report.
 *
 * An operation's id contains everything about it (resource, kind, start) under a mask, with a
 * checksum that depends on the session's seed. So there is no table of operations, a restart loses
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
    RecordKind what; /* the resource, which may be deleted: its kind, row in the world and path */
    uint32_t row;
    ResourcePath path;
    int64_t start_ms; /* of simulated time */
    OperationState state;
    int64_t end_ns; /* its end, unless it is in progress */
} Operation;

/* Returns the id of an operation on `record` that begins now; in the request's arena. */
const char *operation_id(const ArmCall *call, OperationKind kind, const Record *record);
/* Returns the present state of the operation `id`. */
Operation operation_read(const ArmCall *call, const char *id);

#endif
