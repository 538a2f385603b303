/* The CONNECT proxy (RFC 9110, 9.3.6) on the plain listener, which leads only to the emulator's
 * TLS.
 *
 * Azure's storage clients build "ACCOUNT.file.core.windows.net" from an account's name. With this
 * proxy in HTTPS_PROXY the name needs no DNS: the tunnel ends here, on the same socket, and the
 * client continues with TLS as if it were connected to that host. */
#ifndef EMU_PROXY_H
#define EMU_PROXY_H

#include "emu/http/gate.h"

typedef struct {
    GateRules gate;
    int32_t tls_port, userinfo_port, plain_port;
} ProxyRules;

typedef enum {
    PROXY_UNDECIDED, /* more bytes are needed */
    PROXY_NOT_MEANT, /* a request like any other */
    PROXY_TLS,       /* a tunnel to storage, or to the TLS listener by its own name */
    PROXY_USERINFO,  /* a tunnel to the userinfo listener */
    PROXY_REFUSED,   /* a tunnel to another host, or malformed */
} ProxyVerdict;

enum { PROXY_HEAD_MAX = 8192 };

/* Judges the first `length` bytes of a connection. `*head_bytes` is the length of the CONNECT
 * request, after which the client's TLS begins. */
ProxyVerdict proxy_judge(const ProxyRules *rules, const char *bytes, size_t length,
                         size_t *head_bytes);

/* Some clients use HTTPS_PROXY for plain HTTP as well, and send whole URLs: "GET
 * http://NAME:PORT/path" (RFC 9112, 3.2.2). If such a target is on the plain listener or on
 * storage, returns the length of "http://NAME:PORT"; else 0. */
size_t proxy_own_origin(const ProxyRules *rules, const char *target);

#endif
