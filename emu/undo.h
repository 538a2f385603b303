/* Undoes the last jump of the clock: the session goes back to the moment before it.
 *
 * The world goes back, and requests since then are dropped from the journal. Files of clients do
 * not go back, because their earlier contents are not kept. So a jump cannot be undone after
 * shares, accounts or files were deleted, or shares or accounts were made; files that were written
 * since stay, as if they were written at the moment that the session goes back to. It
 * cannot be undone either after a job has run for real.
 *
 * Where requests or files are concerned, the client has to accept that. Then the whole session
 * is kept before, as a scenario in the folder `undone` of the state.
 *
 * The journal is cut in the transaction of the next commit: a kill leaves the session before or
 * after. After that commit the emulator must be opened again (emulator_is_over); until then it
 * refuses requests. */
#ifndef EMU_UNDO_H
#define EMU_UNDO_H

#include "emu/emulator.h"

/* Goes back, and returns what was done: {"now", "now_ns", "from_ns", "requests", "files", "kept"}.
 * NULL without any change: STATUS_CONFLICT with the reason in words, STATUS_MACHINE for the disk.
 */
Json *undo_jump(Emulator *emulator, Arena *arena, bool is_accepted, Status *status);

#endif
