#include "emu/http/https_ask.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "emu/http/authority.h"

enum { PATIENCE_S = 5, HEAD_MAX = 16 * 1024 };

static bool fail(const HttpsAsk *ask, const char *doing, const char *reason, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(ask->address, 0, 0), "%s failed: %s", doing,
                       reason);
}

/* --- Connecting --- */

static int try_address(const struct addrinfo *to, int64_t patience_s)
{
    const struct timeval patience = {.tv_sec = patience_s > 0 ? patience_s : PATIENCE_S};
    const int descriptor = socket(to->ai_family, to->ai_socktype, to->ai_protocol);
    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(descriptor, to->ai_addr, to->ai_addrlen) == 0)
        return descriptor;
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

/* -1 with the problem. */
static int open_connection(Arena *arena, const HttpsAsk *ask, Status *status)
{
    Authority to;
    struct addrinfo *found;
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    if (!authority_read(ask->address, strlen(ask->address), &to) || to.port < 0 ||
        getaddrinfo(to.name, arena_printf(arena, "%d", (int)to.port), &wanted, &found) != 0) {
        fail(ask, "connecting", "no such address", status);
        return -1;
    }
    const int descriptor = try_address(found, ask->patience_s);
    if (descriptor < 0)
        fail(ask, "connecting", strerror(errno), status);
    freeaddrinfo(found);
    return descriptor;
}

static bool is_head_whole(const char *head)
{
    return strstr(head, "\r\n\r\n") != NULL;
}

static bool open_tunnel(Arena *arena, const HttpsAsk *ask, int descriptor, Status *status)
{
    char head[HEAD_MAX + 1] = "";
    size_t length = 0;
    const char *request =
        arena_printf(arena, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", ask->tunnel, ask->tunnel);
    if (send(descriptor, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request))
        return fail(ask, "asking the proxy", strerror(errno), status);
    while (!is_head_whole(head) && length < HEAD_MAX) {
        // One byte at a time: TLS follows.
        if (recv(descriptor, head + length, 1, 0) != 1)
            return fail(ask, "asking the proxy", "it does not answer", status);
        head[++length] = '\0';
    }
    if (strncmp(head, "HTTP/1.1 200 ", 13) == 0)
        return true;
    head[strcspn(head, "\r\n")] = '\0';
    return fail(ask, "asking the proxy", head, status);
}

/* --- TLS --- */

static const char *host_name(Arena *arena, const HttpsAsk *ask)
{
    Authority host;
    return authority_read(ask->host, strlen(ask->host), &host) ? arena_strdup(arena, host.name)
                                                               : ask->host;
}

static bool shake_hands(Arena *arena, const HttpsAsk *ask, gnutls_session_t session, Status *status)
{
    int code;
    do
        code = gnutls_handshake(session);
    while (code < 0 && !gnutls_error_is_fatal(code) && code != GNUTLS_E_AGAIN);
    if (code >= 0)
        return true;
    gnutls_datum_t why = {0};
    const char *reason = gnutls_strerror(code);
    if (code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR &&
        gnutls_certificate_verification_status_print(gnutls_session_get_verify_cert_status(session),
                                                     GNUTLS_CRT_X509, &why, 0) == 0)
        reason = arena_strndup(arena, (const char *)why.data, why.size);
    gnutls_free(why.data);
    return fail(ask, "TLS", reason, status);
}

static bool exchange(Arena *arena, const HttpsAsk *ask, gnutls_session_t session,
                     HttpsAnswer *answer, Status *status)
{
    char *head = arena_alloc(arena, HEAD_MAX + 1);
    size_t length = 0;
    const char *request =
        arena_printf(arena, "%s %s HTTP/1.1\r\nHost: %s\r\n%s%s%sConnection: close\r\n\r\n",
                     ask->method ? ask->method : "GET", ask->target, ask->host,
                     ask->token ? "Authorization: Bearer " : "", ask->token ? ask->token : "",
                     ask->token ? "\r\n" : "");
    if (gnutls_record_send(session, request, strlen(request)) < 0)
        return fail(ask, "asking", "the connection is gone", status);
    while (!is_head_whole(head) && length < HEAD_MAX) {
        const ssize_t count = gnutls_record_recv(session, head + length, HEAD_MAX - length);
        if (count <= 0)
            return fail(ask, "asking", "no answer comes", status);
        length += (size_t)count;
    }
    if (!is_head_whole(head) || strncmp(head, "HTTP/1.1 ", 9) != 0)
        return fail(ask, "asking", "what answers speaks no HTTP", status);
    answer->head = head;
    answer->status = (int32_t)strtol(head + 9, NULL, 10);
    return true;
}

static bool speak_tls(Arena *arena, const HttpsAsk *ask, int descriptor, HttpsAnswer *answer,
                      Status *status)
{
    gnutls_certificate_credentials_t trusted = NULL;
    gnutls_session_t session = NULL;
    const char *name = host_name(arena, ask);
    bool is_fine = false;
    if (gnutls_certificate_allocate_credentials(&trusted) < 0 ||
        gnutls_certificate_set_x509_trust_file(trusted, ask->ca_path, GNUTLS_X509_FMT_PEM) < 1 ||
        gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL) < 0 ||
        gnutls_set_default_priority(session) < 0 ||
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, trusted) < 0) {
        fail(ask, "TLS", "the certificate in ca.pem cannot be used", status);
        goto done;
    }
    gnutls_server_name_set(session, GNUTLS_NAME_DNS, name, strlen(name));
    gnutls_session_set_verify_cert(session, name, 0);
    gnutls_transport_set_int(session, descriptor);
    is_fine =
        shake_hands(arena, ask, session, status) && exchange(arena, ask, session, answer, status);
done:
    if (session)
        gnutls_deinit(session);
    if (trusted)
        gnutls_certificate_free_credentials(trusted);
    return is_fine;
}

bool https_ask(Arena *arena, const HttpsAsk *ask, HttpsAnswer *answer, Status *status)
{
    const int descriptor = open_connection(arena, ask, status);
    if (descriptor < 0)
        return false;
    const bool is_fine = (!ask->tunnel || open_tunnel(arena, ask, descriptor, status)) &&
                         speak_tls(arena, ask, descriptor, answer, status);
    close(descriptor);
    return is_fine;
}
