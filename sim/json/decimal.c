#include "sim/json/decimal.h"

#include <inttypes.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"

static uint64_t power_of_ten(int32_t exponent)
{
    invariant(exponent >= 0 && exponent <= 18);
    uint64_t power = 1;
    for (int32_t i = 0; i < exponent; i++)
        power *= 10;
    return power;
}

static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
}

static void print_whole(Text *out, WideUnsigned whole)
{
    const uint64_t billion_billions = power_of_ten(18);
    if (whole >= billion_billions) {
        print_whole(out, whole / billion_billions);
        text_printf(out, "%018" PRIu64, (uint64_t)(whole % billion_billions));
    } else {
        text_printf(out, "%" PRIu64, (uint64_t)whole);
    }
}

void decimal_print(Text *out, Wide value, int32_t decimals)
{
    const WideUnsigned magnitude =
        value < 0 ? (WideUnsigned)0 - (WideUnsigned)value : (WideUnsigned)value;
    const uint64_t scale = power_of_ten(decimals);
    uint64_t fraction = (uint64_t)(magnitude % scale);
    if (value < 0)
        text_add(out, "-");
    print_whole(out, magnitude / scale);
    if (fraction == 0)
        return;
    while (fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    text_printf(out, ".%0*" PRIu64, (int)decimals, fraction);
}

/* Thousands are separated by commas if `is_grouped`. */
static void print_rounded(Text *out, int64_t value, int32_t decimals, int32_t shown,
                          bool is_grouped)
{
    invariant(shown <= decimals);
    const uint64_t cut = power_of_ten(decimals - shown), unit = power_of_ten(shown);
    const uint64_t units = (magnitude_of(value) + cut / 2) / cut;
    text_add(out, value < 0 && units > 0 ? "-" : "");
    if (is_grouped)
        thousands_print(out, (int64_t)(units / unit));
    else
        text_printf(out, "%" PRIu64, units / unit);
    if (shown > 0)
        text_printf(out, ".%0*" PRIu64, (int)shown, units % unit);
}

void decimal_print_rounded(Text *out, int64_t value, int32_t decimals, int32_t shown)
{
    print_rounded(out, value, decimals, shown, false);
}

void decimal_print_amount(Text *out, int64_t millionths)
{
    int32_t shown = 2;
    for (int64_t bound = 100000; shown < 6 && millionths != 0 && millionths < bound; bound /= 10)
        shown++;
    print_rounded(out, millionths, DECIMALS_USD, shown, true);
}

bool decimal_read(const Json *number, int32_t decimals, Wide *value)
{
    enum { DIGITS_MAX = 36 };
    if (number == NULL || number->kind != JSON_NUMBER)
        return false;
    int64_t small;
    if (json_scaled(number, decimals, &small)) {
        *value = small;
        return true;
    }
    const char *text = number->text + (number->text[0] == '-');
    Wide sum = 0;
    int32_t digits = 0, decimals_read = -1; // digits after the point; -1 before it
    for (; *text != '\0'; text++) {
        if (*text == '.' && decimals_read < 0) {
            decimals_read = 0;
            continue;
        }
        if (!ascii_is_digit(*text) || ++digits > DIGITS_MAX)
            return false;
        sum = sum * 10 + (*text - '0');
        decimals_read += decimals_read >= 0;
    }
    for (decimals_read = decimals_read < 0 ? 0 : decimals_read; decimals_read < decimals;
         decimals_read++, digits++)
        sum *= 10;
    if (decimals_read > decimals || digits > DIGITS_MAX)
        return false;
    *value = number->text[0] == '-' ? -sum : sum;
    return true;
}

Json *decimal_json(Arena *arena, Wide value, int32_t decimals)
{
    Text digits = {0};
    decimal_print(&digits, value, decimals);
    Json *number = json_decimal(arena, text_string(&digits));
    text_free(&digits);
    return number;
}

void json_put_seconds(Arena *arena, Json *object, const char *key, Wide ns)
{
    json_set(arena, object, key, decimal_json(arena, ns, DECIMALS_S));
}

void json_put_usd(Arena *arena, Json *object, const char *key, int64_t micro_usd)
{
    json_set(arena, object, key, decimal_json(arena, micro_usd, DECIMALS_USD));
}

void json_put_moment(Arena *arena, Json *object, const char *key, int64_t at_ns)
{
    if (at_ns == INT64_MAX)
        json_put_null(arena, object, key);
    else
        json_put_seconds(arena, object, key, at_ns);
}
