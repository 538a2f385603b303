/* Copies of a store, and stores that go back to an earlier entry: for a session that continues
 * another one (emu/fork.h). */
#ifndef EMU_STORE_COPY_H
#define EMU_STORE_COPY_H

#include "emu/state/store.h"

/* Copies the database to `folder`, which is made (0700) and has no database, and syncs it.
 * STATUS_MACHINE on failure. `store` is clean. */
MUST_CHECK bool store_copy(Store *store, const char *folder, Status *status);

/* Drops the entries of the journal after `last`, as part of the next commit. A snapshot may contain
 * them (emu/past.h). */
MUST_CHECK bool store_cut(Store *store, int64_t last, Status *status);

#endif
