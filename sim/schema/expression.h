/* Small formulas in scenarios: "ceil(100/ranks)", "50000/(batch*ranks)".
 *
 *     sum     = product { ("+" | "-") product }
 *     product = factor { ("*" | "/") factor }
 *     factor  = number | name | "(" sum ")" | "-" factor | function "(" sum { "," sum } ")"
 *
 * Functions are floor and ceil (of one argument), min and max (of one or more). Numbers are
 * decimal: "100", "0.5". Arithmetic is exact, on fractions of int64 in lowest terms: only floor and
 * ceil round. An intermediate or final result that does not fit is an error, as are division by
 * zero and nesting deeper than EXPRESSION_DEPTH_MAX. */
#ifndef SIM_SCHEMA_EXPRESSION_H
#define SIM_SCHEMA_EXPRESSION_H

#include <stddef.h>

#include "sim/base/status.h"

enum { EXPRESSION_DEPTH_MAX = 32 };

typedef struct {
    const char *name; /* letters, digits and '_', a letter first; not a function's */
    int64_t value;
    int64_t divisor; /* > 0: the variable is value / divisor; 0: it is `value` */
} ExpressionVariable;

typedef struct {
    int64_t numerator;
    int64_t denominator; /* > 0, without a common factor */
} Fraction;

/* Whether the `length` bytes of `name` are the name of a function. */
bool expression_is_function(const char *name, size_t length);

/* The value of `text`. `at` is the place of its first character; problems are placed after it,
 * at the character that is wrong. STATUS_BAD_INPUT when `text` is not a formula or has no value. */
MUST_CHECK bool expression_evaluate(const char *text, const ExpressionVariable *variables,
                                    int32_t variable_count, Place at, Fraction *value,
                                    Status *status);

/* The same where a whole number is required: any other value is an error. */
MUST_CHECK bool expression_evaluate_whole(const char *text, const ExpressionVariable *variables,
                                          int32_t variable_count, Place at, int64_t *value,
                                          Status *status);

#endif
