#include "trainer/record/fixed.h"

#include <inttypes.h>
#include <math.h>

#include "sim/base/invariant.h"

int64_t fixed_units(int32_t decimals)
{
    int64_t units = 1;
    for (int32_t i = 0; i < decimals; i++)
        units *= 10;
    return units;
}

/* Prints integers, because the decimal point of printf's %f depends on the locale. */
void fixed_print(Text *text, double value, int32_t decimals)
{
    const int64_t units = fixed_units(decimals);
    invariant(isfinite(value) && value >= 0 && value * (double)units < 1e15);
    const int64_t scaled = llround(value * (double)units);
    text_printf(text, "%" PRId64 ".%0*" PRId64, scaled / units, (int)decimals, scaled % units);
}

Json *fixed_json(Arena *arena, double value, int32_t decimals)
{
    Text digits = {0};
    fixed_print(&digits, value, decimals);
    Json *number = json_decimal(arena, text_string(&digits));
    text_free(&digits);
    return number;
}
