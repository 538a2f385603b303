/* Which requests are refused before a handler sees them.
 *
 * Any process that can reach the ports is trusted. Web pages are not, although their scripts run in
 * a browser on this machine. A page can let the name of its server point to 127.0.0.1 (DNS
 * rebinding). The Host header has that name then, so only addresses, "localhost" and the names of
 * storage accounts are answered. A page can also send requests to other sites, and would not see
 * the answers but cause the effects. Such requests have an Origin, so writes from other sites are
 * refused, except signed ones. */
#ifndef EMU_GATE_H
#define EMU_GATE_H

#include "emu/http/http.h"

typedef struct {
    const char *storage_suffix; /* "core.windows.net" */
    const char *own_name;       /* the name of this machine, if other machines may connect; "" */
    /* Whether a request is for a service whose requests are all signed; NULL: there is no such
     * service. */
    bool (*is_signed)(const HttpRequest *request, const char *storage_suffix);
} GateRules;

/* False after answering 400, 403 or 421 (RFC 9110, 15.5.20: Misdirected Request). */
MUST_CHECK bool gate_passes(const GateRules *rules, const HttpRequest *request,
                            HttpResponse *response);

/* Answers an error outside of Azure's protocols: {"error": {"code": ..., "message": ...}}. Returns
 * false. */
bool gate_refuse(const HttpRequest *request, HttpResponse *response, int32_t status,
                 const char *code, const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
