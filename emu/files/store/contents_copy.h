/* The files of clients in a session that continues another one (emu/fork.h). */
#ifndef EMU_FILES_CONTENTS_COPY_H
#define EMU_FILES_CONTENTS_COPY_H

#include "emu/state/store.h"

/* Copies the contents of all files to the state folder `folder`, and syncs them: never links, since
 * ranges are appended to the contents of a file, and given back, in place. STATUS_MACHINE on
 * failure. */
MUST_CHECK bool contents_copy(Store *store, const char *folder, Status *status);

#endif
