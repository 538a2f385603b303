#include "sim/study/statistics/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The decimals with which `size` > 0, in units of the last one, is at least `least`; at most 12. */
static int32_t decimals_for(double size, double least)
{
    int32_t decimals = 0;
    for (; size < least && decimals < 12; size *= 10)
        decimals++;
    return decimals;
}

/* "-1601.50" as "-1,601.50". */
static void add_with_commas(Text *text, const char *number)
{
    size_t sign = number[0] == '-';
    size_t whole = sign + strspn(number + sign, "0123456789");
    text_append(text, number, sign);
    for (size_t i = sign; i < whole; i++) {
        if (i > sign && (whole - i) % 3 == 0)
            text_add(text, ",");
        text_append(text, number + i, 1);
    }
    text_add(text, number + whole);
}

/* The numbers are far below the 340 digits that a double may have: larger ones get an exponent. */
static void add_decimals(Text *text, double value, int32_t decimals)
{
    char number[64];
    if (fabs(value) >= 1e15)
        snprintf(number, sizeof number, "%.4g", value);
    else
        snprintf(number, sizeof number, "%.*f", (int)decimals, value);
    add_with_commas(text, number);
}

void words_number(Text *text, double value, double error)
{
    const double size = fabs(value);
    const bool is_whole = fabs(size - round(size)) <= 1e-12 * size; // but for rounding
    if (!isfinite(value))
        text_add(text, isnan(value) ? "unknown" : value > 0 ? "infinite" : "-infinite");
    else if (error > 0 && isfinite(error))
        add_decimals(text, value, decimals_for(error, 3.55));
    else // four significant digits of a fraction
        add_decimals(text, value, is_whole ? 0 : decimals_for(size, 999.5));
}

void words_amount(Text *text, double value)
{
    if (isfinite(value))
        add_decimals(text, value, fabs(value) < 99.995 ? 2 : 0);
    else
        words_number(text, value, 0);
}
