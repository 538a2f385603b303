/* How SIGINT, SIGTERM and SIGUSR1 end a training early.
 *
 * Each is a notice: the training finishes the current step, writes a checkpoint and ends. Several
 * ranks agree on the step, so the signal may reach all of them or only some. A second SIGINT or
 * SIGTERM, or a signal before the first step, ends the process at once. A second SIGUSR1 changes
 * nothing: schedulers send it as an early notice, and mpirun passes it on to ranks that may have
 * got it already. For the same reason one of several ranks ignores further signals for a moment.
 * Checkpoints are complete in any case, because a file gets its final name only when it is
 * complete.
 *
 * mpirun passes SIGUSR1 on to the ranks, and ends them a second after SIGTERM or SIGINT, also when
 * one rank is lost: the others then wait in their exchange. So rank 0 reports its epoch and step at
 * the first signal.
 *
 * The state is global, because signal handlers belong to the process. */
#ifndef TRAINER_SIGNALS_H
#define TRAINER_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

/* Installs the handlers. `speaks` is true on the rank that reports epoch and step. SIGXFSZ is
 * ignored from then on: a file that exceeds the system's size limit is a write error, like a full
 * disk. */
void signals_watch(int32_t ranks, bool speaks);
/* Restores the previous handlers, and forgets a signal that was received. */
void signals_forget(void);

/* Records the current epoch and step, both counted from 1. */
void signals_note_step(int64_t epoch, int64_t step);
/* Records the last checkpoint; NULL: none yet. `path` is borrowed until signals_forget. */
void signals_note_checkpoint(const char *path);

/* The signal that was received, or 0. */
int signals_received(void);

enum { SIGNALS_ROOM = 8192 };
/* Writes "ended by signal 15 in epoch 3, step 417" and the hint "continue with --resume
 * logs/checkpoint-2-step-417.h5" with line ends to `out`, which has SIGNALS_ROOM bytes; returns the
 * length. Uses only async-signal-safe calls. */
size_t signals_message(int signal, char *out);
/* The same of a signal after which a checkpoint is still to be written: "ends after signal 15 in
 * epoch 3, step 417, with a checkpoint". The hint is for the case that the process is killed
 * before. */
size_t signals_notice(int signal, char *out);

/* Exit code of a program that a signal ended, as in shells: 128 + the signal's number. */
static inline int signals_exit_code(int signal)
{
    return 128 + signal;
}

#endif
