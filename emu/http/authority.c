#include "emu/http/authority.h"

#include <arpa/inet.h>
#include <string.h>

#include "sim/base/ascii.h"

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || ascii_is_digit(c) || c == '-' || c == '.' || c == '_';
}

static bool take_name(const char *text, size_t length, Authority *authority)
{
    if (length == 0 || length > AUTHORITY_NAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        authority->name[i] = ascii_lower(text[i]);
    authority->name[length] = '\0';
    return strlen(authority->name) == length;
}

/* The length of "[::1]" at the beginning of `text`; 0 if there is none. */
static size_t read_bracketed(const char *text, size_t length, Authority *authority)
{
    struct in6_addr address;
    const char *end = memchr(text, ']', length);
    if (!end || !take_name(text + 1, (size_t)(end - text - 1), authority) ||
        inet_pton(AF_INET6, authority->name, &address) != 1)
        return 0;
    authority->is_address = true;
    return (size_t)(end - text + 1);
}

static size_t read_name(const char *text, size_t length, Authority *authority)
{
    struct in_addr address;
    const char *colon = memchr(text, ':', length);
    const size_t used = colon ? (size_t)(colon - text) : length;
    if (!take_name(text, used, authority))
        return 0;
    for (const char *at = authority->name; *at != '\0'; at++)
        if (!is_name_letter(*at) || (*at == '.' && (at == authority->name || at[-1] == '.')))
            return 0; // nor may a part of a name be empty
    char *last = authority->name + strlen(authority->name) - 1;
    if (*last == '.') // the root of all names, with which "example.com." ends
        *last = '\0';
    authority->is_address = inet_pton(AF_INET, authority->name, &address) == 1;
    return used;
}

static bool read_port(const char *text, size_t length, int32_t *port)
{
    enum { DIGITS_MAX = 5, PORT_MAX = 65535 };
    int32_t value = 0;
    if (length == 0 || length > DIGITS_MAX)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!ascii_is_digit(text[i]))
            return false;
        value = value * 10 + (text[i] - '0');
    }
    *port = value;
    return value <= PORT_MAX;
}

bool authority_read(const char *text, size_t length, Authority *authority)
{
    *authority = (Authority){.port = -1};
    const size_t used = length > 0 && text[0] == '[' ? read_bracketed(text, length, authority)
                                                     : read_name(text, length, authority);
    if (used == 0)
        return false;
    if (used == length)
        return true;
    return text[used] == ':' && read_port(text + used + 1, length - used - 1, &authority->port);
}

bool authority_is_loopback(const Authority *authority)
{
    struct in_addr address;
    if (!authority->is_address)
        return strcmp(authority->name, "localhost") == 0;
    if (inet_pton(AF_INET, authority->name, &address) == 1)
        return ntohl(address.s_addr) >> 24 == 127;
    return strcmp(authority->name, "::1") == 0;
}

/* One label, like account names: "acct", and "acct-secondary" for reading elsewhere. */
static const char *skip_label(const char *name)
{
    return name + strcspn(name, ".");
}

bool authority_is_storage(const Authority *authority, const char *suffix)
{
    static const char *const services[] = {".file.", ".blob."};
    const char *rest = skip_label(authority->name);
    if (authority->is_address || rest == authority->name)
        return false;
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        if (strncmp(rest, services[i], strlen(services[i])) == 0)
            return ascii_same(rest + strlen(services[i]), suffix);
    return false;
}
