/* How a training ends before its time: by SIGINT or SIGTERM.
 *
 * A process alone finishes the step that it is at, so that its files are whole; a second signal
 * ends it at once. One rank of several cannot do that: the others may be gone already (mpirun sends
 * SIGTERM to all when one is lost) and the next exchange would wait for them for ever, so it says
 * where the training stood and ends at once. Checkpoints are whole either way, because they appear
 * under their name only when they are.
 *
 * The state is the process', because signals are. */
#ifndef TRAINER_SIGNALS_H
#define TRAINER_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/text.h"

/* From here on signals are handled so. `speaks` on the rank that says where the training stood. A
 * file that grows beyond the system's limit for one is an error of its writer from now on, like a
 * full disk, and no longer the end (SIGXFSZ). */
void signals_watch(int32_t ranks, bool speaks);
/* As before; for tests. */
void signals_forget(void);

/* Where the training stands: epoch and step of the epoch under way, both from 1. */
void signals_note_step(int64_t epoch, int64_t step);
/* The last checkpoint, whose path outlives the watch; NULL: none yet. */
void signals_note_checkpoint(const char *path);

/* The signal that has come, or 0. Only to a process alone. */
int signals_received(void);

enum { SIGNALS_ROOM = 8192 };
/* "ended by signal 15 in epoch 3, step 417; go on with --resume logs/checkpoint-2.h5", with line
 * ends, into `out`, which has SIGNALS_ROOM; returns the length. Only async-signal-safe calls. */
size_t signals_message(int signal, char *out);

/* Exit code of a program that a signal ended, as shells have it: 128 + its number. */
static inline int signals_exit_code(int signal)
{
    return 128 + signal;
}

#endif
