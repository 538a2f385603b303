/* Who is let in at all, before anything looks at what is asked.
 *
 * Whoever can reach the ports is trusted; web pages are not, whose scripts run in a browser on this
 * machine. A page can have the name of its own server point to 127.0.0.1 (DNS rebinding): then the
 * Host header has that name, so only addresses, "localhost" and the names of storage accounts are
 * answered. And it can send requests to other sites, whose answers it does not see but whose
 * effects it would have: then they have an Origin, so writes from elsewhere are refused, except
 * those to Azure Files, which are signed. */
#ifndef EMU_GATE_H
#define EMU_GATE_H

#include "emu/http/http.h"

typedef struct {
    const char *storage_suffix; /* "core.windows.net" */
    const char *own_name;       /* of this machine, where others may come from; "" */
    /* Whether a request is of a service whose requests are all signed; NULL: none is. */
    bool (*is_signed)(const HttpRequest *request, const char *storage_suffix);
} GateRules;

/* False after answering 400, 403 or 421 (RFC 9110, 15.5.20: Misdirected Request). */
MUST_CHECK bool gate_passes(const GateRules *rules, const HttpRequest *request,
                            HttpResponse *response);

/* The answer to what never gets to a handler: {"error": {"code": ..., "message": ...}}. Returns
 * false. */
bool gate_refuse(const HttpRequest *request, HttpResponse *response, int32_t status,
                 const char *code, const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
