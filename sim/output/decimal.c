#include "sim/output/decimal.h"

#include <inttypes.h>

#include "sim/base/invariant.h"

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

void decimal_print(Text *out, int64_t value, int32_t decimals)
{
    const uint64_t magnitude = magnitude_of(value), scale = power_of_ten(decimals);
    uint64_t fraction = magnitude % scale;
    text_printf(out, "%s%" PRIu64, value < 0 ? "-" : "", magnitude / scale);
    if (fraction == 0)
        return;
    while (fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    text_printf(out, ".%0*" PRIu64, (int)decimals, fraction);
}

void decimal_print_rounded(Text *out, int64_t value, int32_t decimals, int32_t shown)
{
    invariant(shown <= decimals);
    const uint64_t cut = power_of_ten(decimals - shown), unit = power_of_ten(shown);
    const uint64_t units = (magnitude_of(value) + cut / 2) / cut;
    text_printf(out, "%s%" PRIu64, value < 0 && units > 0 ? "-" : "", units / unit);
    if (shown > 0)
        text_printf(out, ".%0*" PRIu64, (int)shown, units % unit);
}

void decimal_print_usd(Text *out, int64_t micro_usd)
{
    int32_t shown = 2;
    for (int64_t bound = 100000; shown < 6 && micro_usd != 0 && micro_usd < bound; bound /= 10)
        shown++;
    decimal_print_rounded(out, micro_usd, 6, shown);
}

Json *decimal_json(Arena *arena, int64_t value, int32_t decimals)
{
    Text digits = {0};
    decimal_print(&digits, value, decimals);
    Json *number = json_decimal(arena, text_string(&digits));
    text_free(&digits);
    return number;
}
