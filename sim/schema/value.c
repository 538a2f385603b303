#include "sim/schema/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/json/real.h"

/* --- Kinds --- */

const char *value_title(ValueKind kind)
{
    static const char *const titles[] = {
#define X(name, bound, title, expected) title,
        VALUE_KINDS(X)
#undef X
    };
    return titles[kind];
}

const char *value_expected(ValueKind kind)
{
    static const char *const texts[] = {
#define X(name, bound, title, expected) expected,
        VALUE_KINDS(X)
#undef X
    };
    return texts[kind];
}

/* --- Numbers with a suffix --- */

/* A text that may follow a decimal number; the number then counts 10^decimals of our unit. */
typedef struct {
    const char *text;
    int32_t decimals;
} Suffix;

/* A decimal number at the start of `text`, with up to `decimals` digits after a point, as a
 * multiple of 10^-decimals. `*rest` is the text after it. False when there is no number, a digit
 * would be lost or the number is too large. */
static bool decimal_scan(const char *text, int32_t decimals, int64_t *value, const char **rest)
{
    int64_t total = 0;
    int32_t left = -1; // decimals still to come; -1 before the point
    if (!ascii_is_digit(*text))
        return false;
    for (; ascii_is_digit(*text) || (*text == '.' && left < 0); text++) {
        if (*text == '.') {
            left = decimals;
            continue;
        }
        if (left == 0 || total > (INT64_MAX - 9) / 10)
            return false;
        total = 10 * total + (*text - '0');
        left -= left > 0;
    }
    if (text[-1] == '.')
        return false;
    for (left = left < 0 ? decimals : left; left > 0; left--) {
        if (total > INT64_MAX / 10)
            return false;
        total *= 10;
    }
    *value = total;
    *rest = text;
    return true;
}

static bool suffixed_parse(const char *text, const Suffix *suffixes, int32_t count, Place at,
                           const char *expected, int64_t *value, Status *status)
{
    for (int32_t i = 0; i < count; i++) {
        const char *rest;
        if (decimal_scan(text, suffixes[i].decimals, value, &rest) &&
            strcmp(rest, suffixes[i].text) == 0)
            return true;
    }
    return status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not %s", text, expected);
}

bool ratio_parse(const char *text, Place at, int64_t *ppm, Status *status)
{
    static const Suffix suffixes[] = {{"%", 4}, {"", 6}};
    return suffixed_parse(text, suffixes, 2, at, value_expected(VALUE_RATIO), ppm, status);
}

static bool money_parse(const char *text, Place at, int64_t *micro_usd, Status *status)
{
    static const Suffix suffixes[] = {{"USD", 6}};
    return suffixed_parse(text, suffixes, 1, at, value_expected(VALUE_MONEY), micro_usd, status);
}

static bool power_parse(const char *text, Place at, int64_t *mw, Status *status)
{
    static const Suffix suffixes[] = {{"kW", 6}, {"W", 3}};
    return suffixed_parse(text, suffixes, 2, at, value_expected(VALUE_POWER), mw, status);
}

static bool flops_parse(const char *text, Place at, int64_t *flops, Status *status)
{
    static const Suffix suffixes[] = {
        {"flop/s", 0}, {"kflop/s", 3}, {"Mflop/s", 6}, {"Gflop/s", 9}, {"Tflop/s", 12}};
    return suffixed_parse(text, suffixes, 5, at, value_expected(VALUE_FLOPS), flops, status);
}

bool decimal_parse(const char *text, int32_t decimals, const char *expected, Place at,
                   int64_t *value, Status *status)
{
    const Suffix none = {"", decimals};
    return suffixed_parse(text, &none, 1, at, expected, value, status);
}

typedef bool QuantityParse(const char *text, Place at, int64_t *value, Status *status);

/* Hints at the form without blanks if they are the only mistake in `text`. */
static bool fail_blanks(QuantityParse *parse, const char *text, Place at, Status *status)
{
    char compact[64] = "";
    size_t length = 0;
    int64_t unused;
    Status ignored = {0};
    for (; *text != '\0' && length + 1 < sizeof compact; text++)
        if (*text != ' ')
            compact[length++] = *text;
    if (*text == '\0' && parse(compact, at, &unused, &ignored))
        status_hint(status, "leave out the blank: \"%s\"", compact);
    return false;
}

bool value_parse(ValueKind kind, const char *text, Place at, int64_t *value, Status *status)
{
    static QuantityParse *const parsers[] = {
        [VALUE_DURATION] = duration_parse,
        [VALUE_BYTES] = bytes_parse,
        [VALUE_RATE] = rate_parse,
        [VALUE_FLOPS] = flops_parse,
        [VALUE_RATIO] = ratio_parse,
        [VALUE_MONEY] = money_parse,
        [VALUE_POWER] = power_parse,
        [VALUE_ISO_TIME] = iso_time_parse,
        [VALUE_ISO_DURATION] = iso_duration_parse,
    };
    return parsers[kind](text, at, value, status) || fail_blanks(parsers[kind], text, at, status);
}

/* --- Numbers without a unit --- */

bool whole_number_parse(const char *text, int64_t most, int64_t *value)
{
    int64_t number = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        const int64_t digit = *text - '0';
        if (!ascii_is_digit(*text) || number > most / 10 ||
            (number == most / 10 && digit > most % 10))
            return false;
        number = 10 * number + digit;
    }
    *value = number;
    return true;
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

/* No sign at the start, no "inf", no hexadecimal digits. */
static bool is_real(const char *text)
{
    size_t length = digits_at(text);
    if (length == 0)
        return false;
    text += length;
    if (*text == '.') {
        length = digits_at(text + 1);
        if (length == 0)
            return false;
        text += 1 + length;
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '-' || text[1] == '+');
        length = digits_at(text);
        if (length == 0)
            return false;
        text += length;
    }
    return *text == '\0';
}

bool real_parse(const char *text, double *value)
{
    if (!is_real(text))
        return false;
    *value = real_read(text);
    return isfinite(*value);
}

/* --- Words --- */

int32_t word_list_count(const char *const *words)
{
    int32_t count = 0;
    while (words[count] != NULL)
        count++;
    return count;
}

int32_t word_list_find(const char *const *words, const char *word)
{
    for (int32_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}
