/* Any bytes as a formula: no crash, and a value only in lowest terms. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/schema/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ExpressionVariable variables[] = {{"ranks", 4, 1},
                                                   {"nodes", 2, 1},
                                                   {"samples", 50000, 1},
                                                   {"most", INT64_MAX, 1},
                                                   {"least", INT64_MIN, 1}};
    char *text = malloc(size + 1);
    invariant(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';

    Fraction value;
    Status status = {0};
    if (expression_evaluate(text, variables, 5, place_in("fuzz", 1, 1), &value, &status)) {
        invariant(value.denominator > 0 && value.numerator != INT64_MIN);
        int64_t a = magnitude(value.numerator), b = value.denominator;
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        invariant(a == 1);
    } else {
        invariant(status.code == STATUS_BAD_INPUT && status.message[0]);
    }
    free(text);
    return 0;
}
