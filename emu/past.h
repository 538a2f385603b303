/* A session that goes back to an earlier moment: for forks (emu/fork.h) and undone jumps
 * (emu/undo.h). */
#ifndef EMU_PAST_H
#define EMU_PAST_H

#include "emu/state/store.h"

/* Lets the session of the store begin at `at_ns`, with the entries of its journal up to `sequence`,
 * as part of the next commit: later entries, jumps of the clock and a later snapshot are dropped.
 * The session must not be open, or be opened again after the commit. Files of clients stay. */
MUST_CHECK bool past_restore(Store *store, int64_t sequence, int64_t at_ns, Status *status);

#endif
