#include "sim/base/units.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/wide.h"

/* One unit is `numerator` / `denominator` of the counted unit (nanoseconds, bytes). */
typedef struct {
    const char *name;
    uint64_t numerator;
    uint64_t denominator;
} Unit;

#define UNIT_COUNT(units) ((int32_t)(sizeof(units) / sizeof((units)[0])))

static const Unit duration_units[] = {
    // largest first
    {"d", NS_PER_DAY, 1}, {"h", NS_PER_HOUR, 1}, {"m", NS_PER_MIN, 1}, {"s", NS_PER_S, 1},
    {"ms", NS_PER_MS, 1}, {"us", NS_PER_US, 1},  {"ns", 1, 1},
};

static const Unit byte_units[] = {
    {"B", 1, 1},
    {"kB", 1000, 1},
    {"KB", 1000, 1},
    {"MB", 1000000, 1},
    {"GB", UINT64_C(1000000000), 1},
    {"TB", UINT64_C(1000000000000), 1},
    {"KiB", UINT64_C(1) << 10, 1},
    {"MiB", UINT64_C(1) << 20, 1},
    {"GiB", UINT64_C(1) << 30, 1},
    {"TiB", UINT64_C(1) << 40, 1},
};

static const Unit bit_units[] = {
    {"bit", 1, 8},
    {"kbit", 1000, 8},
    {"Mbit", 1000000, 8},
    {"Gbit", UINT64_C(1000000000), 8},
    {"Tbit", UINT64_C(1000000000000), 8},
};

/* A decimal number as written: whole + fraction / scale. */
typedef struct {
    uint64_t whole;    /* at most INT64_MAX */
    uint64_t fraction; /* below scale */
    uint64_t scale;    /* a power of ten */
    bool has_point;
} Decimal;

// 10^18 still fits a uint64, and no input needs more decimals.
enum { DECIMALS_MAX = 18 };

typedef enum { NUMBER_READ, NUMBER_MISSING, NUMBER_TOO_LARGE, NUMBER_TOO_FINE } NumberOutcome;

/* Reads "12" or "12.5" and moves `*text` past it. */
static NumberOutcome decimal_read(const char **text, Decimal *number)
{
    *number = (Decimal){.scale = 1};
    if (!ascii_is_digit(**text))
        return NUMBER_MISSING;
    for (; ascii_is_digit(**text); (*text)++) {
        const uint64_t digit = (uint64_t)(**text - '0');
        if (number->whole > ((uint64_t)INT64_MAX - digit) / 10)
            return NUMBER_TOO_LARGE;
        number->whole = number->whole * 10 + digit;
    }
    if (**text != '.')
        return NUMBER_READ;
    number->has_point = true;
    (*text)++;
    if (!ascii_is_digit(**text))
        return NUMBER_MISSING;
    for (int32_t i = 0; ascii_is_digit(**text); i++, (*text)++) {
        if (i == DECIMALS_MAX)
            return NUMBER_TOO_FINE;
        number->fraction = number->fraction * 10 + (uint64_t)(**text - '0');
        number->scale *= 10;
    }
    return NUMBER_READ;
}

/* Adds `number` times `unit`, rounded up, to `*total`. False when the sum is beyond INT64_MAX. */
static bool quantity_add(int64_t *total, Decimal number, Unit unit)
{
    // (whole + fraction / scale) * numerator / denominator, with the whole part divided first: no
    // product reaches 2^127.
    const WideUnsigned whole = (WideUnsigned)number.whole * unit.numerator;
    const WideUnsigned rest =
        (whole % unit.denominator) * number.scale + (WideUnsigned)number.fraction * unit.numerator;
    const WideUnsigned divisor = (WideUnsigned)number.scale * unit.denominator;
    const WideUnsigned value = whole / unit.denominator + (rest + divisor - 1) / divisor;
    if (value > (WideUnsigned)(INT64_MAX - *total))
        return false;
    *total += (int64_t)value;
    return true;
}

/* Names for the messages of one kind of quantity. */
typedef struct {
    const char *noun;    /* "duration" */
    const char *example; /* for the hint */
    const char *limit;   /* the largest value, in words */
} Kind;

static const Kind duration_kind = {
    "duration", "durations look like \"90s\", \"1h30m\" or \"2.5ms\"", "292 years"};
static const Kind bytes_kind = {"size", "sizes look like \"16GiB\", \"1.5MB\" or \"5003432\"",
                                "8 EiB"};
static const Kind rate_kind = {"rate", "rates look like \"25Gbit/s\" or \"60MiB/s\"", "8 EiB/s"};
static const Kind iso_duration_kind = {
    "duration", "ISO-8601 durations here look like \"P7D\" or \"PT1H30M\"", "292 years"};

static bool fail_with_example(const Kind *kind, Status *status)
{
    return status_hint(status, "%s", kind->example);
}

static bool fail_malformed(const Kind *kind, const char *text, Place at, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, at, "\"%.80s\" is not a %s", text, kind->noun);
    return fail_with_example(kind, status);
}

static bool fail_too_large(const Kind *kind, const char *text, Place at, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, at, "%s \"%.80s\" is more than %s", kind->noun,
                       text, kind->limit);
}

static bool fail_number(NumberOutcome outcome, const Kind *kind, const char *text, Place at,
                        Status *status)
{
    switch (outcome) {
    case NUMBER_TOO_LARGE:
        return fail_too_large(kind, text, at, status);
    case NUMBER_TOO_FINE:
        return status_fail(status, STATUS_BAD_INPUT, at, "%s \"%.80s\" has more than %d decimals",
                           kind->noun, text, DECIMALS_MAX);
    case NUMBER_MISSING:
    case NUMBER_READ:
        break;
    }
    return fail_malformed(kind, text, at, status);
}

static bool fail_unit(const Kind *kind, const char *text, const char *unit, size_t unit_length,
                      Place at, Status *status)
{
    if (unit_length > 0 && unit[0] == ',') {
        status_fail(status, STATUS_BAD_INPUT, at, "%s \"%.80s\" has a comma", kind->noun, text);
        return status_hint(status,
                           "decimals follow a point, as in \"2.5\"; thousands have no mark");
    }
    if (unit_length == 0)
        status_fail(status, STATUS_BAD_INPUT, at, "%s \"%.80s\" has no unit", kind->noun, text);
    else
        status_fail(status, STATUS_BAD_INPUT, at, "%s \"%.80s\": unknown unit \"%.*s\"", kind->noun,
                    text, unit_length > 40 ? 40 : (int)unit_length, unit);
    return fail_with_example(kind, status);
}

/* The unit whose name is exactly the first `length` bytes of `name`, or -1. */
static int32_t unit_find(const Unit *units, int32_t count, const char *name, size_t length)
{
    for (int32_t i = 0; i < count; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
            return i;
    return -1;
}

static int32_t duration_unit_find(const char *name, size_t length)
{
    const bool is_min = length == 3 && memcmp(name, "min", 3) == 0; // as in "5min"
    return unit_find(duration_units, UNIT_COUNT(duration_units), name, is_min ? 1 : length);
}

static bool fail_duration(const char *rule, const char *text, Place at, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, at, "duration \"%.80s\": %s", text, rule);
    return fail_with_example(&duration_kind, status);
}

bool duration_parse(const char *text, Place at, int64_t *ns, Status *status)
{
    int64_t total = 0;
    int32_t last_unit = -1;
    for (const char *rest = text; rest == text || *rest;) {
        Decimal number;
        const NumberOutcome outcome = decimal_read(&rest, &number);
        if (outcome != NUMBER_READ)
            return fail_number(outcome, &duration_kind, text, at, status);
        const size_t length = strcspn(rest, "0123456789.");
        const int32_t unit = duration_unit_find(rest, length);
        if (unit < 0)
            return fail_unit(&duration_kind, text, rest, length, at, status);
        rest += length;
        if (unit <= last_unit)
            return fail_duration("each unit at most once, largest first", text, at, status);
        if (number.has_point && *rest)
            return fail_duration("only the last number may have decimals", text, at, status);
        last_unit = unit;
        if (!quantity_add(&total, number, duration_units[unit]))
            return fail_too_large(&duration_kind, text, at, status);
    }
    *ns = total;
    return true;
}

bool bytes_parse(const char *text, Place at, int64_t *bytes, Status *status)
{
    const char *rest = text;
    Decimal number;
    const NumberOutcome outcome = decimal_read(&rest, &number);
    if (outcome != NUMBER_READ)
        return fail_number(outcome, &bytes_kind, text, at, status);
    const char *name = *rest ? rest : "B";
    const int32_t unit = unit_find(byte_units, UNIT_COUNT(byte_units), name, strlen(name));
    if (unit < 0)
        return fail_unit(&bytes_kind, text, rest, strlen(rest), at, status);
    int64_t total = 0;
    if (!quantity_add(&total, number, byte_units[unit]))
        return fail_too_large(&bytes_kind, text, at, status);
    *bytes = total;
    return true;
}

/* "Gbit/s" or "MiB/s" as a unit of bytes per second, or NULL. */
static const Unit *rate_unit_find(const char *name)
{
    const size_t length = strlen(name);
    if (length < 2 || strcmp(name + length - 2, "/s") != 0)
        return NULL;
    const int32_t bits = unit_find(bit_units, UNIT_COUNT(bit_units), name, length - 2);
    if (bits >= 0)
        return &bit_units[bits];
    const int32_t bytes = unit_find(byte_units, UNIT_COUNT(byte_units), name, length - 2);
    return bytes >= 0 ? &byte_units[bytes] : NULL;
}

bool rate_parse(const char *text, Place at, int64_t *bytes_per_s, Status *status)
{
    const char *rest = text;
    Decimal number;
    const NumberOutcome outcome = decimal_read(&rest, &number);
    if (outcome != NUMBER_READ)
        return fail_number(outcome, &rate_kind, text, at, status);
    const Unit *unit = rate_unit_find(rest);
    if (!unit)
        return fail_unit(&rate_kind, text, rest, strlen(rest), at, status);
    int64_t total = 0;
    if (!quantity_add(&total, number, *unit))
        return fail_too_large(&rate_kind, text, at, status);
    *bytes_per_s = total;
    return true;
}

/* The letters of an ISO-8601 duration, in the required order. */
static const struct {
    char letter;
    bool is_time; /* it is after the T */
    Unit unit;
} iso_parts[] = {
    {'D', false, {"D", NS_PER_DAY, 1}},
    {'H', true, {"H", NS_PER_HOUR, 1}},
    {'M', true, {"M", NS_PER_MIN, 1}},
    {'S', true, {"S", NS_PER_S, 1}},
};

/* The index of the part that `letter` names on this side of the T, after part `last`; or -1. */
static int32_t iso_part_find(char letter, bool is_time, int32_t last)
{
    for (int32_t i = last + 1; i < UNIT_COUNT(iso_parts); i++)
        if (iso_parts[i].letter == letter && iso_parts[i].is_time == is_time)
            return i;
    return -1;
}

static bool fail_iso_years(const char *text, Place at, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, at,
                "duration \"%.80s\" has years, months or weeks, whose length is not agreed on",
                text);
    return status_hint(status, "write it in days, as \"P7D\"");
}

bool iso_duration_parse(const char *text, Place at, int64_t *ns, Status *status)
{
    const char *rest = text;
    if (*rest++ != 'P')
        return fail_malformed(&iso_duration_kind, text, at, status);
    int64_t total = 0;
    bool is_time = false;
    int32_t last = -1;
    do {
        if (*rest == 'T' && !is_time) {
            is_time = true;
            rest++;
        }
        Decimal number;
        const NumberOutcome outcome = decimal_read(&rest, &number);
        if (outcome != NUMBER_READ)
            return fail_number(outcome, &iso_duration_kind, text, at, status);
        if (!is_time && (*rest == 'Y' || *rest == 'M' || *rest == 'W'))
            return fail_iso_years(text, at, status);
        last = iso_part_find(*rest, is_time, last);
        if (last < 0 || (number.has_point && iso_parts[last].letter != 'S'))
            return fail_malformed(&iso_duration_kind, text, at, status);
        rest++;
        if (!quantity_add(&total, number, iso_parts[last].unit))
            return fail_too_large(&iso_duration_kind, text, at, status);
    } while (*rest);
    *ns = total;
    return true;
}

static int64_t wide_to_int64(WideUnsigned value)
{
    invariant(value <= INT64_MAX);
    return (int64_t)value;
}

int64_t mul_div_up(int64_t a, int64_t b, int64_t c)
{
    invariant(a >= 0);
    invariant(b >= 0);
    invariant(c > 0);
    return wide_to_int64(
        wide_quotient((WideUnsigned)a * (WideUnsigned)b + (WideUnsigned)c - 1, (uint64_t)c));
}

int64_t mul_div(int64_t a, int64_t b, int64_t c)
{
    invariant(a >= 0);
    invariant(b >= 0);
    invariant(c > 0);
    return wide_to_int64(wide_quotient((WideUnsigned)a * (WideUnsigned)b, (uint64_t)c));
}

/* --- Distances of checkpoints --- */

/* Reads the digits at the start of `text`, and returns the text after them; NULL: there are none,
 * or the number is too large. */
static const char *read_count(const char *text, int64_t *count)
{
    if (!ascii_is_digit(*text))
        return NULL;
    for (*count = 0; ascii_is_digit(*text); text++) {
        *count = 10 * *count + (*text - '0');
        if (*count > CHECKPOINT_EVERY_MOST)
            return NULL;
    }
    return text;
}

/* The member that a unit after a count sets; NULL: it is another unit. */
static int64_t *member_of(const char *unit, int64_t count, CheckpointEvery *every)
{
    const struct {
        const char *one, *many;
        int64_t *member;
    } units[] = {{"", "", &every->count},
                 {"epoch", "epochs", &every->epochs},
                 {"step", "steps", &every->steps}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].many) == 0 || (count == 1 && strcmp(unit, units[i].one) == 0))
            return units[i].member;
    return NULL;
}

bool checkpoint_every_parse(const char *text, CheckpointEvery *every)
{
    int64_t count;
    Status unused;
    *every = (CheckpointEvery){0};
    const char *unit = read_count(text, &count);
    if (unit && unit[0] == ' ' && unit[1] != '\0')
        unit++;
    int64_t *member = unit ? member_of(unit, count, every) : NULL;
    if (!member)
        return duration_parse(text, (Place){0}, &every->ns, &unused) && every->ns > 0;
    *member = count;
    return count > 0;
}
