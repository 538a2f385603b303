/* Private to sim/base: quantities as text (sim/base/units.h). */
#include <inttypes.h>

#include "sim/base/units.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

/* The size of `value` without its sign, INT64_MIN included; prints the sign. */
static uint64_t print_sign(Text *text, int64_t value)
{
    if (value >= 0)
        return (uint64_t)value;
    text_add(text, "-");
    return 0 - (uint64_t)value;
}

/* value / scale exactly, trailing zeros trimmed; `scale` is a power of ten. */
static void print_decimal(Text *text, uint64_t value, uint64_t scale)
{
    text_printf(text, "%" PRIu64, value / scale);
    uint64_t rest = value % scale;
    if (rest > 0)
        text_add(text, ".");
    while (rest > 0) {
        scale /= 10;
        text_printf(text, "%" PRIu64, rest / scale);
        rest %= scale;
    }
}

/* Halves round up. The sum fits: no int64 is above half of a uint64. */
static uint64_t rounded_to(uint64_t value, uint64_t step)
{
    return (value + step / 2) / step * step;
}

static uint64_t three_figures(uint64_t value)
{
    uint64_t step = 1;
    while (value / step >= 1000)
        step *= 10;
    return rounded_to(value, step);
}

/* "1 h 2 min 3 s", parts of zero left out. */
static void print_clock(Text *text, uint64_t seconds)
{
    static const struct {
        const char *name;
        uint64_t seconds;
    } parts[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    const char *separator = "";
    for (int32_t i = 0; i < COUNT_OF(parts); i++) {
        const uint64_t count = seconds / parts[i].seconds;
        seconds %= parts[i].seconds;
        if (count == 0)
            continue;
        text_printf(text, "%s%" PRIu64 " %s", separator, count, parts[i].name);
        separator = " ";
    }
}

void duration_print(Text *text, int64_t ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } scales[] = {{"s", NS_PER_S}, {"ms", NS_PER_MS}, {"us", NS_PER_US}, {"ns", 1}};
    const uint64_t size = print_sign(text, ns);
    // Rounded before the unit is chosen: 999.9 us is 1 ms, and 59.99 s is 1 min.
    const uint64_t shown = three_figures(size);
    if (shown >= NS_PER_MIN) {
        print_clock(text, rounded_to(size, NS_PER_S) / NS_PER_S);
        return;
    }
    int32_t scale = 0;
    while (shown > 0 && shown < scales[scale].ns)
        scale++;
    print_decimal(text, shown, scales[scale].ns);
    text_printf(text, " %s", scales[scale].name);
}

void bytes_print(Text *text, int64_t bytes)
{
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    const uint64_t size = print_sign(text, bytes);
    if (size < 1000) {
        text_printf(text, "%" PRIu64 " B", size);
        return;
    }
    int32_t scale = 1;
    uint64_t unit = 1000;
    while (scale + 1 < COUNT_OF(names) && rounded_to(size, unit / 10) >= 1000 * unit) {
        unit *= 1000;
        scale++;
    }
    const uint64_t tenths = rounded_to(size, unit / 10) / (unit / 10);
    text_printf(text, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10, names[scale]);
}

void seconds_print(Text *text, int64_t ns)
{
    print_decimal(text, print_sign(text, ns), NS_PER_S);
}

void thousands_print(Text *text, int64_t count)
{
    if (count >= 1000) {
        thousands_print(text, count / 1000);
        text_printf(text, ",%03" PRId64, count % 1000);
    } else {
        text_printf(text, "%" PRId64, count);
    }
}
