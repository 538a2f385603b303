/* Work in a process of its own, for libraries that may crash or never end on bytes from outside.
 * POSIX fork: not for a process that has started MPI. */
#ifndef TRAINER_FORK_GUARD_H
#define TRAINER_FORK_GUARD_H

#include "sim/base/status.h"

/* What to do: fills `result` and returns true, or fills the status and returns false. It sees all
 * memory of the caller; of what it changes there only `result` comes back. */
typedef bool GuardedWork(const void *argument, void *result, Status *status);

/* Does the work apart, at most `seconds` of processor time, and brings its `result_bytes` bytes
 * back. STATUS_BAD_INPUT of `at` when it crashes or takes too long, saying which and that `doing`
 * was going on; STATUS_MACHINE when no process can be had. */
MUST_CHECK bool fork_guard_run(GuardedWork *work, const void *argument, void *result,
                               size_t result_bytes, int seconds, Place at, const char *doing,
                               Status *status);

#endif
