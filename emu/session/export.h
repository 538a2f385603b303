/* A session as a scenario file. */
#ifndef EMU_SESSION_EXPORT_H
#define EMU_SESSION_EXPORT_H

#include "emu/session/session.h"

/* The session as a scenario file (JSON text) that needs no other: the base's own with the journal's
 * commands and faults as its "session", up to now. */
MUST_CHECK bool session_export(Session *session, Text *out, Status *status);

#endif
