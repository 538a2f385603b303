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

#include "sim/base/status.h"

typedef struct {
    const char *from;           /* the state folder of the session to continue */
    int64_t at_ns;              /* simulated time to continue from; -1: its present */
    int32_t change_count;       /* faults in the form of JSON, without "at", ... */
    const char *const *changes; /* ... that are applied then */
} Fork;

/* Makes the state folder `folder`, which does not exist, or is empty. False with the problems:
 * STATUS_BAD_INPUT for folders, STATUS_CONFLICT where an emulator serves `from`, and where the
 * session cannot go back to that time: it is later than the present, or clients have changed files
 * since, whose earlier contents are not kept. */
MUST_CHECK bool fork_session(const Fork *fork, const char *folder, Problems *problems);

#endif
