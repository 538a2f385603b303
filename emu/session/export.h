/* A session as a scenario file. */
#ifndef EMU_SESSION_EXPORT_H
#define EMU_SESSION_EXPORT_H

#include "emu/session/session.h"

/* The session as a scenario file (JSON text) that needs no other: the base's own with the journal's
 * commands and faults as its "session", up to now. */
MUST_CHECK bool session_export(Session *session, Text *out, Status *status);

/* The same text in parts, so that a long session is sent while other requests are answered. It is
 * the session at the begin: later entries are left out. The session outlives it. */
typedef struct SessionExport SessionExport;

SessionExport *session_export_begin(Session *session);
/* Appends the next part, which is not empty: up to `entry_count` entries of the journal. After the
 * end appends nothing. */
MUST_CHECK bool session_export_continue(SessionExport *export, int64_t entry_count, Text *out,
                                        Status *status);
void session_export_end(SessionExport *export);

#endif
