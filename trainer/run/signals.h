/* How SIGINT and SIGTERM end a training early.
 *
 * A single process finishes the current step, so that its files are complete; a second signal, or
 * one before the first step, ends it at once. One rank of several cannot do that: the others may
 * have ended already (mpirun sends SIGTERM to all ranks when one is lost), and the next exchange
 * would wait for them forever. Such a rank reports its epoch and step and ends at once. Checkpoints
 * are complete in either case, because a file gets its final name only when it is complete.
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
/* Restores the previous handlers; for tests. */
void signals_forget(void);

/* Records the current epoch and step, both counted from 1. */
void signals_note_step(int64_t epoch, int64_t step);
/* Records the last checkpoint; NULL: none yet. `path` is borrowed until signals_forget. */
void signals_note_checkpoint(const char *path);

/* The signal that was received, or 0. Always 0 with several ranks. */
int signals_received(void);

enum { SIGNALS_ROOM = 8192 };
/* Writes "ended by signal 15 in epoch 3, step 417" and the hint "continue with --resume
 * logs/checkpoint-2.h5" with line ends to `out`, which has SIGNALS_ROOM bytes; returns the length.
 * Uses only async-signal-safe calls. */
size_t signals_message(int signal, char *out);

/* Exit code of a program that a signal ended, as in shells: 128 + the signal's number. */
static inline int signals_exit_code(int signal)
{
    return 128 + signal;
}

#endif
