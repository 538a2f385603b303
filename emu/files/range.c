#include "emu/files/range.h"

#include <string.h>

#include "sim/base/ascii.h"

/* Reads a number that int64 holds, and advances `*text`. */
static bool take_number(const char **text, int64_t *number)
{
    const char *at = *text;
    *number = 0;
    for (; ascii_is_digit(*at); at++) {
        const int64_t digit = *at - '0';
        if (*number > (INT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    const bool is_number = at > *text;
    *text = at;
    return is_number;
}

bool files_range_parse(const char *text, FilesRange *range)
{
    static const char unit[] = "bytes=";
    if (strncmp(text, unit, strlen(unit)) != 0)
        return false;
    text += strlen(unit);
    if (!take_number(&text, &range->first) || *text++ != '-')
        return false;
    range->last = INT64_MAX;
    if (*text != '\0' && !take_number(&text, &range->last))
        return false;
    return *text == '\0' && range->first <= range->last;
}
