#include "sim/study/journal/value_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/wide.h"
#include "sim/json/real.h"

static const char unknown_text[] = "unknown", bound_text[] = ">=";
enum { NUMBER_MAX = 32 }; /* bytes of the longest number: -2.2250738585072014e-308 */

void value_text_print(double value, bool is_lower_bound, Text *out)
{
    if (value != value) {
        text_add(out, unknown_text);
        return;
    }
    if (is_lower_bound)
        text_add(out, bound_text);
    real_print(value, out);
}

/* --- Reading --- */

/* digits * 10^power, and the sign separately. */
typedef struct {
    bool is_negative;
    uint64_t digits;
    int32_t digit_count; /* without leading zeros */
    int32_t power;
} Decimal;

static const char *skip_digits(const char *at, const char *end, Decimal *decimal)
{
    enum { KEPT = 19 }; // digits that always fit into 64 bits
    for (; at < end && ascii_is_digit(*at); at++) {
        if (decimal->digit_count < KEPT)
            decimal->digits = 10 * decimal->digits + (uint64_t)(*at - '0');
        decimal->digit_count += decimal->digit_count > 0 || *at != '0';
    }
    return at;
}

/* Reads "e+22" or "e-05" at `at`; NULL if it is something else. */
static const char *parse_exponent(const char *at, const char *end, Decimal *decimal)
{
    const char *first = at + 2;
    if (end - at < 4 || (at[1] != '+' && at[1] != '-'))
        return NULL;
    int32_t power = 0;
    for (at = first; at < end && ascii_is_digit(*at) && at - first < 3; at++)
        power = 10 * power + (*at - '0');
    decimal->power += first[-1] == '-' ? -power : power;
    return at;
}

/* Reads a number of the form -12.5e+22; false if the text is something else. */
static bool decimal_parse(const char *at, const char *end, Decimal *decimal)
{
    *decimal = (Decimal){0};
    decimal->is_negative = at < end && *at == '-';
    at += decimal->is_negative;
    const char *first = at;
    at = skip_digits(at, end, decimal);
    if (at == first)
        return false;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction, end, decimal);
        if (at == fraction)
            return false;
        decimal->power = -(int32_t)(at - fraction);
    }
    if (at < end && *at == 'e')
        at = parse_exponent(at, end, decimal);
    return at == end;
}

static int32_t bit_length(WideUnsigned number)
{
    const uint64_t high = (uint64_t)(number >> 64), low = (uint64_t)number;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* quotient * 2^scale rounded to the nearest double, ties to even. `quotient` has at least 55 bits;
 * its lowest bit is set if anything was cut off below it. */
static double round_to_double(WideUnsigned quotient, int32_t scale)
{
    const int32_t cut = bit_length(quotient) - 54; // 53 bits and one below
    const bool is_inexact = (quotient & (((WideUnsigned)1 << cut) - 1)) != 0;
    uint64_t bits = (uint64_t)(quotient >> cut);
    const bool rounds_up = (bits & 1) && (is_inexact || (bits & 2));
    bits = (bits >> 1) + rounds_up;
    return ldexp((double)bits, scale + cut + 1);
}

/* The exact quotient of digits / 10^places, rounded once. 0 <= places <= 19, digits > 0. Results of
 * simulations are nearly always in this range, and strtod takes three times as long. */
static double divide_exactly(uint64_t digits, int32_t places)
{
    static const uint64_t powers[] = {
        UINT64_C(1),
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };
    // The dividend has its highest bit at 126, the divisor at most 64 bits: the quotient has at
    // least 63.
    const int32_t shift = 127 - bit_length(digits);
    const WideUnsigned dividend = (WideUnsigned)digits << shift, divisor = powers[places];
    const WideUnsigned quotient = dividend / divisor;
    const bool has_rest = quotient * divisor != dividend;
    return round_to_double(quotient | has_rest, -shift);
}

/* For numbers that are too small, too large or too long for divide_exactly. */
static double convert_slowly(const char *text, size_t length)
{
    char number[NUMBER_MAX] = "";
    memcpy(number, text, length);
    return strtod(number, NULL);
}

static bool number_parse(const char *text, size_t length, double *value)
{
    Decimal decimal;
    if (length >= NUMBER_MAX || !decimal_parse(text, text + length, &decimal))
        return false;
    const bool is_short = decimal.digit_count <= 19 && decimal.power <= 0 && decimal.power >= -19;
    if (decimal.digit_count == 0)
        *value = decimal.is_negative ? -0.0 : 0.0;
    else if (is_short)
        *value =
            (decimal.is_negative ? -1.0 : 1.0) * divide_exactly(decimal.digits, -decimal.power);
    else
        *value = convert_slowly(text, length);
    return true;
}

static bool is_text(const char *text, size_t length, const char *expected)
{
    return strlen(expected) == length && memcmp(text, expected, length) == 0;
}

bool value_text_parse(const char *text, size_t length, double *value, bool *is_lower_bound)
{
    enum { BOUND_LENGTH = sizeof bound_text - 1 };
    *is_lower_bound = length > BOUND_LENGTH && memcmp(text, bound_text, BOUND_LENGTH) == 0;
    if (*is_lower_bound) {
        text += BOUND_LENGTH;
        length -= BOUND_LENGTH;
    }
    if (is_text(text, length, unknown_text)) {
        *value = NAN;
        return !*is_lower_bound;
    }
    if (is_text(text, length, "inf") || is_text(text, length, "-inf")) {
        *value = *text == '-' ? -INFINITY : INFINITY;
        return true;
    }
    return number_parse(text, length, value);
}
