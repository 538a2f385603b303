/* Requests of supervisors: GET /healthz, /readyz and /metrics, on both listeners.
 *
 *     /healthz   200 "ok": the process answers
 *     /readyz    200 "ok": the journal is replayed, and writes can be stored; else 503 and the
 *                reason. During a replay the port is open and the answer waits
 *     /metrics   numbers for Prometheus (emu/control/exposition.h)
 *
 * No rule for faults strikes them, and they neither change the world nor move time. */
#ifndef EMU_HEALTH_H
#define EMU_HEALTH_H

#include "emu/control/control.h"

extern const ControlRoute health_routes[];

/* Whether a request asks for one of them. Accounts with these names keep all their addresses: no
 * operation of Azure Files is a bare path without a query or a signature. */
bool health_is_asked(const HttpRequest *request, const char *storage_suffix);

#endif
