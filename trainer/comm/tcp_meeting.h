/* Where ranks find rank 0: an address that all were told, or a file in which it writes its own.
 *
 * The file is written whole and names the run, so that what an earlier run left is not taken for
 * this one's:
 *
 *     trainyard meeting 1
 *     run 8f14e45fceea167a5a36dedd4bea2543
 *     host node7
 *     port 40113 */
#ifndef TRAINER_TCP_MEETING_H
#define TRAINER_TCP_MEETING_H

#include "sim/base/text.h"
#include "trainer/comm/rank_place.h"

enum { TCP_ADDRESS_HOST_MAX = 255 };

typedef struct {
    char host[TCP_ADDRESS_HOST_MAX + 1]; /* a name, or an address of IPv4 or IPv6 */
    int32_t port;                        /* 1 to 65535 */
} TcpAddress;

/* The path behind "file:", or NULL where the meeting is an address. */
const char *tcp_meeting_path(const char *meeting);

/* "host:port", "10.0.0.4:4000" or "[::1]:4000". STATUS_BAD_INPUT for anything else. */
MUST_CHECK bool tcp_address_parse(const char *meeting, TcpAddress *address, Status *status);

typedef enum { TCP_FILE_GOOD, TCP_FILE_OF_ANOTHER_RUN, TCP_FILE_UNREADABLE } TcpFile;

/* Takes the text of a meeting's file; `length` bytes. */
TcpFile tcp_meeting_parse(const char *text, size_t length, const char *run, TcpAddress *address);
void tcp_meeting_print(const TcpAddress *address, const char *run, Text *out);

#endif
