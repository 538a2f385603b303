#include "trainer/comm/tcp_meeting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"

static const char file_word[] = "file:";

const char *tcp_meeting_path(const char *meeting)
{
    const size_t length = sizeof file_word - 1;
    return strncmp(meeting, file_word, length) == 0 ? meeting + length : NULL;
}

/* --- Addresses --- */

static bool is_host(const char *text, size_t length)
{
    static const char others[] = "-._:%"; // ':' and '%' of IPv6
    if (length == 0 || length > TCP_ADDRESS_HOST_MAX)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (!ascii_is_alphanumeric(c) && (c == '\0' || !strchr(others, c)))
            return false;
    }
    return true;
}

/* Up to five digits; 0 for anything else. */
static int32_t port_of(const char *text, size_t length)
{
    int32_t port = 0;
    if (length == 0 || length > 5)
        return 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        port = port * 10 + (text[i] - '0');
    }
    return port <= 65535 ? port : 0;
}

static bool address_make(const char *host, size_t host_length, const char *port, size_t port_length,
                         TcpAddress *address)
{
    *address = (TcpAddress){.port = port_of(port, port_length)};
    if (address->port == 0 || !is_host(host, host_length))
        return false;
    memcpy(address->host, host, host_length);
    return true;
}

bool tcp_address_parse(const char *meeting, TcpAddress *address, Status *status)
{
    const char *colon = strrchr(meeting, ':');
    const char *host = meeting;
    size_t length = colon ? (size_t)(colon - meeting) : 0;
    const bool is_bracketed = length >= 2 && host[0] == '[' && host[length - 1] == ']';
    if (is_bracketed) {
        host++;
        length -= 2;
    }
    const bool is_plain = colon && (is_bracketed || !memchr(host, ':', length));
    if (is_plain && address_make(host, length, colon + 1, strlen(colon + 1), address))
        return true;
    return status_fail(status, STATUS_BAD_INPUT, place_in("TRAINYARD_MEET", 0, 0),
                       "is \"%s\", expected \"host:port\" or \"file:PATH\"", meeting);
}

/* --- The file --- */

/* The rest of the next line when it begins with `word` and a space, else NULL; `*text` moves behind
 * the line. */
static const char *line_take(const char **text, const char *end, const char *word, size_t *length)
{
    const char *begin = *text;
    const size_t word_length = strlen(word);
    const char *newline = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
    if (!newline || (size_t)(newline - begin) <= word_length ||
        memcmp(begin, word, word_length) != 0 || begin[word_length] != ' ')
        return NULL;
    *text = newline + 1;
    begin += word_length + 1;
    *length = (size_t)(newline - begin);
    return begin;
}

TcpFile tcp_meeting_parse(const char *text, size_t length, const char *run, TcpAddress *address)
{
    const char *const end = text + length;
    size_t version_length = 0, run_length = 0, host_length = 0, port_length = 0;
    const char *version = line_take(&text, end, "trainyard meeting", &version_length);
    const char *of_run = version ? line_take(&text, end, "run", &run_length) : NULL;
    const char *host = of_run ? line_take(&text, end, "host", &host_length) : NULL;
    const char *port = host ? line_take(&text, end, "port", &port_length) : NULL;
    if (!port || text != end || version_length != 1 || *version != '1' ||
        !address_make(host, host_length, port, port_length, address))
        return TCP_FILE_UNREADABLE;
    return run_length == strlen(run) && memcmp(of_run, run, run_length) == 0
               ? TCP_FILE_GOOD
               : TCP_FILE_OF_ANOTHER_RUN;
}

void tcp_meeting_print(const TcpAddress *address, const char *run, Text *out)
{
    text_printf(out, "trainyard meeting 1\nrun %s\nhost %s\nport %" PRId32 "\n", run, address->host,
                address->port);
}
