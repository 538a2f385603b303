/* Sockets of POSIX as ranks use them: never waiting by themselves, closed on exec, and without
 * SIGPIPE. Descriptors are -1 where there is none. Times are of timeline_clock_ns. */
#ifndef TRAINER_TCP_SOCKET_H
#define TRAINER_TCP_SOCKET_H

#include <poll.h>

#include "trainer/comm/tcp_meeting.h"

/* Listens at host and port; port 0 takes a free one, host NULL all addresses of this machine. The
 * port is left in `*port`. */
MUST_CHECK bool tcp_listen(const char *host, int32_t *port, int *descriptor, Status *status);
/* Someone who has come to a listening descriptor; -1 when nobody has. */
int tcp_accept(int listening);

/* Connects until `until_ns`; -1 with errno when nobody answers there. A host that cannot be found
 * is errno EHOSTUNREACH. */
int tcp_connect(const TcpAddress *address, int64_t until_ns);

/* What one call can send or take without waiting. 0: nothing now. -1: the connection is closed or
 * broken, with errno, which is 0 where the other end closed it. */
int64_t tcp_send_some(int descriptor, const void *data, int64_t bytes);
int64_t tcp_take_some(int descriptor, void *data, int64_t bytes);
/* The same without taking it away. */
int64_t tcp_peek_some(int descriptor, void *data, int64_t bytes);

/* All of `bytes` before `until_ns`, or false. */
MUST_CHECK bool tcp_send_all(int descriptor, const void *data, int64_t bytes, int64_t until_ns);
MUST_CHECK bool tcp_take_all(int descriptor, void *data, int64_t bytes, int64_t until_ns);

/* poll until `until_ns`, going on after signals; returns what poll does. */
int tcp_wait(struct pollfd *polled, int32_t count, int64_t until_ns);

void tcp_close(int *descriptor); /* -1 is fine */

/* Why a connection ended, by errno. */
const char *tcp_reason(int error);

#endif
