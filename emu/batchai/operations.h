/* Operations that take a while: what a 202 points to, and what polls of it find.
 *
 * An operation's id says all about it (which resource, what, since when) under a mask, with a check
 * sum that the session's seed is in. So there is no table of operations, nothing that a restart
 * could lose, and a number that nobody gave is not found. */
#ifndef EMU_BATCHAI_OPERATIONS_H
#define EMU_BATCHAI_OPERATIONS_H

#include "emu/arm/route.h"

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
const char *operation_id(const Emulator *emulator, Arena *arena, OperationKind kind,
                         const Record *record);
/* What has become of it. */
Operation operation_read(const Emulator *emulator, const char *id);

/* 202 with Location, Azure-AsyncOperation and Retry-After, as the service answered creations,
 * deletions and terminations of Batch AI's resources. */
void operation_answer(Emulator *emulator, const HttpRequest *request, OperationKind kind,
                      const Record *record, HttpResponse *response);

/* .../operationresults/ID is what Azure-AsyncOperation points to, .../operationstatuses/ID is the
 * Location: the service had the two names so. */
RouteHandler operations_result, operations_status;

#endif
