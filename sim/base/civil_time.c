#include "sim/base/civil_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/ascii.h"

#define MS_PER_DAY INT64_C(86400000)

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Days since 1970-01-01. Counts years from March, so that the leap day is a year's last; a
 * 400-year era has 146097 days. Source: H. Hinnant, "chrono-compatible low-level date algorithms",
 * days_from_civil. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    const int64_t march_year = year - (month <= 2);
    const int64_t era = floor_div(march_year, 400);
    const int64_t year_of_era = march_year - era * 400;
    const int64_t month_from_march = (month + 9) % 12;
    const int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    // There are 719468 days between 0000-03-01 and 1970-01-01.
    return era * 146097 + day_of_era - 719468;
}

/* The inverse: civil_from_days of the same source. */
static CivilTime civil_from_days(int64_t days)
{
    const int64_t from_march_0000 = days + 719468;
    const int64_t era = floor_div(from_march_0000, 146097);
    const int64_t day_of_era = from_march_0000 - era * 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    return (CivilTime){
        .year = (int32_t)(year_of_era + era * 400 + (month <= 2)),
        .month = (int32_t)month,
        .day = (int32_t)(day_of_year - (153 * month_from_march + 2) / 5 + 1),
    };
}

CivilTime civil_from_unix_ms(int64_t unix_ms)
{
    CivilTime civil = civil_from_days(floor_div(unix_ms, MS_PER_DAY));
    const int64_t rest = unix_ms % MS_PER_DAY;
    const int32_t ms = (int32_t)(rest < 0 ? rest + MS_PER_DAY : rest);
    civil.hour = ms / 3600000;
    civil.minute = ms / 60000 % 60;
    civil.second = ms / 1000 % 60;
    civil.millisecond = ms % 1000;
    return civil;
}

int64_t civil_to_unix_ms(CivilTime civil)
{
    const int64_t days = days_from_civil(civil.year, civil.month, civil.day);
    const int64_t seconds = civil.hour * INT64_C(3600) + civil.minute * INT64_C(60) + civil.second;
    return days * MS_PER_DAY + seconds * 1000 + civil.millisecond;
}

/* Reads exactly `digits` digits and moves `*text` past them. */
static bool number_read(const char **text, int32_t digits, int32_t *value)
{
    *value = 0;
    for (int32_t i = 0; i < digits; i++, (*text)++) {
        if (!ascii_is_digit(**text))
            return false;
        *value = *value * 10 + (**text - '0');
    }
    return true;
}

static bool letter_read(const char **text, char letter)
{
    if (**text != letter)
        return false;
    (*text)++;
    return true;
}

/* ".5" to ".517", or nothing. */
static bool decimals_read(const char **text, int32_t *millisecond)
{
    *millisecond = 0;
    if (!letter_read(text, '.'))
        return true;
    int32_t weight = 100;
    if (!ascii_is_digit(**text))
        return false;
    for (; weight > 0 && ascii_is_digit(**text); (*text)++, weight /= 10)
        *millisecond += (**text - '0') * weight;
    return true;
}

static bool civil_read(const char *text, CivilTime *civil)
{
    return number_read(&text, 4, &civil->year) && letter_read(&text, '-') &&
           number_read(&text, 2, &civil->month) && letter_read(&text, '-') &&
           number_read(&text, 2, &civil->day) && letter_read(&text, 'T') &&
           number_read(&text, 2, &civil->hour) && letter_read(&text, ':') &&
           number_read(&text, 2, &civil->minute) && letter_read(&text, ':') &&
           number_read(&text, 2, &civil->second) && decimals_read(&text, &civil->millisecond) &&
           letter_read(&text, 'Z') && *text == '\0';
}

/* True for instants that exist. Conversion to a number and back changes all others, such as the
 * 31st of April and 24:00. */
static bool civil_exists(const CivilTime *civil)
{
    if (civil->year < 1970 || civil->month < 1 || civil->month > 12)
        return false;
    const CivilTime back = civil_from_unix_ms(civil_to_unix_ms(*civil));
    return back.month == civil->month && back.day == civil->day && back.hour == civil->hour &&
           back.minute == civil->minute && back.second == civil->second;
}

bool iso_time_parse(const char *text, Place at, int64_t *unix_ms, Status *status)
{
    CivilTime civil;
    if (!civil_read(text, &civil)) {
        status_fail(status, STATUS_BAD_INPUT, at, "\"%.80s\" is not a time", text);
        return status_hint(status, "times are in UTC and look like \"2018-07-18T17:45:00Z\"");
    }
    if (!civil_exists(&civil)) {
        status_fail(status, STATUS_BAD_INPUT, at, "there is no time \"%s\" in the calendar", text);
        return status_hint(status, "years go from 1970 to 9999, hours from 00 to 23");
    }
    *unix_ms = civil_to_unix_ms(civil);
    return true;
}

char *digits_print(char *out, int64_t number, int32_t count)
{
    for (int32_t i = count - 1; i >= 0; i--, number /= 10)
        out[i] = (char)('0' + number % 10);
    return out + count;
}

/* Four digits, or as many as a year outside 0 to 9999 needs. */
static char *year_print(char *out, int32_t year)
{
    enum { YEAR_TEXT = 12 };
    return year >= 0 && year <= 9999 ? digits_print(out, year, 4)
                                     : out + snprintf(out, YEAR_TEXT, "%04" PRId32, year);
}

/* "2018-07-18T17:45:00", with `dash`, `letter` and `colon` in their positions ('\0': nothing).
 * Returns the end of the text. */
static char *civil_print(char *out, const CivilTime *civil, char dash, char letter, char colon)
{
    const int32_t values[] = {civil->month, civil->day, civil->hour, civil->minute, civil->second};
    const char between[] = {dash, dash, letter, colon, colon};
    out = year_print(out, civil->year);
    for (size_t i = 0; i < sizeof between; i++) {
        if (between[i] != '\0')
            *out++ = between[i];
        out = digits_print(out, values[i], 2);
    }
    return out;
}

void iso_time_print(int64_t unix_ms, char out[CIVIL_TEXT])
{
    const CivilTime civil = civil_from_unix_ms(unix_ms);
    char *end = civil_print(out, &civil, '-', 'T', ':');
    if (civil.millisecond > 0) {
        *end++ = '.';
        end = digits_print(end, civil.millisecond, 3);
        while (end[-1] == '0')
            end--;
    }
    memcpy(end, "Z", 2);
}

void az_time_print(int64_t unix_ms, char out[CIVIL_TEXT])
{
    const CivilTime civil = civil_from_unix_ms(unix_ms);
    memcpy(civil_print(out, &civil, '-', 'T', ':'), "+00:00", 7);
}

void stamp_print(int64_t unix_ms, char out[CIVIL_TEXT])
{
    const CivilTime civil = civil_from_unix_ms(unix_ms);
    memcpy(civil_print(out, &civil, '\0', 't', '\0'), "z", 2);
}
