/* The calendar (UTC, proleptic Gregorian) by arithmetic alone: no clock, no locale, no time zone of
 * the machine.
 *
 * An instant is int64 milliseconds since 1970-01-01T00:00:00Z, the service's own resolution. */
#ifndef SIM_BASE_CIVIL_TIME_H
#define SIM_BASE_CIVIL_TIME_H

#include "sim/base/status.h"

typedef struct {
    int32_t year, month, day; /* month and day from 1 */
    int32_t hour, minute, second, millisecond;
} CivilTime;

CivilTime civil_from_unix_ms(int64_t unix_ms);
int64_t civil_to_unix_ms(CivilTime civil);

/* Writes the last `count` digits of a number >= 0, with leading zeros and without a NUL. Returns
 * the end of the text. All times are written with it: an answer may contain many times, and printf
 * would take most of the time of the request. */
char *digits_print(char *out, int64_t number, int32_t count);

enum { CIVIL_TEXT = 40 };
/* "2018-07-18T17:45:00Z" and with 1 to 3 decimals; nothing else. Years 1970 to 9999. */
MUST_CHECK bool iso_time_parse(const char *text, Place at, int64_t *unix_ms, Status *status);
/* As the service wrote times: up to three decimals, trailing zeros trimmed ("...55.25Z", "...37Z").
 */
void iso_time_print(int64_t unix_ms, char out[CIVIL_TEXT]);
/* "2018-07-18T22:41:28+00:00", as `az` prints them in tables. Whole seconds, rounded down. */
void az_time_print(int64_t unix_ms, char out[CIVIL_TEXT]);
/* "20180718t174802z", the stamp in node ids. */
void stamp_print(int64_t unix_ms, char out[CIVIL_TEXT]);

#endif
