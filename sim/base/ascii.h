/* ASCII letters and digits, which make up the names of machines, shares and HTTP headers. Unlike
 * the C library's functions, these do not depend on the locale. */
#ifndef SIM_BASE_ASCII_H
#define SIM_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool ascii_is_alphanumeric(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline char ascii_lower(char c)
{
    const bool is_capital = c >= 'A' && c <= 'Z';
    return (char)(c + is_capital * ('a' - 'A'));
}

/* The value of a hexadecimal digit in either case; -1 if `c` is not one. */
static inline int32_t ascii_hex_value(char c)
{
    const char small = ascii_lower(c);
    return ascii_is_digit(c) ? c - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/* Whether two names are equal when letter case is ignored. */
static inline bool ascii_same(const char *a, const char *b)
{
    for (; *a && ascii_lower(*a) == ascii_lower(*b); a++)
        b++;
    return ascii_lower(*a) == ascii_lower(*b);
}

/* The same for the first `length` bytes. A name that is shorter equals only a name of the same
 * length. */
static inline bool ascii_same_start(const char *a, const char *b, size_t length)
{
    for (; length > 0 && *a && ascii_lower(*a) == ascii_lower(*b); length--) {
        a++;
        b++;
    }
    return length == 0 || ascii_lower(*a) == ascii_lower(*b);
}

#endif
