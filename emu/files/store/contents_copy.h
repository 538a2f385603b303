/* The files of clients in a session that continues another one (emu/fork.h). */
#ifndef EMU_FILES_CONTENTS_COPY_H
#define EMU_FILES_CONTENTS_COPY_H

#include "emu/state/store.h"

/* Copies the contents of all files to the state folder `folder`, and syncs them: never links, since
 * ranges are appended to the contents of a file, and given back, in place. STATUS_MACHINE on
 * failure. */
MUST_CHECK bool contents_copy(Store *store, const char *folder, Status *status);

/* When clients last changed shares and files, as far as these still exist. */
typedef struct {
    int64_t ns;      /* simulated; -1: never */
    int64_t unix_ms; /* on the calendar; INT64_MIN: never */
    bool is_pending; /* the world has not heard of the last changes */
} FilesChanged;

MUST_CHECK bool contents_changed(Store *store, FilesChanged *changed, Status *status);

#endif
