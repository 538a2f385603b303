#include "sim/model/day_hours.h"

#include "sim/base/units.h"

int64_t day_hours_start_ns(int64_t start_unix_ms)
{
    const int64_t ms_per_day = NS_PER_DAY / NS_PER_MS;
    return (start_unix_ms % ms_per_day + ms_per_day) % ms_per_day * NS_PER_MS;
}

int64_t day_hours_most(const int64_t hour_ppm[HOURS_A_DAY])
{
    int64_t most_ppm = 0;
    for (int hour = 0; hour < HOURS_A_DAY; hour++)
        most_ppm = hour_ppm[hour] > most_ppm ? hour_ppm[hour] : most_ppm;
    return most_ppm;
}

/* The time of each hour between two times, of which the first is less than a day after midnight. */
static void divide_span(int64_t *hour_ns, int64_t begin_ns, int64_t span_ns)
{
    const int64_t days = span_ns / NS_PER_DAY;
    int64_t left_ns = span_ns % NS_PER_DAY, at_ns = begin_ns;
    for (int hour = 0; hour < HOURS_A_DAY; hour++)
        hour_ns[hour] = days * NS_PER_HOUR;
    while (left_ns > 0) {
        const int64_t rest_ns = NS_PER_HOUR - at_ns % NS_PER_HOUR;
        const int64_t part_ns = rest_ns < left_ns ? rest_ns : left_ns;
        hour_ns[at_ns / NS_PER_HOUR % HOURS_A_DAY] += part_ns;
        at_ns += part_ns;
        left_ns -= part_ns;
    }
}

void day_hours_spread(Wide *by_hour, int64_t start_unix_ms, int64_t begin_ns, int64_t end_ns,
                      Wide amount)
{
    const int64_t span_ns = end_ns - begin_ns;
    int64_t hour_ns[HOURS_A_DAY];
    Wide passed_ns = 0, given = 0;
    if (span_ns <= 0)
        return;
    divide_span(hour_ns, (day_hours_start_ns(start_unix_ms) + begin_ns % NS_PER_DAY) % NS_PER_DAY,
                span_ns);
    for (int hour = 0; hour < HOURS_A_DAY; hour++) {
        passed_ns += hour_ns[hour];
        // amount * passed_ns / span_ns, without overflow
        const Wide due = amount / span_ns * passed_ns + amount % span_ns * passed_ns / span_ns;
        by_hour[hour] += due - given;
        given = due;
    }
}
