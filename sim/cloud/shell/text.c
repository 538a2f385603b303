#include "sim/cloud/shell/text.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/bounded.h"

/* The value of a digit of `base` (8 to 16); -1: it is not a digit. */
static int32_t digit_of(char c, int32_t base)
{
    int32_t digit = ascii_hex_value(c);
    return digit < base ? digit : -1;
}

/* --- Escapes --- */

/* A byte written as up to `most` digits; returns how many there are. */
static size_t add_byte(Text *out, const char *digits, int32_t base, size_t most)
{
    size_t length = 0;
    int32_t value = 0;
    while (length < most && digit_of(digits[length], base) >= 0)
        value = base * value + digit_of(digits[length++], base);
    char byte = (char)(value & 0xff);
    if (length > 0)
        text_append(out, &byte, 1);
    return length;
}

/* The byte of an escape of one letter after the backslash; '\\0': it is not such an escape. */
static char plain_escape(char letter, ShellEscapes escapes)
{
    static const char letters[] = "abfnrtv\\", bytes[] = "\a\b\f\n\r\t\v\\";
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    if (found != NULL)
        return bytes[found - letters];
    return escapes == ESCAPES_BASH_ECHO && (letter == 'e' || letter == 'E') ? '\033' : '\0';
}

/* Adds the escape after a backslash; returns its length, 0: it is not an escape. */
static size_t add_escape(Text *out, const char *text, ShellEscapes escapes)
{
    enum { OCTAL_DIGITS = 3, HEX_DIGITS = 2 };
    char plain = plain_escape(*text, escapes);
    if (plain != '\0') {
        text_append(out, &plain, 1);
        return 1;
    }
    if (escapes == ESCAPES_FORMAT)
        return add_byte(out, text, 8, OCTAL_DIGITS);
    if (*text == '0') {
        size_t digits = add_byte(out, text + 1, 8, OCTAL_DIGITS);
        if (digits == 0)
            text_append(out, "", 1); // a zero byte
        return 1 + digits;
    }
    if (*text == 'x' && escapes == ESCAPES_BASH_ECHO) {
        size_t digits = add_byte(out, text + 1, 16, HEX_DIGITS);
        return digits > 0 ? 1 + digits : 0;
    }
    return 0;
}

bool shell_unescape(Text *out, const char *text, ShellEscapes escapes)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "\\");
        text_append(out, text, plain);
        text += plain;
        if (*text == '\0')
            break;
        if (text[1] == 'c' && escapes != ESCAPES_FORMAT)
            return false;
        size_t length = add_escape(out, text + 1, escapes);
        if (length == 0)
            text_append(out, text, 1);
        text += 1 + length;
    }
    return true;
}

/* --- printf --- */

typedef struct {
    const char *const *items;
    int32_t count, used;
} Arguments;

/* The next argument; "" after the last. */
static const char *next_argument(Arguments *arguments)
{
    return arguments->used < arguments->count ? arguments->items[arguments->used++] : "";
}

/* The value of a decimal number, which shell_read has checked; "" is 0. */
static long long number_of(const char *text)
{
    long long number = 0;
    bool is_negative = *text == '-';
    for (text += *text == '-' || *text == '+'; ascii_is_digit(*text); text++)
        number = 10 * number + (*text - '0');
    return is_negative ? -number : number;
}

/* One conversion, from '%' to its letter. */
static void convert(Text *out, const char *format, size_t length, const char *argument)
{
    char form[SHELL_CONVERSION_MOST + sizeof "ll"];
    char letter = format[length - 1];
    bool is_text = letter == 's' || letter == 'c';
    const char first[2] = {argument[0], '\0'};
    invariant(length <= SHELL_CONVERSION_MOST);
    snprintf(form, sizeof form, "%.*s%s%c", (int)(length - 1), format, is_text ? "" : "ll",
             letter == 'c' ? 's' : letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // shell_read has checked the conversion
    if (is_text)
        text_printf(out, form, letter == 'c' ? first : argument);
    else
        text_printf(out, form, number_of(argument));
#pragma GCC diagnostic pop
}

static void format_once(Text *out, const char *format, Arguments *arguments)
{
    static const char letters[] = "sciduoxX";
    while (*format != '\0') {
        size_t length = strcspn(format, "%\\");
        if (length > 0) {
            text_append(out, format, length);
        } else if (*format == '\\') {
            length = 1 + add_escape(out, format + 1, ESCAPES_FORMAT);
        } else if (format[1] == '%') {
            text_append(out, "%", 1);
            length = 2;
        } else {
            length = strcspn(format, letters) + 1;
            convert(out, format, length, next_argument(arguments));
        }
        format += length;
    }
}

void shell_format(Text *out, const char *format, const char *const *arguments, int32_t count)
{
    Arguments left = {.items = arguments, .count = count};
    int32_t before;
    do { // repeated while arguments are left and the format takes any
        before = left.used;
        format_once(out, format, &left);
    } while (left.used < left.count && left.used > before);
}

/* --- sleep --- */

bool shell_sleep_ns(const char *text, int64_t *ns)
{
    static const struct {
        char letter;
        int64_t ns;
    } units[] = {{'\0', NS_PER_S},
                 {'s', NS_PER_S},
                 {'m', NS_PER_MIN},
                 {'h', NS_PER_HOUR},
                 {'d', NS_PER_DAY}};
    int64_t whole = 0, part = 0, scale = 1;
    *ns = INT64_MAX;
    if (strcmp(text, "infinity") == 0 || strcmp(text, "inf") == 0)
        return true;
    const char *begin = text;
    for (; ascii_is_digit(*text); text++)
        whole = bounded_add(bounded_times(whole, 10), *text - '0');
    if (*text == '.')
        for (text++; ascii_is_digit(*text); text++)
            if (scale < NS_PER_S) { // digits beyond nanoseconds are ignored
                part = 10 * part + (*text - '0');
                scale *= 10;
            }
    bool has_digits = ascii_is_digit(*begin) || (*begin == '.' && ascii_is_digit(begin[1]));
    for (size_t i = 0; has_digits && i < sizeof units / sizeof units[0]; i++) {
        if (text[0] != units[i].letter || (text[0] != '\0' && text[1] != '\0'))
            continue;
        *ns = bounded_add(bounded_times(whole, units[i].ns), mul_div_up(part, units[i].ns, scale));
        return true;
    }
    return false;
}
