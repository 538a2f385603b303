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

static void add_unit(Text *text, const char *unit)
{
    if (*unit)
        text_printf(text, " %s", unit);
}

/* "95 %, 20 runs" */
static void add_basis(Text *text, double confidence, int32_t count)
{
    text_printf(text, "%.4g %%, %" PRId32 " run%s", confidence * 100, count, plural(count));
}

void words_estimate(Text *text, const Estimate *estimate, bool is_lower_bound, const char *unit)
{
    const double half = estimate->half_width;
    const bool has_interval = isfinite(half) && !is_lower_bound;
    if (is_lower_bound)
        text_add(text, ">= ");
    words_number(text, estimate->mean, has_interval ? half : 0);
    if (has_interval) {
        text_add(text, " +- ");
        words_number(text, half, half);
    }
    add_unit(text, unit);
    text_add(text, " (");
    if (has_interval)
        add_basis(text, estimate->confidence, estimate->count);
    else
        text_printf(text, "%" PRId32 " run%s, no interval", estimate->count,
                    plural(estimate->count));
    text_add(text, ")");
}

void words_interval(Text *text, const Interval *interval, const char *unit)
{
    const double low = interval->low, high = interval->high;
    const bool has_both = isfinite(low) && isfinite(high);
    const double error = has_both ? (high - low) / 2 : 0;
    words_number(text, interval->value, error);
    if (has_both) {
        text_add(text, " (");
        words_number(text, low, error);
        text_add(text, " to ");
        words_number(text, high, error);
        text_add(text, ")");
    } else if (isfinite(low) || isfinite(high)) {
        text_add(text, isfinite(low) ? " (above " : " (below ");
        words_number(text, isfinite(low) ? low : high, 0);
        text_add(text, ")");
    }
    add_unit(text, unit);
    text_add(text, " (");
    add_basis(text, interval->confidence, interval->count);
    text_add(text, has_both ? ")" : ", too few for both bounds)");
}

void words_paired(Text *text, const Paired *paired, const char *unit)
{
    words_estimate(text, &paired->difference, false, unit);
    if (!isfinite(paired->correlation))
        return;
    text_printf(text, ", correlation %.2f", paired->correlation);
    if (isfinite(paired->variance_reduction) && paired->variance_reduction >= 1.05)
        text_printf(text, ", %.*f times fewer runs than with independent seeds",
                    paired->variance_reduction < 9.95 ? 1 : 0, paired->variance_reduction);
}
