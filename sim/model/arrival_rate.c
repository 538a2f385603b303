#include "sim/model/arrival_rate.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/week_hours.h"

/* A decimal number with up to three decimals, in thousandths; `*rest` is the text after it. */
static bool milli_scan(const char *text, int64_t *milli, const char **rest)
{
    const size_t whole = strspn(text, "0123456789");
    const bool has_point = text[whole] == '.';
    const size_t decimals = has_point ? strspn(text + whole + 1, "0123456789") : 0;
    if (whole == 0 || whole > 9 || decimals > 3 || (has_point && decimals == 0))
        return false;
    *milli = 0;
    for (size_t i = 0; i < whole; i++)
        *milli = 10 * *milli + (text[i] - '0');
    for (size_t i = 0; i < 3; i++)
        *milli = 10 * *milli + (i < decimals ? text[whole + 1 + i] - '0' : 0);
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
    return milli_scan(text, &rate->milli, &rest) && *rest == '/' &&
           period_parse(rest + 1, &rate->period_ns);
}

int64_t arrival_gap_ns(ArrivalRate rate, int64_t factor)
{
    invariant(rate.milli > 0 && factor > 0);
    const Wide divisor = (Wide)rate.milli * factor;
    return wide_capped(((Wide)rate.period_ns * 1000 * FACTOR_ONE + divisor - 1) / divisor);
}

int arrival_rate_compare(ArrivalRate a, ArrivalRate b)
{
    const Wide left = (Wide)a.milli * b.period_ns, right = (Wide)b.milli * a.period_ns;
    return (left > right) - (left < right);
}
