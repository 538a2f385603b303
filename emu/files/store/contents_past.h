/* Files of clients in a session that goes back to an earlier moment (emu/fork.h, emu/undo.h). */
#ifndef EMU_FILES_CONTENTS_PAST_H
#define EMU_FILES_CONTENTS_PAST_H

#include "emu/state/store.h"

/* When clients last changed shares and files, as far as these still exist. */
typedef struct {
    int64_t ns;      /* simulated; -1: never */
    int64_t unix_ms; /* on the calendar; INT64_MIN: never */
    bool is_pending; /* the world has not heard of the last changes */
} FilesChanged;

MUST_CHECK bool contents_changed(Store *store, FilesChanged *changed, Status *status);

/* Changes of shares and files by clients after that moment, in simulated and calendar time, count
 * as made at it, and leases that would last beyond the longest one from there on end. Part of the
 * next commit. */
MUST_CHECK bool contents_go_back(Store *store, int64_t at_ns, int64_t unix_ms, Status *status);

#endif
