/* The kinds of values that files and command lines may give, and their texts as integers.
 *
 * Every row of every field table (sim/schema/field.h) names one of these kinds. The table below is
 * the only place that knows what a kind is called and what a message expects in its place. */
#ifndef SIM_SCHEMA_VALUE_H
#define SIM_SCHEMA_VALUE_H

#include "sim/base/status.h"

/* X(ENUM, type of the bound member (sim/schema/bind.h), name in documentation, what is expected) */
#define VALUE_KINDS(X)                                                                             \
    X(TEXT, TEXT, "text", "a string")                                                              \
    X(INTEGER, INTEGER, "integer", "an integer")                                                   \
    X(BOOLEAN, INTEGER, "true or false", "true or false")                                          \
    X(CHOICE, INTEGER, "word", "a word")                                                           \
    X(DURATION, INTEGER, "duration", "a duration such as \"90s\"")   /* ns */                      \
    X(BYTES, INTEGER, "size", "a size such as \"16GiB\"")            /* bytes */                   \
    X(RATE, INTEGER, "rate", "a rate such as \"1Gbit/s\"")           /* bytes per second */        \
    X(FLOPS, INTEGER, "speed", "a speed such as \"4.37Tflop/s\"")    /* flop per second */         \
    X(RATIO, INTEGER, "ratio", "a ratio such as \"28%\" or \"1.5\"") /* ppm */                     \
    X(MONEY, INTEGER, "amount", "an amount such as \"0.90USD\"")     /* millionths of a USD */     \
    X(POWER, INTEGER, "power", "a power such as \"9.2kW\"")          /* mW */                      \
    X(ISO_TIME, INTEGER, "time", "a time such as \"2018-07-18T17:45:00Z\"")               /* ms */ \
    X(ISO_DURATION, INTEGER, "ISO-8601 duration", "an ISO-8601 duration such as \"P7D\"") /* ns */ \
    X(OBJECT, OBJECT, "object", "an object")                                                       \
    X(OBJECTS, LIST, "list of objects", "an array of objects")                                     \
    X(JSON, NODE, "value", "a value")      /* checked by the code that reads the object */         \
    X(CUSTOM, NODE, "value", "a value")    /* read by the row's CustomKind */                      \
    X(DECIMAL, NODE, "number", "a number") /* and to REAL: in files that we write (plain.h) */     \
    X(NAMED, NODE, "objects by name", "an object")                                                 \
    X(NAMED_VALUES, NODE, "values by name", "an object")                                           \
    X(TEXTS, NODE, "texts", "a text") /* also an option that may be given more than once */        \
    X(KEY, NODE, "name", "a name")                                                                 \
    X(REAL, NODE, "number", "a number")  /* and all below: in tables of options */                 \
    X(FLAG, NODE, "flag", "nothing")     /* given: true */                                         \
    X(FLAG_OFF, NODE, "flag", "nothing") /* given: false */                                        \
    X(FILE, NODE, "file", "a path")                                                                \
    X(FOLDER, NODE, "folder", "a path")

typedef enum {
#define X(name, bound, title, expected) VALUE_##name,
    VALUE_KINDS(X)
#undef X
} ValueKind;

/* "duration" */
const char *value_title(ValueKind kind);
/* "a duration such as \"90s\"" */
const char *value_expected(ValueKind kind);

/* The quantity that `text` gives, in the unit of `kind`: DURATION, BYTES, RATE, FLOPS, RATIO,
 * MONEY, POWER, ISO_TIME or ISO_DURATION. STATUS_BAD_INPUT at `at` when `text` is not such a
 * quantity. */
MUST_CHECK bool value_parse(ValueKind kind, const char *text, Place at, int64_t *value,
                            Status *status);

/* "28%" or "1.5" in parts per million. */
MUST_CHECK bool ratio_parse(const char *text, Place at, int64_t *ppm, Status *status);
/* A decimal number with up to `decimals` digits after its point, times 10^decimals; `expected`
 * names it in the message: "a number of epochs such as \"25\"". */
MUST_CHECK bool decimal_parse(const char *text, int32_t decimals, const char *expected, Place at,
                              int64_t *value, Status *status);

/* False when `text` is anything but decimal digits, or more than `most`. No sign. */
bool whole_number_parse(const char *text, int64_t most, int64_t *value);
/* False when `text` is not a finite number as JSON and C write it ("12", "0.5", "1e-4"). No sign.
 * The locale has no influence. */
bool real_parse(const char *text, double *value);

/* The index of `word` in `words`, a list that ends with NULL; -1 when the list does not have it. */
int32_t word_list_find(const char *const *words, const char *word);
int32_t word_list_count(const char *const *words);

#endif
