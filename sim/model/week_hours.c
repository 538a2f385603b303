#include "sim/model/week_hours.h"

#include "sim/base/units.h"

int64_t week_start_ns(int64_t start_unix_ms)
{
    const int64_t ms_per_day = NS_PER_DAY / NS_PER_MS, ms_per_week = DAYS_A_WEEK * ms_per_day;
    const int64_t since_monday_ms = 3 * ms_per_day; // 1970 began on a Thursday
    return (start_unix_ms % ms_per_week + since_monday_ms + ms_per_week) % ms_per_week * NS_PER_MS;
}

int32_t week_hour_at(int64_t unix_ms)
{
    return (int32_t)(week_start_ns(unix_ms) / NS_PER_HOUR);
}

int64_t week_factors_most(const int64_t factors[HOURS_A_WEEK])
{
    int64_t most = 0;
    for (int hour = 0; hour < HOURS_A_WEEK; hour++)
        most = factors[hour] > most ? factors[hour] : most;
    return most;
}

int32_t week_factors_cycle(const int64_t factors[HOURS_A_WEEK])
{
    for (int hour = HOURS_A_DAY; hour < HOURS_A_WEEK; hour++)
        if (factors[hour] != factors[hour % HOURS_A_DAY])
            return HOURS_A_WEEK;
    return HOURS_A_DAY;
}

/* The time of each hour in a span that begins `begin_ns` after the first one. */
static void divide_span(int64_t *hour_ns, int32_t hours, int64_t begin_ns, int64_t span_ns)
{
    const int64_t cycle_ns = hours * NS_PER_HOUR, cycles = span_ns / cycle_ns;
    int64_t left_ns = span_ns % cycle_ns, at_ns = begin_ns;
    for (int hour = 0; hour < hours; hour++)
        hour_ns[hour] = cycles * NS_PER_HOUR;
    while (left_ns > 0) {
        const int64_t rest_ns = NS_PER_HOUR - at_ns % NS_PER_HOUR;
        const int64_t part_ns = rest_ns < left_ns ? rest_ns : left_ns;
        hour_ns[at_ns / NS_PER_HOUR % hours] += part_ns;
        at_ns += part_ns;
        left_ns -= part_ns;
    }
}

void week_hours_spread(Wide *by_hour, int32_t hours, int64_t start_unix_ms, int64_t begin_ns,
                       int64_t end_ns, Wide amount)
{
    const int64_t span_ns = end_ns - begin_ns, cycle_ns = hours * NS_PER_HOUR;
    int64_t hour_ns[HOURS_A_WEEK];
    Wide passed_ns = 0, given = 0;
    if (span_ns <= 0)
        return;
    divide_span(hour_ns, hours, (week_start_ns(start_unix_ms) + begin_ns % cycle_ns) % cycle_ns,
                span_ns);
    for (int hour = 0; hour < hours; hour++) {
        if (hour_ns[hour] == 0)
            continue; // most hours of a short span: the divisions below are slow
        passed_ns += hour_ns[hour];
        // amount * passed_ns / span_ns, without overflow
        const Wide due = amount / span_ns * passed_ns + amount % span_ns * passed_ns / span_ns;
        by_hour[hour] += due - given;
        given = due;
    }
}
