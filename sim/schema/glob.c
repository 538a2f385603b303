#include "sim/schema/glob.h"

#include <stddef.h>

bool glob_matches(const char *pattern, const char *text)
{
    // A match that fails continues after the last star, which then takes one byte more. Earlier
    // stars never need to take more bytes, because the last one can take any.
    const char *after_star = NULL;
    const char *star_end = NULL;
    while (*text) {
        if (*pattern == '*') {
            after_star = ++pattern;
            star_end = text;
        } else if (*pattern == *text || *pattern == '?') {
            pattern++;
            text++;
        } else if (after_star) {
            pattern = after_star;
            text = ++star_end;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
