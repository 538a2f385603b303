/* One request without a body over TLS, directly or through a proxy: `trainyard az-env --check` sees
 * what a client sees, and `serve --fork` asks the emulator that serves the other session. It uses
 * GnuTLS, which the server needs anyway: libcurl would add twenty shared libraries to the start of
 * every verb. */
#ifndef EMU_HTTPS_ASK_H
#define EMU_HTTPS_ASK_H

#include "sim/base/status.h"

typedef struct {
    const char *address; /* of the server, "127.0.0.1:10443", or with `tunnel` of the proxy */
    const char *tunnel;  /* "acct.file.core.windows.net:443" for CONNECT; NULL: none */
    const char *host;    /* the Host header, and without its port the name in the certificate */
    const char *method;  /* NULL: GET */
    const char *target;
    const char *token;   /* Authorization: Bearer; NULL: none */
    const char *ca_path; /* the trusted certificates */
    int64_t patience_s;  /* for the answer; 0: 5 s */
} HttpsAsk;

typedef struct {
    int32_t status;
    const char *head; /* and what came with it of the body; in the arena */
} HttpsAnswer;

/* STATUS_MACHINE with the step that failed: connecting, the tunnel, the certificate. Each other
 * step takes at most 5 s. */
MUST_CHECK bool https_ask(Arena *arena, const HttpsAsk *ask, HttpsAnswer *answer, Status *status);

#endif
