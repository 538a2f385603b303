#include "emu/files/auth/sas_fields.h"

#include <arpa/inet.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

bool sas_time_parse(const char *text, int64_t *unix_ms)
{
    // All forms are prefixes of the longest, "2018-06-15T21:57:57.0000000Z".
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    enum { DATE = 10, MINUTE = 16, SECOND = 19, DECIMALS = 7 };
    size_t length = 0;
    while (length < SECOND &&
           (form[length] == 'd' ? ascii_is_digit(text[length]) : text[length] == form[length]))
        length++;
    const char *rest = text + length;
    if (length == SECOND && *rest == '.') {
        const size_t digits = strspn(rest + 1, "0123456789");
        if (digits < 1 || digits > DECIMALS)
            return false;
        rest += 1 + digits;
    }
    const bool is_date = length == DATE && *rest == '\0';
    const bool is_time = (length == MINUTE || length == SECOND) && strcmp(rest, "Z") == 0;
    if (!is_date && !is_time)
        return false;
    char whole[] = "0000-00-00T00:00:00Z";
    memcpy(whole, text, length);
    Status status = {0};
    return iso_time_parse(whole, place_in("signature", 0, 0), unix_ms, &status);
}

static bool read_address(const char *text, size_t length, uint32_t *number)
{
    char copy[INET_ADDRSTRLEN];
    struct in_addr address;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (inet_pton(AF_INET, copy, &address) != 1)
        return false;
    *number = ntohl(address.s_addr);
    return true;
}

bool sas_addresses_have(const char *addresses, const char *address)
{
    uint32_t first, last, asked;
    const size_t length = strcspn(addresses, "-");
    if (!read_address(address, strlen(address), &asked) || !read_address(addresses, length, &first))
        return false;
    last = first;
    if (addresses[length] == '-' &&
        !read_address(addresses + length + 1, strlen(addresses + length + 1), &last))
        return false;
    return first <= asked && asked <= last;
}

bool files_is_version(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] == 'd' ? !ascii_is_digit(text[i]) : text[i] != form[i])
            return false;
    return true;
}
