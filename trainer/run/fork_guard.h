/* Runs a function in a child process, for libraries that may crash or not return on untrusted
 * bytes. Uses fork: not for a process that has started MPI. */
#ifndef TRAINER_FORK_GUARD_H
#define TRAINER_FORK_GUARD_H

#include "sim/base/status.h"

/* The function to run: fills `result` and returns true, or fills the status and returns false. It
 * sees all memory of the caller, but only `result` and the status are copied back. */
typedef bool GuardedWork(const void *argument, void *result, Status *status);

/* Runs `work` in a child process for at most `seconds` of processor time, and copies its
 * `result_bytes` bytes back. Fails with STATUS_BAD_INPUT at `at` if the child crashes or takes too
 * long; the message names the cause and `doing`. Fails with STATUS_MACHINE if no process can be
 * created. */
MUST_CHECK bool fork_guard_run(GuardedWork *work, const void *argument, void *result,
                               size_t result_bytes, int seconds, Place at, const char *doing,
                               Status *status);

#endif
