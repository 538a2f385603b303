/* The CONNECT proxy (RFC 9110, 9.3.6) on the plain listener, which goes nowhere but to our own TLS.
 *
 * Azure's storage clients build "ACCOUNT.file.core.windows.net" from an account's name. With this
 * proxy in HTTPS_PROXY the name needs no DNS: the tunnel to it ends here, on the same socket, where
 * the client goes on with TLS as if it were there. */
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
    PROXY_TLS,       /* a tunnel to storage, or to our TLS listener by its own name */
    PROXY_USERINFO,  /* to the other one */
    PROXY_REFUSED,   /* to somewhere else, or malformed */
} ProxyVerdict;

enum { PROXY_HEAD_MAX = 8192 };

/* Judges the first `length` bytes of a connection. For a tunnel `*head_bytes` is where the
 * client's TLS begins, or what was refused ends. */
ProxyVerdict proxy_judge(const ProxyRules *rules, const char *bytes, size_t length,
                         size_t *head_bytes);

/* Some clients take HTTPS_PROXY for a proxy of plain HTTP as well, and send it whole URLs: "GET
 * http://NAME:PORT/path" (RFC 9112, 3.2.2). Where such a target begins with the plain listener
 * itself or with storage, this is the length of "http://NAME:PORT"; 0 where it leads elsewhere. */
size_t proxy_own_origin(const ProxyRules *rules, const char *target);

#endif
