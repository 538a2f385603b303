#include "sim/study/import/stamp.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"

typedef struct {
    const char *next, *end;
} Rest;

/* Reads exactly `count` digits. */
static bool take_digits(Rest *text, int32_t count, int32_t *value)
{
    *value = 0;
    for (; count > 0; count--, text->next++) {
        if (text->next == text->end || !ascii_is_digit(*text->next))
            return false;
        *value = *value * 10 + (*text->next - '0');
    }
    return true;
}

static bool take(Rest *text, char c)
{
    if (text->next == text->end || *text->next != c)
        return false;
    text->next++;
    return true;
}

/* Decimals of a second, rounded down to nanoseconds. */
static bool take_decimals(Rest *text, int64_t *ns)
{
    int64_t unit = NS_PER_S / 10;
    *ns = 0;
    if (!take(text, '.'))
        return true;
    const char *first = text->next;
    for (; text->next < text->end && ascii_is_digit(*text->next); text->next++, unit /= 10)
        *ns += unit * (*text->next - '0');
    return text->next > first;
}

static int32_t days_in_month(int32_t year, int32_t month)
{
    static const int32_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

static bool take_date(Rest *text, CivilTime *civil)
{
    return take_digits(text, 4, &civil->year) && take(text, '-') &&
           take_digits(text, 2, &civil->month) && take(text, '-') &&
           take_digits(text, 2, &civil->day) && civil->year >= 1970 && civil->year < 2262 &&
           civil->month >= 1 && civil->month <= 12 && civil->day >= 1 &&
           civil->day <= days_in_month(civil->year, civil->month);
}

static bool take_clock(Rest *text, CivilTime *civil, int64_t *decimals_ns)
{
    *decimals_ns = 0;
    if (text->next == text->end || (*text->next != ' ' && *text->next != 'T'))
        return text->next == text->end;
    text->next++;
    if (!take_digits(text, 2, &civil->hour) || !take(text, ':') ||
        !take_digits(text, 2, &civil->minute))
        return false;
    if (take(text, ':') &&
        !(take_digits(text, 2, &civil->second) && take_decimals(text, decimals_ns)))
        return false;
    return civil->hour < 24 && civil->minute < 60 && civil->second < 60;
}

/* The offset at the end, if any. False when the rest is not an offset. */
static bool take_offset(Rest *text, Zone *zone, bool *has_offset)
{
    char name[8] = "";
    *has_offset = text->next < text->end;
    if (!*has_offset)
        return true;
    const size_t length = (size_t)(text->end - text->next);
    if (length >= sizeof name || (*text->next != 'Z' && *text->next != '+' && *text->next != '-'))
        return false;
    memcpy(name, text->next, length);
    return zone_offset_parse(name, zone);
}

bool stamp_read(Cell cell, Zone *zone, int64_t not_before_ns, int64_t *ns, LocalKind *kind)
{
    Rest text = {cell.text, cell.text + cell.length};
    CivilTime civil = {0};
    Zone stated;
    int64_t decimals_ns;
    bool has_offset;
    if (!take_date(&text, &civil) || !take_clock(&text, &civil, &decimals_ns) ||
        !take_offset(&text, &stated, &has_offset))
        return false;
    const int64_t local_s = civil_to_unix_ms(civil) / 1000;
    const int64_t instant_s =
        zone_instant_s(has_offset ? &stated : zone, local_s, not_before_ns / NS_PER_S, kind);
    *ns = instant_s * NS_PER_S + decimals_ns;
    return instant_s >= 0;
}

bool stamp_is_none(Cell cell)
{
    static const char *const words[] = {"",    "None", "null", "NULL", "Unknown", "NA",
                                        "N/A", "nan",  "NaN",  "NaT",  "-",       "-1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cell_is(cell, words[i]))
            return true;
    return false;
}

bool elapsed_read(Cell cell, int64_t *ns)
{
    Rest text = {cell.text, cell.text + cell.length};
    int64_t parts[3] = {0}, days = 0, decimals_ns = 0;
    int32_t count = 0;
    for (;;) {
        int64_t number = 0;
        const char *first = text.next;
        for (; text.next < text.end && ascii_is_digit(*text.next); text.next++) {
            number = number * 10 + (*text.next - '0');
            if (number > 100000000)
                return false;
        }
        if (text.next == first || count == 3)
            return false;
        if (count == 0 && days == 0 && take(&text, '-')) {
            days = number;
            continue;
        }
        parts[count++] = number;
        if (!take(&text, ':'))
            break;
    }
    const int64_t s =
        count == 3 ? (parts[0] * 60 + parts[1]) * 60 + parts[2] : parts[0] * 60 + parts[1];
    if (count < 2 || (count == 2 && days > 0) || days > 100000 || s > INT64_C(1000000000) ||
        !take_decimals(&text, &decimals_ns) || text.next != text.end)
        return false;
    *ns = (days * 86400 + s) * NS_PER_S + decimals_ns;
    return true;
}
