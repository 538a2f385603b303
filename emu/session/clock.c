#include "emu/session/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"

#define RATE_MOST 1000000 /* a year in half a minute */

static const char *const kind_names[] = {"real", "x", "manual", "auto"};
_Static_assert(sizeof kind_names / sizeof *kind_names == CLOCK_AUTO + 1, "one name per kind");

/* --- As text --- */

/* "60", "0.5": in millionths, from one on; up to `RATE_MOST`. */
static bool read_rate(const char *text, int64_t *rate_ppm)
{
    int64_t value = 0, unit = PPM;
    bool has_point = false;
    size_t length = strlen(text);
    if (length == 0 || text[0] == '.' || text[length - 1] == '.')
        return false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (!ascii_is_digit(*text) || value > (int64_t)RATE_MOST * PPM)
            return false;
        if (has_point) {
            unit /= 10;
            if (unit == 0)
                return false; // finer than a millionth
            value += (*text - '0') * unit;
        } else {
            value = value * 10 + (int64_t)(*text - '0') * PPM;
        }
    }
    *rate_ppm = value;
    return value >= 1 && value <= (int64_t)RATE_MOST * PPM;
}

bool clock_parse(const char *text, Clock *clock, Status *status)
{
    Clock parsed = {.kind = CLOCK_REAL, .rate_ppm = PPM};
    if (strcmp(text, "manual") == 0)
        parsed = (Clock){.kind = CLOCK_MANUAL};
    else if (strcmp(text, "auto") == 0)
        parsed.kind = CLOCK_AUTO;
    else if (text[0] == 'x' && read_rate(text + 1, &parsed.rate_ppm))
        parsed.kind = CLOCK_RATE;
    else if (strcmp(text, "real") != 0) {
        status_fail(status, STATUS_BAD_INPUT, place_in(NULL, 0, 0), "\"%s\" is not a clock", text);
        return status_hint(status,
                           "real, manual, auto, or a rate from x0.000001 to x%d such as "
                           "x60 (a minute a second)",
                           RATE_MOST);
    }
    *clock = parsed;
    return true;
}

void clock_print(const Clock *clock, char out[CLOCK_TEXT])
{
    if (clock->kind != CLOCK_RATE) {
        snprintf(out, CLOCK_TEXT, "%s", kind_names[clock->kind]);
        return;
    }
    int length = snprintf(out, CLOCK_TEXT, "x%" PRId64 ".%06" PRId64, clock->rate_ppm / PPM,
                          clock->rate_ppm % PPM);
    while (out[length - 1] == '0')
        out[--length] = '\0';
    if (out[length - 1] == '.')
        out[length - 1] = '\0';
}

/* --- Time --- */

static bool stands_still(const Clock *clock)
{
    return clock->is_paused || clock->kind == CLOCK_MANUAL;
}

void clock_start(Clock *clock, int64_t machine_ns, int64_t now_ns)
{
    clock->machine_ns = machine_ns;
    clock->now_ns = now_ns;
}

int64_t clock_now(const Clock *clock, int64_t machine_ns)
{
    if (stands_still(clock) || machine_ns <= clock->machine_ns)
        return clock->now_ns;
    Wide now = clock->now_ns + (Wide)(machine_ns - clock->machine_ns) * clock->rate_ppm / PPM;
    return now < LAST_INSTANT_NS ? (int64_t)now : LAST_INSTANT_NS;
}

int64_t clock_when(const Clock *clock, int64_t at_ns)
{
    if (at_ns <= clock->now_ns)
        return clock->machine_ns;
    if (stands_still(clock) || at_ns == INT64_MAX)
        return INT64_MAX;
    Wide left = (Wide)(at_ns - clock->now_ns) * PPM;
    Wide when = clock->machine_ns + (left + clock->rate_ppm - 1) / clock->rate_ppm;
    return when < INT64_MAX ? (int64_t)when : INT64_MAX;
}

void clock_jump(Clock *clock, int64_t machine_ns, int64_t to_ns)
{
    invariant(to_ns >= clock_now(clock, machine_ns));
    clock_start(clock, machine_ns, to_ns);
}

void clock_pause(Clock *clock, int64_t machine_ns)
{
    clock_start(clock, machine_ns, clock_now(clock, machine_ns));
    clock->is_paused = true;
}

void clock_resume(Clock *clock, int64_t machine_ns)
{
    clock_start(clock, machine_ns, clock_now(clock, machine_ns));
    clock->is_paused = false;
}

void clock_change(Clock *clock, int64_t machine_ns, const Clock *to)
{
    clock_start(clock, machine_ns, clock_now(clock, machine_ns));
    clock->kind = to->kind;
    clock->rate_ppm = to->rate_ppm;
}
