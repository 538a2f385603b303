#include "sim/json/real.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"

/* Sets `*value` when its digits and the power of ten are exact as doubles: then one multiplication
 * or division rounds once, which is right (Clinger, "How to read floating point numbers
 * accurately", PLDI 1990). False for other numbers and for zero, which may be negative. */
static bool read_exactly(const char *text, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { POWER_MAX = sizeof powers / sizeof powers[0] - 1 };
    const uint64_t digits_max = UINT64_C(1) << 53;
    const bool is_negative = *text == '-';
    bool is_fraction = false;
    uint64_t digits = 0;
    int32_t decimals = 0;
    for (text += is_negative; ascii_is_digit(*text) || *text == '.'; text++) {
        if (*text == '.') {
            is_fraction = true;
            continue;
        }
        digits = 10 * digits + (uint64_t)(*text - '0');
        decimals += is_fraction;
        if (digits > digits_max)
            return false;
    }
    if (*text != '\0' || digits == 0 || decimals > POWER_MAX)
        return false;
    *value = (double)digits / powers[decimals];
    if (is_negative)
        *value = -*value;
    return true;
}

double real_read(const char *text)
{
    double value;
    if (read_exactly(text, &value))
        return value;
    // A library may have set a locale whose numbers have a comma.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    value = strtod(text, NULL);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return value;
}

/* --- Printing --- */

enum { NUMBER_MAX = 32 }; /* bytes of the longest number: -2.2250738585072014e-308 */

/* Prints a value that has at most nine decimals, such as a time of whole ns in seconds; false: it
 * has more, or it is too large. Values of runs are nearly always such numbers, and printf takes
 * twenty times as long. Division rounds once, as read_exactly does. */
static bool print_decimal(double value, char *out)
{
    enum { PLACES = 9 };
    const double scaled = value * 1e9;
    if (!(scaled > -0x1p53 && scaled < 0x1p53))
        return false;
    const int64_t units = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    if ((double)units / 1e9 != value || (units == 0 && signbit(value)))
        return false;
    char digits[NUMBER_MAX];
    char *end = digits + sizeof digits, *first = end;
    uint64_t left = (uint64_t)(units < 0 ? -units : units);
    for (int32_t place = 0; place <= PLACES || left > 0; place++, left /= 10) {
        if (place == PLACES && first < end)
            *--first = '.';
        if (place >= PLACES || first < end || left % 10 != 0) // no zeros at the end
            *--first = (char)('0' + left % 10);
    }
    if (units < 0)
        *--first = '-';
    memcpy(out, first, (size_t)(end - first));
    out[end - first] = '\0';
    return true;
}

static void print_digits(double value, char *out)
{
    snprintf(out, NUMBER_MAX, "%.17g", value);
    char *comma = strchr(out, ','); // the decimal point of some locales
    if (comma)
        *comma = '.';
}

void real_print(double value, Text *out)
{
    char number[NUMBER_MAX];
    if (!print_decimal(value, number))
        print_digits(value, number);
    text_add(out, number);
}
