/* Whether a state folder has lost something: its database is shorter than it says, or its log lacks
 * acknowledged commits (emu/state/log_witness.h). */
#ifndef EMU_DAMAGE_H
#define EMU_DAMAGE_H

#include "sim/base/arena.h"
#include "sim/base/status.h"

struct sqlite3;

/* The database is open and locked by this process. False with a sentence about what is missing, in
 * `arena`. */
MUST_CHECK bool database_is_whole(Arena *arena, struct sqlite3 *connection, const char *folder,
                                  const char **problem);

/* Moves the database and its log into the folder `lost`, and makes a new database at
 * version STORE_VERSION with all rows that can be read. The database is closed. Adds what is lost
 * to `warnings`; false with the problem. */
MUST_CHECK bool database_recover(Arena *arena, const char *folder, Problems *warnings,
                                 Status *status);

/* Moves `name` of the open folder `from` into the folder `lost` of the state folder, under
 * this or a longer name. Returns its path, in `arena`; NULL with errno. */
const char *set_aside(Arena *arena, const char *folder, int from, const char *name);

#endif
