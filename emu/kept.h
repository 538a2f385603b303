/* The session and what listens to it: all that outlives a process in a snapshot (emu/snapshots.h).
 * It is in the session's memory, and refers to nothing else once it is detached. */
#ifndef EMU_KEPT_H
#define EMU_KEPT_H

#include "emu/control/events.h"
#include "emu/control/tally.h"
#include "emu/files/store/file_store.h"
#include "emu/session/outcomes.h"
#include "emu/session/session.h"

typedef struct {
    Arena *arena; /* of that memory */
    const ScenarioFile *base;
    Session *session; /* NULL: not open */
    FileStore *files;
    Events *events;
    Tally *tally;
    Outcomes *outcomes;
    uint64_t changes;     /* of states that clients can see */
    uint64_t job_changes; /* of those, the states of jobs */
    bool is_open;         /* the journal is replayed: what follows is new */
} Kept;

/* For the session that begins with `base`; both in `arena`. */
Kept *kept_create(Arena *arena, const ScenarioFile *base);
/* Replays the session of the store, or begins it. */
MUST_CHECK bool kept_open(Kept *kept, Store *store, Status *status);
/* Refers to nothing outside its memory any more, without closing it. */
void kept_detach(Kept *kept);
/* Continues what was detached: replays the entries since. */
MUST_CHECK bool kept_attach(Kept *kept, Store *store, Status *status);
void kept_close(Kept *kept);

#endif
