/* What goes over a connection between ranks, as bytes. What comes from the network is checked here,
 * whole, before anything is made of it.
 *
 * A message is a header of TCP_HEADER_BYTES and the bytes that it announces; numbers of the header
 * are little-endian:
 *
 *     0   4  "TYRD"
 *     4   2  version
 *     6   2  kind
 *     8   4  rank of the sender
 *     12  4  0
 *     16  8  number: what it means hangs on the kind
 *     24  8  bytes that follow
 *
 * Values that are summed or spread follow as the machine has them: a hello from a machine of the
 * other byte order is refused. */
#ifndef TRAINER_TCP_MESSAGE_H
#define TRAINER_TCP_MESSAGE_H

#include <stddef.h>

#include "trainer/comm/rank_place.h"
#include "trainer/compute/cores.h"

enum { TCP_VERSION = 1, TCP_HEADER_BYTES = 32, TCP_HOST_MAX = 63, TCP_REFUSAL_MAX = 300 };

/* With what `number` means. */
typedef enum {
    TCP_HELLO,   /* 0; to rank 0, first of all */
    TCP_WELCOME, /* cores that the ranks of the receiver's machine may use; the answer once all are
                    there */
    TCP_REFUSAL, /* 0; the answer otherwise, with the reason as text */
    TCP_ABORT,   /* exit code */
    TCP_READY,   /* step */
    /* All others: which of the messages of all to all it is, as each rank counts them; the same way
       to rank 0 and back. */
    TCP_SUM,
    TCP_SUM_DOUBLES,
    TCP_MIN,
    TCP_BROADCAST,
    TCP_GATHER,
    TCP_BARRIER,
    TCP_KIND_COUNT,
} TcpKind;
extern const char *const tcp_kind_names[]; /* "hello", ... */

typedef struct {
    TcpKind kind;
    int32_t rank;
    int64_t number; /* 0 or more */
    int64_t bytes;  /* 0 or more */
} TcpHeader;

void tcp_header_write(const TcpHeader *header, uint8_t out[TCP_HEADER_BYTES]);
/* False for what no rank of this version sends. */
MUST_CHECK bool tcp_header_read(const uint8_t bytes[TCP_HEADER_BYTES], TcpHeader *header);

/* Who comes to rank 0. */
typedef struct {
    char run[RUN_WORD_MAX + 1];
    int32_t rank, ranks, local_rank, local_ranks;
    char host[TCP_HOST_MAX + 1];
    CoreSet cores;
} TcpHello;

/* A hello with its header. */
enum {
    TCP_HELLO_BYTES =
        TCP_HEADER_BYTES + 4 + 3 * 4 + (RUN_WORD_MAX + 1) + (TCP_HOST_MAX + 1) + CORES_MAX / 8
};

void tcp_hello_write(const TcpHello *hello, uint8_t out[TCP_HELLO_BYTES]);
/* False for what is no hello at all: not worth an answer. */
MUST_CHECK bool tcp_hello_read(const uint8_t bytes[TCP_HELLO_BYTES], TcpHello *hello);
/* False, with a sentence for the answer, when a hello does not fit into a run of `ranks`. */
MUST_CHECK bool tcp_hello_fits(const TcpHello *hello, int32_t ranks,
                               char reason[TCP_REFUSAL_MAX + 1]);

#endif
