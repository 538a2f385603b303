#include "sim/study/format/level_values.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/json/decimal.h"
#include "sim/model/random_math.h"

/* --- Multiples --- */

enum { DIGITS_MAX = 17 };

/* A decimal number without sign and exponent: digits / 10^decimals. */
typedef struct {
    int64_t digits;
    int32_t decimals;
    int32_t count; /* of its digits */
} Decimal;

/* Reads the number at the beginning of `text`; `*rest` is what follows. */
static bool decimal_scan(const char *text, Decimal *number, const char **rest)
{
    *number = (Decimal){0};
    bool has_point = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point); text++) {
        if (*text == '.') {
            has_point = true;
            continue;
        }
        if (++number->count > DIGITS_MAX)
            return false;
        number->digits = 10 * number->digits + (*text - '0');
        number->decimals += has_point;
    }
    *rest = text;
    return number->count > 0;
}

Json *value_times(Arena *arena, const Json *own, const Json *factor)
{
    Decimal number, multiple;
    const char *unit, *end;
    if ((own->kind != JSON_NUMBER && own->kind != JSON_STRING) ||
        !decimal_scan(own->text, &number, &unit) ||
        strcspn(unit, "0123456789") != strlen(unit) || // "1h30m" has two numbers
        (own->kind == JSON_NUMBER && *unit != '\0') ||
        !decimal_scan(factor->text, &multiple, &end) || *end != '\0' ||
        number.count + multiple.count > 2 * DIGITS_MAX || number.decimals + multiple.decimals > 18)
        return NULL;
    Text product = {0};
    decimal_print(&product, (Wide)number.digits * multiple.digits,
                  number.decimals + multiple.decimals);
    text_add(&product, unit);
    Json *value = own->kind == JSON_NUMBER ? json_decimal(arena, text_string(&product))
                                           : json_string(arena, text_string(&product));
    text_free(&product);
    return value;
}

/* --- Spans --- */

static bool fail_span(const Json *node, Status *status, const char *message)
{
    status_fail(status, STATUS_BAD_INPUT, node->at, "%s", message);
    return status_hint(status, "as in [1, 16], [0.1, 0.9], [\"5m\", \"4h\"] or "
                               "[\"1GiB\", \"64GiB\"]");
}

/* The kind and value of one end. */
static bool end_read(const Json *node, SpanKind *kind, double *value)
{
    int64_t quantity = 0;
    Status unused;
    if (node->kind == JSON_NUMBER) {
        *kind = node->is_integer ? SPAN_WHOLE : SPAN_REAL;
        *value = node->number;
        return true;
    }
    if (node->kind != JSON_STRING)
        return false;
    if (duration_parse(node->text, node->at, &quantity, &unused))
        *kind = SPAN_DURATION;
    else if (bytes_parse(node->text, node->at, &quantity, &unused))
        *kind = SPAN_BYTES;
    else
        return false;
    *value = (double)quantity;
    return true;
}

static int64_t unit_of(const ValueSpan *span)
{
    enum { FINE_BELOW_S = 100 };
    if (span->kind != SPAN_DURATION)
        return span->kind == SPAN_REAL ? 0 : 1;
    return span->low < (double)(FINE_BELOW_S * NS_PER_S) ? NS_PER_MS : NS_PER_S;
}

bool value_span_read(const Json *node, Spacing spacing, ValueSpan *span, Status *status)
{
    SpanKind low_kind, high_kind;
    *span = (ValueSpan){.spacing = spacing};
    if (node->kind != JSON_ARRAY || node->count != 2 ||
        !end_read(node->first, &low_kind, &span->low) ||
        !end_read(node->last, &high_kind, &span->high))
        return fail_span(node, status,
                         "\"between\" is not a list of two numbers, durations or "
                         "sizes");
    const bool are_numbers = low_kind <= SPAN_REAL && high_kind <= SPAN_REAL;
    if (low_kind != high_kind && !are_numbers)
        return fail_span(node, status, "the ends of \"between\" have different units");
    span->kind = low_kind > high_kind ? low_kind : high_kind; // an integer and a real: real
    if (span->low >= span->high)
        return fail_span(node, status, "\"between\" does not begin with its lower end");
    if (spacing == SPACING_LOG && span->low <= 0)
        return fail_span(node, status, "equal ratios need a lower end above 0");
    span->unit = unit_of(span);
    return true;
}

double value_span_at(const ValueSpan *span, double position)
{
    if (position <= 0 || position >= 1)
        return position <= 0 ? span->low : span->high;
    if (span->spacing == SPACING_LOG)
        return span->low * random_exp(position * random_log(span->high / span->low));
    return span->low + position * (span->high - span->low);
}

/* `whole` nanoseconds or bytes with its unit. */
static Json *quantity(Arena *arena, SpanKind kind, int64_t whole)
{
    Text text = {0};
    if (kind == SPAN_DURATION)
        seconds_print(&text, whole);
    else
        text_printf(&text, "%" PRId64, whole);
    text_add(&text, kind == SPAN_DURATION ? "s" : "B");
    Json *value = json_string(arena, text_string(&text));
    text_free(&text);
    return value;
}

Json *value_span_json(Arena *arena, const ValueSpan *span, double value)
{
    if (span->kind == SPAN_REAL)
        return json_decimal(arena, arena_printf(arena, "%.6g", value));
    const double units = value / (double)span->unit;
    const int64_t whole = (int64_t)(units < 0 ? units - 0.5 : units + 0.5) * span->unit;
    return span->kind == SPAN_WHOLE ? json_integer(arena, whole)
                                    : quantity(arena, span->kind, whole);
}
