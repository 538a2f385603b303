/* The values of secret variables of jobs and set-up tasks. A world needs them, because a command
 * may print one, as it could in the service. Journal, export and kept properties never have them:
 * the store keeps them apart from the journal, in the state folder alone, as long as it has the
 * command. */
#ifndef EMU_SESSION_SECRET_VALUES_H
#define EMU_SESSION_SECRET_VALUES_H

#include "emu/state/store.h"
#include "sim/json/json.h"

/* The values in a command, in `arena`; NULL if it has none. */
Json *secret_values_of(Arena *arena, const Json *command);
/* A copy of `command`, which has no secrets, with `values` (NULL: `command` itself). */
Json *secret_values_put(Arena *arena, Json *command, const Json *values);
/* Stores the values of the journal's entry `sequence`, or reads them; NULL: it has none. */
MUST_CHECK bool secret_values_store(Store *store, int64_t sequence, const Json *values,
                                    Status *status);
Json *secret_values_read(Store *store, Arena *arena, int64_t sequence);

#endif
