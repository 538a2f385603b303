#include "sim/model/arrival_rate.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/week_hours.h"

/* A decimal number in millionths; `*rest` is the text after it. */
static bool micro_scan(const char *text, int64_t *micro, const char **rest)
{
    enum { DECIMALS = 6 };
    const size_t whole = strspn(text, "0123456789");
    const bool has_point = text[whole] == '.';
    const size_t decimals = has_point ? strspn(text + whole + 1, "0123456789") : 0;
    if (whole == 0 || whole > 9 || decimals > DECIMALS || (has_point && decimals == 0))
        return false;
    *micro = 0;
    for (size_t i = 0; i < whole; i++)
        *micro = 10 * *micro + (text[i] - '0');
    for (size_t i = 0; i < DECIMALS; i++)
        *micro = 10 * *micro + (i < decimals ? text[whole + 1 + i] - '0' : 0);
    *rest = text + whole + (has_point ? 1 + decimals : 0);
    return true;
}

/* "h", "week" or "7d". */
static bool period_parse(const char *text, int64_t *period_ns)
{
    static const struct {
        const char *text;
        int64_t ns;
    } units[] = {{"s", NS_PER_S},   {"min", NS_PER_MIN}, {"h", NS_PER_HOUR},
                 {"d", NS_PER_DAY}, {"day", NS_PER_DAY}, {"week", 7 * NS_PER_DAY}};
    Status unused = {0};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text, units[i].text) != 0)
            continue;
        *period_ns = units[i].ns;
        return true;
    }
    return duration_parse(text, place_in("period", 0, 0), period_ns, &unused) && *period_ns > 0;
}

bool arrival_rate_parse(const char *text, ArrivalRate *rate)
{
    const char *rest;
    return micro_scan(text, &rate->micro, &rest) && *rest == '/' &&
           period_parse(rest + 1, &rate->period_ns);
}

int64_t arrival_gap_ns(ArrivalRate rate, int64_t factor)
{
    invariant(rate.micro > 0 && factor > 0);
    const Wide divisor = (Wide)rate.micro * factor;
    return wide_capped(((Wide)rate.period_ns * PPM * FACTOR_ONE + divisor - 1) / divisor);
}

int arrival_rate_compare(ArrivalRate a, ArrivalRate b)
{
    const Wide left = (Wide)a.micro * b.period_ns, right = (Wide)b.micro * a.period_ns;
    return (left > right) - (left < right);
}
