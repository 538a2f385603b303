/* The client's side of TLS over a simulated connection: bytes in, bytes out, without a socket. */
#ifndef TESTS_EMU_FAULTS_TLS_CLIENT_H
#define TESTS_EMU_FAULTS_TLS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/text.h"

typedef struct TlsClient TlsClient;

/* Bytes to be sent are appended to `out`, which outlives it. */
TlsClient *tls_client_open(Text *out);
void tls_client_close(TlsClient *tls); /* NULL is fine */
/* Takes bytes of the connection; appends what they contain to `to`. False if they are not what a
 * server sends. */
bool tls_client_receive(TlsClient *tls, const char *bytes, size_t length, Text *to);
/* Whether the handshake is done: records may be sent. */
bool tls_client_is_ready(const TlsClient *tls);
void tls_client_send(TlsClient *tls, const char *bytes, size_t length);
/* Says that nothing more is sent (close_notify). */
void tls_client_end_sending(TlsClient *tls);

#endif
