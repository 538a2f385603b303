#include "tests/emu/faults/tls_client.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

struct TlsClient {
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
    Text in; /* bytes of the connection */
    size_t taken;
    Text *out;
    bool is_ready, has_failed;
};

static ssize_t push(gnutls_transport_ptr_t owner, const void *bytes, size_t length)
{
    TlsClient *tls = owner;
    text_append(tls->out, bytes, length);
    return (ssize_t)length;
}

static ssize_t pull(gnutls_transport_ptr_t owner, void *room, size_t length)
{
    TlsClient *tls = owner;
    const size_t left = tls->in.length - tls->taken, count = left < length ? left : length;
    if (count == 0) {
        gnutls_transport_set_errno(tls->session, EAGAIN);
        return -1;
    }
    memcpy(room, tls->in.data + tls->taken, count);
    tls->taken += count;
    if (tls->taken == tls->in.length) {
        text_clear(&tls->in);
        tls->taken = 0;
    }
    return (ssize_t)count;
}

static void check(int result)
{
    if (result != GNUTLS_E_SUCCESS)
        abort();
}

static void shake_hands(TlsClient *tls)
{
    const int result = gnutls_handshake(tls->session);
    tls->is_ready = result == GNUTLS_E_SUCCESS;
    tls->has_failed = result < 0 && gnutls_error_is_fatal(result);
}

TlsClient *tls_client_open(Text *out)
{
    TlsClient *tls = calloc(1, sizeof *tls);
    if (!tls)
        abort();
    tls->out = out;
    check(gnutls_init(&tls->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL));
    check(gnutls_certificate_allocate_credentials(&tls->credentials));
    check(gnutls_credentials_set(tls->session, GNUTLS_CRD_CERTIFICATE, tls->credentials));
    check(gnutls_set_default_priority(tls->session));
    gnutls_transport_set_ptr(tls->session, tls);
    gnutls_transport_set_push_function(tls->session, push);
    gnutls_transport_set_pull_function(tls->session, pull);
    shake_hands(tls);
    return tls;
}

void tls_client_close(TlsClient *tls)
{
    if (!tls)
        return;
    gnutls_deinit(tls->session);
    gnutls_certificate_free_credentials(tls->credentials);
    text_free(&tls->in);
    free(tls);
}

bool tls_client_receive(TlsClient *tls, const char *bytes, size_t length, Text *to)
{
    char room[4096];
    text_append(&tls->in, bytes, length);
    if (!tls->is_ready)
        shake_hands(tls);
    while (tls->is_ready && !tls->has_failed) {
        const ssize_t count = gnutls_record_recv(tls->session, room, sizeof room);
        if (count > 0)
            text_append(to, room, (size_t)count);
        else if (count == 0 || count == GNUTLS_E_AGAIN)
            break;
        else
            tls->has_failed = gnutls_error_is_fatal((int)count);
    }
    return !tls->has_failed;
}

bool tls_client_is_ready(const TlsClient *tls)
{
    return tls->is_ready;
}

void tls_client_send(TlsClient *tls, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t count = gnutls_record_send(tls->session, bytes, length);
        if (count < 0)
            check((int)count);
        bytes += count;
        length -= (size_t)count;
    }
}

void tls_client_end_sending(TlsClient *tls)
{
    check(gnutls_bye(tls->session, GNUTLS_SHUT_WR));
}
