/* One GET over TLS, perhaps through a proxy: what `trainyard az-env --check` needs to see what a
 * client would see. */
#ifndef EMU_HTTPS_GET_H
#define EMU_HTTPS_GET_H

#include "sim/base/status.h"

typedef struct {
    const char *address; /* to connect to: "127.0.0.1:10443"; with a tunnel the proxy's */
    const char *tunnel;  /* "acct.file.core.windows.net:443" for CONNECT; NULL: none */
    const char *host;    /* in the Host header, and in the certificate (without its port) */
    const char *target;
    const char *token;   /* Authorization: Bearer; NULL: none */
    const char *ca_path; /* who is trusted */
} HttpsGet;

typedef struct {
    int32_t status;
    const char *head; /* in the arena */
} HttpsAnswer;

/* STATUS_MACHINE with what failed: connecting, the tunnel, the certificate. Waits 5 s at most for
 * each step. */
MUST_CHECK bool https_get(Arena *arena, const HttpsGet *get, HttpsAnswer *answer, Status *status);

#endif
