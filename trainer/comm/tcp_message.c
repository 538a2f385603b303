#include "trainer/comm/tcp_message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint8_t magic[4] = {'T', 'Y', 'R', 'D'};
static const uint32_t byte_order = 0x01020304; // sent as the machine has it

const char *const tcp_kind_names[] = {"hello",     "welcome",   "refusal",        "abort",
                                      "readiness", "sum",       "sum of doubles", "minimum",
                                      "broadcast", "gathering", "barrier"};
_Static_assert(sizeof tcp_kind_names / sizeof tcp_kind_names[0] == TCP_KIND_COUNT,
               "one name per kind");

/* --- Numbers and texts --- */

static uint8_t *put(uint8_t *out, uint64_t value, int32_t bytes)
{
    for (int32_t i = 0; i < bytes; i++)
        *out++ = (uint8_t)(value >> (8 * i));
    return out;
}

static uint64_t get(const uint8_t **in, int32_t bytes)
{
    uint64_t value = 0;
    for (int32_t i = 0; i < bytes; i++)
        value |= (uint64_t) * (*in)++ << (8 * i);
    return value;
}

static uint8_t *put_text(uint8_t *out, const char *text, size_t room)
{
    memset(out, 0, room);
    memcpy(out, text, strnlen(text, room - 1));
    return out + room;
}

/* False unless a NUL ends it, with nothing but NULs behind. */
static bool get_text(const uint8_t **in, size_t room, char *text)
{
    memcpy(text, *in, room);
    *in += room;
    for (size_t i = strnlen(text, room); i < room; i++)
        if (text[i])
            return false;
    return text[room - 1] == '\0';
}

/* --- Headers --- */

void tcp_header_write(const TcpHeader *header, uint8_t out[TCP_HEADER_BYTES])
{
    memcpy(out, magic, sizeof magic);
    out = put(out + sizeof magic, TCP_VERSION, 2);
    out = put(out, (uint64_t)header->kind, 2);
    out = put(out, (uint64_t)header->rank, 4);
    out = put(out, 0, 4);
    out = put(out, (uint64_t)header->number, 8);
    put(out, (uint64_t)header->bytes, 8);
}

bool tcp_header_read(const uint8_t bytes[TCP_HEADER_BYTES], TcpHeader *header)
{
    const uint8_t *in = bytes + sizeof magic;
    const uint64_t version = get(&in, 2), kind = get(&in, 2), rank = get(&in, 4);
    const uint64_t zero = get(&in, 4), number = get(&in, 8), length = get(&in, 8);
    if (memcmp(bytes, magic, sizeof magic) != 0 || version != TCP_VERSION ||
        kind >= TCP_KIND_COUNT || rank >= RANKS_MAX || zero != 0 || number > INT64_MAX ||
        length > INT64_MAX)
        return false;
    *header = (TcpHeader){.kind = (TcpKind)kind,
                          .rank = (int32_t)rank,
                          .number = (int64_t)number,
                          .bytes = (int64_t)length};
    return true;
}

/* --- Hellos --- */

void tcp_hello_write(const TcpHello *hello, uint8_t out[TCP_HELLO_BYTES])
{
    tcp_header_write(&(TcpHeader){.kind = TCP_HELLO,
                                  .rank = hello->rank,
                                  .bytes = TCP_HELLO_BYTES - TCP_HEADER_BYTES},
                     out);
    out += TCP_HEADER_BYTES;
    memcpy(out, &byte_order, sizeof byte_order);
    out = put(out + sizeof byte_order, (uint64_t)hello->ranks, 4);
    out = put(out, (uint64_t)hello->local_rank, 4);
    out = put(out, (uint64_t)hello->local_ranks, 4);
    out = put_text(out, hello->run, sizeof hello->run);
    out = put_text(out, hello->host, sizeof hello->host);
    for (int32_t i = 0; i < CORES_MAX / 64; i++)
        out = put(out, hello->cores.bits[i], 8);
}

bool tcp_hello_read(const uint8_t bytes[TCP_HELLO_BYTES], TcpHello *hello)
{
    TcpHeader header;
    if (!tcp_header_read(bytes, &header) || header.kind != TCP_HELLO || header.number != 0 ||
        header.bytes != TCP_HELLO_BYTES - TCP_HEADER_BYTES ||
        memcmp(bytes + TCP_HEADER_BYTES, &byte_order, sizeof byte_order) != 0)
        return false;
    const uint8_t *in = bytes + TCP_HEADER_BYTES + sizeof byte_order;
    const uint64_t ranks = get(&in, 4), local_rank = get(&in, 4), local_ranks = get(&in, 4);
    *hello = (TcpHello){.rank = header.rank,
                        .ranks = (int32_t)(ranks & INT32_MAX),
                        .local_rank = (int32_t)(local_rank & INT32_MAX),
                        .local_ranks = (int32_t)(local_ranks & INT32_MAX)};
    const bool has_texts = get_text(&in, sizeof hello->run, hello->run) &&
                           get_text(&in, sizeof hello->host, hello->host);
    for (int32_t i = 0; has_texts && i < CORES_MAX / 64; i++)
        hello->cores.bits[i] = get(&in, 8);
    return has_texts && ranks <= RANKS_MAX && local_ranks <= ranks && local_rank < local_ranks &&
           hello->rank < hello->ranks;
}

bool tcp_hello_fits(const TcpHello *hello, int32_t ranks, char reason[TCP_REFUSAL_MAX + 1])
{
    if (hello->ranks != ranks)
        snprintf(reason, TCP_REFUSAL_MAX + 1,
                 "rank %" PRId32 " was told of %" PRId32 " ranks, rank 0 of %" PRId32, hello->rank,
                 hello->ranks, ranks);
    else if (hello->rank == 0)
        snprintf(reason, TCP_REFUSAL_MAX + 1, "there are two ranks 0");
    else
        return true;
    return false;
}
