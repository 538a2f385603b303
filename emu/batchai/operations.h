/* Operations of Batch AI that take a while: the answers that point to one, and to polls of it. */
#ifndef EMU_BATCHAI_OPERATIONS_H
#define EMU_BATCHAI_OPERATIONS_H

#include "emu/arm/operation.h"

/* 202 with Location, Azure-AsyncOperation and Retry-After, as the service answered creations,
 * deletions and terminations of Batch AI's resources. */
void operation_answer(const ArmCall *call, OperationKind kind, const Record *record);

/* .../operationresults/ID is what Azure-AsyncOperation points to, .../operationstatuses/ID is the
 * Location: the service had the two names so. */
ArmHandler operations_result, operations_status;

#endif
