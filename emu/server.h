/* Sockets: three listeners and the CONNECT proxy in front of an Emulator, in one thread.
 *
 * libmicrohttpd speaks HTTP, GnuTLS TLS; they are seen in emu/server*.c, emu/proxy.c and
 * emu/certificate.c alone. */
#ifndef EMU_SERVER_H
#define EMU_SERVER_H

#include "emu/emulator.h"

typedef struct {
    const char *address; /* "127.0.0.1"; anything but loopback needs `is_open` */
    int32_t tls_port, plain_port, userinfo_port; /* 0: any free one; userinfo -1: none */
    bool is_open;                               /* --i-know-this-is-not-secure */
    int64_t body_max;                           /* bytes of one request's body */
    int32_t connections_max;
    int64_t idle_s; /* a connection that is silent for so long is closed */
} ServerSettings;

typedef struct Server Server;

/* Binds its ports; the settings' addresses are told before a handler sees them. */
Server *server_open(const ServerSettings *settings, const char *state_folder, Status *status);
void server_addresses(const Server *server, Arena *arena, EmulatorAddresses *addresses);
/* Serves until a signal ends it. False when the store fails: nothing unacknowledged was answered. */
MUST_CHECK bool server_run(Server *server, Emulator *emulator, Status *status);
void server_close(Server *server);

#endif
