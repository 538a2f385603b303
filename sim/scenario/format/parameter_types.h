/* Parameters of a scenario: named values that its texts use as "${name}". */
#ifndef SIM_SCENARIO_FORMAT_PARAMETER_TYPES_H
#define SIM_SCENARIO_FORMAT_PARAMETER_TYPES_H

#include "sim/schema/bind.h"

/* A regular expression of JSON Schema: a string that is one use of a parameter. */
#define PARAMETER_PATTERN "^\\$\\{[^}]+\\}$"

/* X(ENUM, word, what is expected, kind of the quantity in a text; TEXT: not a quantity) */
#define PARAMETER_KINDS(X)                                                                         \
    X(INTEGER, "integer", "an integer", TEXT)                                                      \
    X(NUMBER, "number", "a number", TEXT)                                                          \
    X(BOOLEAN, "boolean", "true or false", TEXT)                                                   \
    X(TEXT, "text", "a string", TEXT)                                                              \
    X(CHOICE, "choice", "one of its \"choices\"", TEXT)                                            \
    X(RATE, "rate", "a rate of arrivals such as \"12/h\" or \"200/7d\"", TEXT)                     \
    X(DURATION, "duration", "a duration such as \"90s\"", DURATION)                                \
    X(SIZE, "size", "a size such as \"16GiB\"", BYTES)                                             \
    X(BANDWIDTH, "bandwidth", "a bandwidth such as \"1Gbit/s\"", RATE)                             \
    X(RATIO, "ratio", "a ratio such as \"28%\" or \"1.5\"", RATIO)                                 \
    X(MONEY, "money", "an amount such as \"0.90USD\"", MONEY)

typedef enum {
#define X(name, word, expected, quantity) PARAMETER_##name,
    PARAMETER_KINDS(X)
#undef X
} ParameterKind;

const char *parameter_kind_word(ParameterKind kind);     /* "duration" */
const char *parameter_kind_expected(ParameterKind kind); /* "a duration such as \"90s\"" */

typedef struct {
    const Json *node;
    const Json *value;
    BoundInteger kind; /* ParameterKind */
    const Json *range; /* two values */
    const Json *choices;
    BoundText unit;
    BoundText description;
} ParameterText;

extern const ObjectType parameter_type;

#endif
