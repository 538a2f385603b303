#include "emu/files/store/ticks.h"

#include <string.h>

#include "sim/base/civil_time.h"

enum { TICKS_PER_MS = 10000, TICKS_PER_S = 10000000 };
static const int64_t ticks_of_1970 = INT64_C(116444736000000000);

int64_t ticks_of(int64_t unix_ms)
{
    return unix_ms * TICKS_PER_MS + ticks_of_1970;
}

int64_t ticks_unix_ms(int64_t ticks)
{
    return (ticks - ticks_of_1970) / TICKS_PER_MS;
}

void ticks_print(int64_t ticks, char out[TICKS_TEXT])
{
    const CivilTime time = civil_from_unix_ms(ticks_unix_ms(ticks));
    static const char before[] = {'-', '-', 'T', ':', ':'};
    const int32_t values[] = {time.month, time.day, time.hour, time.minute, time.second};
    char *end = digits_print(out, time.year, 4);
    for (size_t i = 0; i < sizeof before; i++) {
        *end++ = before[i];
        end = digits_print(end, values[i], 2);
    }
    *end++ = '.';
    memcpy(digits_print(end, ticks % TICKS_PER_S, 7), "Z", 2);
}
