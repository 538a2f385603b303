/* Whatever comes from the network or stands in a meeting's file, it is taken whole or refused: a
 * header, a hello, an address. What was taken is written as it came. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "trainer/comm/tcp_meeting.h"
#include "trainer/comm/tcp_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_header(const uint8_t *data)
{
    TcpHeader header;
    uint8_t again[TCP_HEADER_BYTES];
    if (!tcp_header_read(data, &header))
        return;
    invariant(header.kind < TCP_KIND_COUNT && header.rank >= 0 && header.rank < RANKS_MAX);
    invariant(header.number >= 0 && header.bytes >= 0);
    tcp_header_write(&header, again);
    invariant(memcmp(again, data, sizeof again) == 0);
}

static void check_hello(const uint8_t *data)
{
    TcpHello hello;
    uint8_t again[TCP_HELLO_BYTES];
    char reason[TCP_REFUSAL_MAX + 1] = "";
    if (!tcp_hello_read(data, &hello))
        return;
    invariant(hello.rank >= 0 && hello.rank < hello.ranks && hello.ranks <= RANKS_MAX);
    invariant(hello.local_rank >= 0 && hello.local_rank < hello.local_ranks);
    invariant(strlen(hello.run) <= RUN_WORD_MAX && strlen(hello.host) <= TCP_HOST_MAX);
    tcp_hello_write(&hello, again);
    invariant(memcmp(again, data, sizeof again) == 0);
    invariant(tcp_hello_fits(&hello, 2, reason) == (reason[0] == '\0'));
}

static void check_file(const char *text, size_t length)
{
    TcpAddress address, same;
    Text again = {0};
    if (tcp_meeting_parse(text, length, "run", &address) != TCP_FILE_GOOD)
        return;
    invariant(address.port >= 1 && address.port <= 65535 && address.host[0] != '\0');
    tcp_meeting_print(&address, "run", &again);
    invariant(tcp_meeting_parse(text_string(&again), again.length, "run", &same) == TCP_FILE_GOOD);
    invariant(strcmp(same.host, address.host) == 0 && same.port == address.port);
    text_free(&again);
}

static void check_address(const char *text, size_t length)
{
    TcpAddress address;
    Status status = {0};
    char *string = calloc(1, length + 1);
    invariant(string != NULL);
    memcpy(string, text, length);
    if (tcp_address_parse(string, &address, &status))
        invariant(address.port >= 1 && address.port <= 65535 && address.host[0] != '\0');
    else
        invariant(status.code == STATUS_BAD_INPUT && status.message[0] != '\0');
    free(string);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= TCP_HEADER_BYTES)
        check_header(data);
    if (size >= TCP_HELLO_BYTES)
        check_hello(data);
    check_file((const char *)data, size);
    check_address((const char *)data, size);
    return 0;
}
