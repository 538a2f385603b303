#include "sim/study/import/zone.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/civil_time.h"

enum { HOUR_S = 3600, DAY_S = 86400 };

/* X(name, hours, minutes, rule) */
#define ZONES(X)                                                                                   \
    X("UTC", 0, 0, NONE)                                                                           \
    X("America/Los_Angeles", -8, 0, US)                                                            \
    X("America/Denver", -7, 0, US)                                                                 \
    X("America/Chicago", -6, 0, US)                                                                \
    X("America/New_York", -5, 0, US)                                                               \
    X("Europe/London", 0, 0, EU)                                                                   \
    X("Europe/Berlin", 1, 0, EU)                                                                   \
    X("Europe/Helsinki", 2, 0, EU)                                                                 \
    X("Asia/Kolkata", 5, 30, NONE)                                                                 \
    X("Asia/Shanghai", 8, 0, NONE)                                                                 \
    X("Asia/Tokyo", 9, 0, NONE)

static const Zone zones[] = {
#define X(zone_name, hours, minutes, rule)                                                         \
    {.name = zone_name, .standard_s = (hours)*HOUR_S + (minutes)*60, .summer = SUMMER_##rule},
    ZONES(X)
#undef X
};

const char *const zone_names[] = {
#define X(zone_name, hours, minutes, rule) zone_name,
    ZONES(X)
#undef X
};
const int32_t zone_name_count = sizeof zones / sizeof *zones;

/* Reads "+08:00", "+0800" or "+08". */
static bool offset_read(const char *text, int32_t *seconds)
{
    const size_t length = strlen(text);
    const bool has_colon = length == 6 && text[3] == ':';
    if ((text[0] != '+' && text[0] != '-') || (length != 3 && length != 5 && !has_colon))
        return false;
    const char digits[] = {text[1], text[2], length == 3 ? '0' : text[3 + has_colon],
                           length == 3 ? '0' : text[4 + has_colon]};
    for (int32_t i = 0; i < 4; i++)
        if (!ascii_is_digit(digits[i]))
            return false;
    const int32_t hours = (digits[0] - '0') * 10 + digits[1] - '0';
    const int32_t minutes = (digits[2] - '0') * 10 + digits[3] - '0';
    *seconds = (text[0] == '-' ? -1 : 1) * (hours * HOUR_S + minutes * 60);
    return hours <= 14 && minutes < 60;
}

bool zone_find(Arena *arena, const char *name, Zone *zone)
{
    for (int32_t i = 0; i < zone_name_count; i++) {
        if (ascii_same(name, zones[i].name)) {
            *zone = zones[i];
            return true;
        }
    }
    if (!zone_offset_parse(name, zone))
        return false;
    zone->name = arena_strdup(arena, name);
    return true;
}

bool zone_offset_parse(const char *name, Zone *zone)
{
    *zone = (Zone){0};
    return strcmp(name, "Z") == 0 || offset_read(name, &zone->standard_s);
}

/* --- Daylight time --- */

/* Midnight of the `nth` Sunday (from 1) on or after a day of a month, on a clock of UTC. */
static int64_t sunday_s(int32_t year, int32_t month, int32_t day, int32_t nth)
{
    const CivilTime civil = {.year = year, .month = month, .day = day};
    const int64_t days = civil_to_unix_ms(civil) / 1000 / DAY_S;
    const int64_t weekday = (days + 4) % 7; // 1970-01-01 was a Thursday; Sunday is 0
    return (days + (7 - weekday) % 7 + (nth - 1) * 7) * DAY_S;
}

/* Sets begin and end of daylight time in the year of an instant. */
static void use_year_of(Zone *zone, int64_t unix_s)
{
    if (unix_s >= zone->year_begin_s && unix_s < zone->year_end_s)
        return;
    const int32_t year = civil_from_unix_ms(unix_s * 1000).year;
    zone->year_begin_s = civil_to_unix_ms((CivilTime){.year = year, .month = 1, .day = 1}) / 1000;
    zone->year_end_s = civil_to_unix_ms((CivilTime){.year = year + 1, .month = 1, .day = 1}) / 1000;
    if (zone->summer == SUMMER_EU) { // last Sundays of March and October, at 01:00 UTC
        zone->begin_s = sunday_s(year, 3, 25, 1) + HOUR_S;
        zone->end_s = sunday_s(year, 10, 25, 1) + HOUR_S;
    } else { // at 02:00 on the clock of the place
        const bool is_after_2006 = year > 2006;
        zone->begin_s = (is_after_2006 ? sunday_s(year, 3, 1, 2) : sunday_s(year, 4, 1, 1)) +
                        2 * HOUR_S - zone->standard_s;
        zone->end_s = (is_after_2006 ? sunday_s(year, 11, 1, 1) : sunday_s(year, 10, 25, 1)) +
                      HOUR_S - zone->standard_s;
    }
}

int32_t zone_offset_s(Zone *zone, int64_t unix_s)
{
    if (zone->summer == SUMMER_NONE)
        return zone->standard_s;
    use_year_of(zone, unix_s);
    const bool is_summer = unix_s >= zone->begin_s && unix_s < zone->end_s;
    return zone->standard_s + is_summer * HOUR_S;
}

int64_t zone_instant_s(Zone *zone, int64_t local_s, int64_t not_before_s, LocalKind *kind)
{
    const int64_t standard_s = local_s - zone->standard_s;
    *kind = LOCAL_ONCE;
    if (zone->summer == SUMMER_NONE)
        return standard_s;
    const int64_t summer_s = standard_s - HOUR_S;
    const bool is_summer = zone_offset_s(zone, summer_s) == zone->standard_s + HOUR_S;
    const bool is_standard = zone_offset_s(zone, standard_s) == zone->standard_s;
    if (is_summer && is_standard)
        *kind = LOCAL_TWICE;
    else if (!is_summer && !is_standard)
        *kind = LOCAL_SKIPPED;
    return is_summer && (!is_standard || summer_s >= not_before_s) ? summer_s : standard_s;
}
