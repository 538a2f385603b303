#include "reports/run/clock.h"

#include <inttypes.h>

#include "sim/base/civil_time.h"
#include "sim/base/units.h"

/* Rounded to a second, as the spans of time next to it are. */
static CivilTime civil_at(const Facts *facts, int64_t at_ns)
{
    return civil_from_unix_ms(facts->start_unix_ms + at_ns / NS_PER_MS + 500);
}

void clock_time_print(Text *out, const Facts *facts, int64_t at_ns)
{
    const CivilTime civil = civil_at(facts, at_ns);
    text_printf(out, "%02" PRId32 ":%02" PRId32 ":%02" PRId32, civil.hour, civil.minute,
                civil.second);
}

void clock_print(Text *out, const Facts *facts, int64_t at_ns)
{
    const CivilTime civil = civil_at(facts, at_ns);
    text_printf(out, "%04" PRId32 "-%02" PRId32 "-%02" PRId32 " ", civil.year, civil.month,
                civil.day);
    clock_time_print(out, facts, at_ns);
}
