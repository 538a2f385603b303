/* Says which policy has ended the process, where the system would only say "Segmentation fault": a
 * fault, abort() or exit() in the code of a shared object, while it is loaded or called.
 *
 * What that code prints on its standard output goes to standard error, because the output of the
 * program may be a document for another program.
 *
 * It does not save the process: memory that the policy has overwritten is not trustworthy any more.
 * The state is global, because signal handlers belong to the process; it has one policy. */
#ifndef TOOLS_TRAINYARD_POLICY_POLICY_GUARD_H
#define TOOLS_TRAINYARD_POLICY_POLICY_GUARD_H

#include "sim/cloud/policy/trainyard_policy.h"

/* As dlopen(), after streams_divide; `path` names the policy in messages, and both are borrowed for
 * ever. */
void *policy_guard_load(const char *path, const char *file);
/* A function that calls `choose`, for any thread. */
trainyard_policy_function *policy_guard_around(trainyard_policy_function *choose);

#endif
