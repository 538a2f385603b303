/* The last jumps of the clock that clients asked for: what a session goes back to when one is
 * undone (emu/undo.h). The store keeps them, so that they outlive the process. */
#ifndef EMU_JUMPS_H
#define EMU_JUMPS_H

#include "emu/state/store.h"

/* A session before a jump. */
typedef struct {
    int64_t sequence; /* the last entry of its journal; 0: none */
    int64_t at_ns;    /* simulated time */
    uint64_t event;   /* the last event (emu/control/events.h) */
} Jump;

enum { JUMPS_KEPT = 32 }; /* older ones are forgotten */

/* Adds a jump, as part of the next commit. */
MUST_CHECK bool jumps_add(Store *store, Jump jump, Status *status);
/* Gets the last jump; false if no jump can be undone. */
bool jumps_last(Store *store, Jump *jump);
/* Forgets the jumps from `at_ns` on, as part of the next commit: the session goes back there. */
MUST_CHECK bool jumps_forget(Store *store, int64_t at_ns, Status *status);

#endif
