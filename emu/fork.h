/* A new state folder that continues the session of another one: from its present or from an earlier
 * time, unchanged or under another seed or scheduling policy.
 *
 * The other folder keeps its session. The new one has copies of its database, of the contents of
 * its files and, for a quick start, of its snapshots, and shares nothing with it; its certificate
 * is another one. It is made next to its place, as FOLDER.fork, synced, and renamed: after a kill
 * there is the whole session or none. Changes are entries of the journal, so that replays and
 * exports have them. */
#ifndef EMU_FORK_H
#define EMU_FORK_H

#include "emu/state/store.h"

typedef struct {
    const char *from;           /* the state folder of the session to continue */
    int64_t at_ns;              /* simulated time to continue from; -1: its present */
    int32_t change_count;       /* faults in the form of JSON, without "at", ... */
    const char *const *changes; /* ... that are applied then */
} Fork;

/* Makes the state folder `folder`, which does not exist, or is empty. If an emulator serves `from`,
 * that emulator makes the copy, as of one moment between two requests. False with the problems:
 * STATUS_BAD_INPUT for folders, STATUS_CONFLICT where another process uses `from`, and where the
 * session cannot go back to that time: it is later than the present, or clients have changed files
 * since, whose earlier contents are not kept. */
MUST_CHECK bool fork_session(const Fork *fork, const char *folder, Problems *problems);

/* --- In the emulator that serves the other session --- */

/* Copies the state of the store, which is clean, to `copies/NAME` in its folder, for a process that
 * forks it: the process takes the copy from there. `name` has letters, digits and hyphens, else
 * STATUS_BAD_INPUT; STATUS_CONFLICT if there is such a copy. */
MUST_CHECK bool fork_offer(Store *store, const char *name, Status *status);
/* Removes copies that were not taken; nothing may be taking one. */
void fork_withdraw_offers(Store *store);

#endif
