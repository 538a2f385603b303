#include "sim/json/real.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

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
