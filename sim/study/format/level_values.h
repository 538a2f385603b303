/* Values of levels that a study computes: multiples of a scenario's value, and values between two
 * ends. */
#ifndef SIM_STUDY_FORMAT_LEVEL_VALUES_H
#define SIM_STUDY_FORMAT_LEVEL_VALUES_H

#include "sim/study/format/study_types.h"

/* `own` times `factor`, a positive number: 4 times 1.5 is 6, "6/h" times 1.25 is "7.5/h". The
 * product is exact. NULL if `own` is not a number, or not a text of one number with a unit, or
 * if the product has more than 18 digits. */
Json *value_times(Arena *arena, const Json *own, const Json *factor);

typedef enum { SPAN_WHOLE, SPAN_REAL, SPAN_DURATION, SPAN_BYTES, SPAN_KIND_COUNT } SpanKind;

/* All values from `low` to `high`, in the unit of the kind: ns, bytes. */
typedef struct {
    SpanKind kind;
    Spacing spacing;
    double low, high;
    int64_t unit; /* values are multiples of it; 0 for real numbers */
} ValueSpan;

/* Reads `node`, a list of two numbers, durations or sizes. Two integers span integers. False with a
 * message that continues "factor x: ". */
MUST_CHECK bool value_span_read(const Json *node, Spacing spacing, ValueSpan *span, Status *status);

/* The value at `position`, from 0 (low) to 1 (high). */
double value_span_at(const ValueSpan *span, double position);

/* A value between the ends as the scenario has it: 4, 0.35, "900s", "1048576B". Durations are
 * rounded to seconds, those of spans that begin below 100 s to milliseconds, and real numbers to
 * six digits. */
Json *value_span_json(Arena *arena, const ValueSpan *span, double value);

#endif
