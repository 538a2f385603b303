#include "sim/schema/expression.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"

/* --- Exact fractions --- */

/* Functions that return bool return false when the result does not fit into int64. INT64_MIN is
 * never a part of a fraction, so that negation and division cannot overflow. */

static bool multiply(int64_t a, int64_t b, int64_t *product)
{
    int64_t size_a = a < 0 ? -a : a;
    int64_t size_b = b < 0 ? -b : b;
    if (size_b && size_a > INT64_MAX / size_b)
        return false;
    *product = a * b;
    return true;
}

static bool add(int64_t a, int64_t b, int64_t *sum)
{
    if (b > 0 ? a > INT64_MAX - b : a < -INT64_MAX - b)
        return false;
    *sum = a + b;
    return true;
}

/* `a` and `b` are not both zero. */
static int64_t common_factor(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    invariant(a > 0);
    return a;
}

static bool fraction_multiply(Fraction a, Fraction b, Fraction *product)
{
    // Crosswise reduction first: the product is then in lowest terms and no part of it is larger
    // than the result needs.
    int64_t left = common_factor(a.numerator, b.denominator);
    int64_t right = common_factor(b.numerator, a.denominator);
    return multiply(a.numerator / left, b.numerator / right, &product->numerator) &&
           multiply(a.denominator / right, b.denominator / left, &product->denominator);
}

static bool fraction_add(Fraction a, Fraction b, Fraction *sum)
{
    int64_t factor = common_factor(a.denominator, b.denominator);
    int64_t left, right, numerator, denominator;
    if (!multiply(a.numerator, b.denominator / factor, &left) ||
        !multiply(b.numerator, a.denominator / factor, &right) || !add(left, right, &numerator) ||
        !multiply(a.denominator, b.denominator / factor, &denominator))
        return false;
    int64_t rest = common_factor(numerator, denominator);
    *sum = (Fraction){numerator / rest, denominator / rest};
    return true;
}

static Fraction fraction_negate(Fraction a)
{
    return (Fraction){-a.numerator, a.denominator};
}

/* `a` is not zero. */
static Fraction fraction_invert(Fraction a)
{
    if (a.numerator < 0)
        return (Fraction){-a.denominator, -a.numerator};
    return (Fraction){a.denominator, a.numerator};
}

static Fraction fraction_floor(Fraction a)
{
    int64_t whole = a.numerator / a.denominator; // towards zero
    return (Fraction){whole - (a.numerator < 0 && a.numerator % a.denominator), 1};
}

/* False when the difference does not fit into int64. */
static bool fraction_less(Fraction a, Fraction b, bool *is_less)
{
    Fraction difference;
    if (!fraction_add(a, fraction_negate(b), &difference))
        return false;
    *is_less = difference.numerator < 0;
    return true;
}

/* --- Reading: one function for each rule of the grammar --- */

typedef struct {
    const char *text;
    const char *here;
    int32_t depth;
    const ExpressionVariable *variables;
    int32_t variable_count;
    Place at;
    Status *status;
} Reader;

static bool sum_read(Reader *reader, Fraction *value);

static Place place_of(const Reader *reader, const char *where)
{
    return place_in(reader->at.source, reader->at.line,
                    reader->at.column + (int32_t)(where - reader->text));
}

static bool fail_at(Reader *reader, const char *where, const char *message)
{
    status_fail(reader->status, STATUS_BAD_INPUT, place_of(reader, where), "%s in \"%s\"", message,
                reader->text);
    return false;
}

static bool fail_too_large(Reader *reader, const char *where)
{
    return fail_at(reader, where, "a number too large");
}

/* The next character that is not a space. */
static char peek(Reader *reader)
{
    while (*reader->here == ' ')
        reader->here++;
    return *reader->here;
}

static bool take(Reader *reader, char wanted)
{
    if (peek(reader) != wanted)
        return false;
    reader->here++;
    return true;
}

static bool is_letter(char c)
{
    return ascii_is_letter(c) || c == '_';
}

static bool number_read(Reader *reader, Fraction *value)
{
    const char *start = reader->here;
    int64_t digits = 0, scale = 1;
    bool has_point = false;
    for (; ascii_is_digit(*reader->here) || (*reader->here == '.' && !has_point); reader->here++) {
        if (*reader->here == '.') {
            has_point = true;
            continue;
        }
        if (!multiply(digits, 10, &digits) || !add(digits, *reader->here - '0', &digits) ||
            (has_point && !multiply(scale, 10, &scale)))
            return fail_too_large(reader, start);
    }
    if (reader->here[-1] == '.')
        return fail_at(reader, reader->here, "a digit is missing after the point");
    int64_t factor = common_factor(digits, scale);
    *value = (Fraction){digits / factor, scale / factor};
    return true;
}

typedef struct {
    const char *start;
    size_t length;
} Name;

static bool name_is(Name name, const char *text)
{
    return strlen(text) == name.length && memcmp(text, name.start, name.length) == 0;
}

static Name name_read(Reader *reader)
{
    const char *start = reader->here;
    while (is_letter(*reader->here) || ascii_is_digit(*reader->here))
        reader->here++;
    return (Name){start, (size_t)(reader->here - start)};
}

typedef enum { FUNCTION_FLOOR, FUNCTION_CEIL, FUNCTION_MIN, FUNCTION_MAX, FUNCTION_COUNT } Function;
static const char *const function_names[] = {"floor", "ceil", "min", "max"};
_Static_assert(sizeof function_names / sizeof function_names[0] == FUNCTION_COUNT, "a name each");

static Function function_find(Name name)
{
    int32_t i = 0;
    while (i < FUNCTION_COUNT && !name_is(name, function_names[i]))
        i++;
    return (Function)i;
}

bool expression_is_function(const char *name, size_t length)
{
    return function_find((Name){name, length}) != FUNCTION_COUNT;
}

/* Replaces `*value` by the minimum or maximum of it and the next argument, `other`. */
static bool extreme(Function function, Fraction *value, Fraction other)
{
    bool is_less;
    if (!fraction_less(other, *value, &is_less))
        return false;
    if (is_less == (function == FUNCTION_MIN))
        *value = other;
    return true;
}

static bool call_read(Reader *reader, Name name, Function function, Fraction *value)
{
    if (!take(reader, '('))
        return fail_at(reader, reader->here, "\"(\" is missing");
    if (!sum_read(reader, value))
        return false;
    if (function == FUNCTION_FLOOR)
        *value = fraction_floor(*value);
    else if (function == FUNCTION_CEIL)
        *value = fraction_negate(fraction_floor(fraction_negate(*value)));
    while (function >= FUNCTION_MIN && take(reader, ',')) {
        Fraction other;
        if (!sum_read(reader, &other))
            return false;
        if (!extreme(function, value, other))
            return fail_too_large(reader, name.start);
    }
    return take(reader, ')') || fail_at(reader, reader->here, "\")\" is missing");
}

/* False when the value does not fit into a fraction. */
static bool variable_value(const ExpressionVariable *variable, Fraction *value)
{
    const int64_t divisor = variable->divisor > 0 ? variable->divisor : 1;
    if (variable->value == INT64_MIN)
        return false;
    const int64_t factor = common_factor(variable->value, divisor);
    *value = (Fraction){variable->value / factor, divisor / factor};
    return true;
}

static bool variable_read(Reader *reader, Name name, Fraction *value)
{
    const char *names[16];
    int32_t count = 0;
    for (int32_t i = 0; i < reader->variable_count; i++) {
        const ExpressionVariable *variable = &reader->variables[i];
        if (name_is(name, variable->name))
            return variable_value(variable, value) || fail_too_large(reader, name.start);
        if (count < (int32_t)(sizeof names / sizeof names[0]))
            names[count++] = variable->name;
    }
    char typed[40];
    size_t length = name.length < sizeof typed ? name.length : sizeof typed - 1;
    memcpy(typed, name.start, length);
    typed[length] = '\0';
    status_fail(reader->status, STATUS_BAD_INPUT, place_of(reader, name.start),
                "unknown name \"%s\" in \"%s\"", typed, reader->text);
    const char *nearest = nearest_name(typed, names, count);
    if (nearest)
        status_hint(reader->status, "did you mean \"%s\"?", nearest);
    return false;
}

static bool inner_factor_read(Reader *reader, Fraction *value)
{
    char first = peek(reader);
    if (ascii_is_digit(first))
        return number_read(reader, value);
    if (is_letter(first)) {
        Name name = name_read(reader);
        Function function = function_find(name);
        return function == FUNCTION_COUNT ? variable_read(reader, name, value)
                                          : call_read(reader, name, function, value);
    }
    if (take(reader, '('))
        return sum_read(reader, value) &&
               (take(reader, ')') || fail_at(reader, reader->here, "\")\" is missing"));
    return fail_at(reader, reader->here, "a number or a name is missing");
}

static bool factor_read(Reader *reader, Fraction *value)
{
    bool is_negative = false;
    while (take(reader, '-'))
        is_negative = !is_negative;
    // Every level of nesting passes here, so this bounds the stack.
    if (++reader->depth > EXPRESSION_DEPTH_MAX)
        return fail_at(reader, reader->here, "nesting too deep");
    if (!inner_factor_read(reader, value))
        return false;
    reader->depth--;
    if (is_negative)
        *value = fraction_negate(*value);
    return true;
}

static bool product_read(Reader *reader, Fraction *value)
{
    if (!factor_read(reader, value))
        return false;
    while (peek(reader) == '*' || peek(reader) == '/') {
        const char *sign = reader->here++;
        Fraction right;
        if (!factor_read(reader, &right))
            return false;
        if (*sign == '/') {
            if (right.numerator == 0)
                return fail_at(reader, sign, "division by zero");
            right = fraction_invert(right);
        }
        if (!fraction_multiply(*value, right, value))
            return fail_too_large(reader, sign);
    }
    return true;
}

static bool sum_read(Reader *reader, Fraction *value)
{
    if (!product_read(reader, value))
        return false;
    while (peek(reader) == '+' || peek(reader) == '-') {
        const char *sign = reader->here++;
        Fraction right;
        if (!product_read(reader, &right))
            return false;
        if (!fraction_add(*value, *sign == '-' ? fraction_negate(right) : right, value))
            return fail_too_large(reader, sign);
    }
    return true;
}

/* --- Whole expressions --- */

bool expression_evaluate(const char *text, const ExpressionVariable *variables,
                         int32_t variable_count, Place at, Fraction *value, Status *status)
{
    Reader reader = {.text = text,
                     .here = text,
                     .variables = variables,
                     .variable_count = variable_count,
                     .at = at,
                     .status = status};
    if (!sum_read(&reader, value))
        return false;
    return peek(&reader) == '\0' || fail_at(&reader, reader.here, "an unexpected character");
}

bool expression_evaluate_whole(const char *text, const ExpressionVariable *variables,
                               int32_t variable_count, Place at, int64_t *value, Status *status)
{
    Fraction fraction;
    if (!expression_evaluate(text, variables, variable_count, at, &fraction, status))
        return false;
    *value = fraction.numerator;
    if (fraction.denominator == 1)
        return true;
    status_fail(status, STATUS_BAD_INPUT, at,
                "\"%s\" is %" PRId64 "/%" PRId64 ", not a whole number", text, fraction.numerator,
                fraction.denominator);
    return status_hint(status, "use ceil(...) or floor(...)");
}
