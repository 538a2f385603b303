/* One GET over TLS, directly or through a proxy, so that `trainyard az-env --check` sees what a
 * client sees. It uses GnuTLS, which the server needs anyway: libcurl would add twenty shared
 * libraries to the start of every verb. */
#ifndef EMU_HTTPS_GET_H
#define EMU_HTTPS_GET_H

#include "sim/base/status.h"

typedef struct {
    const char *address; /* of the server, "127.0.0.1:10443", or with `tunnel` of the proxy */
    const char *tunnel;  /* "acct.file.core.windows.net:443" for CONNECT; NULL: none */
    const char *host;    /* the Host header, and without its port the name in the certificate */
    const char *target;
    const char *token;   /* Authorization: Bearer; NULL: none */
    const char *ca_path; /* the trusted certificates */
} HttpsGet;

typedef struct {
    int32_t status;
    const char *head; /* in the arena */
} HttpsAnswer;

/* STATUS_MACHINE with the step that failed: connecting, the tunnel, the certificate. Each step
 * takes at most 5 s. */
MUST_CHECK bool https_get(Arena *arena, const HttpsGet *get, HttpsAnswer *answer, Status *status);

#endif
