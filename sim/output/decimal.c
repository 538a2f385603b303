#include "sim/output/decimal.h"

#include <inttypes.h>

void decimal_print(Text *out, int64_t value, int32_t decimals)
{
    const uint64_t magnitude = value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
    uint64_t scale = 1;
    for (int32_t i = 0; i < decimals; i++)
        scale *= 10;
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

Json *decimal_json(Arena *arena, int64_t value, int32_t decimals)
{
    Text digits = {0};
    decimal_print(&digits, value, decimals);
    Json *number = json_decimal(arena, text_string(&digits));
    text_free(&digits);
    return number;
}
