/* Operations of Batch AI that last: the answers that name one, and the answers to its polls. */
#ifndef EMU_BATCHAI_OPERATIONS_H
#define EMU_BATCHAI_OPERATIONS_H

#include "emu/arm/operation.h"

/* Answers 202 with Location, Azure-AsyncOperation and Retry-After (a decision of ours), as the
 * service answered creations, deletions and terminations. */
void operation_answer(const ArmCall *call, OperationKind kind, const Record *record);

/* Azure-AsyncOperation contains .../operationresults/ID and Location .../operationstatuses/ID, as
 * in the service's answers. */
ArmHandler operations_result, operations_status;

#endif
