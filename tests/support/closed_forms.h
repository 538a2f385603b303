/* The table of known results, tests/theory/closed_forms.csv: model, parameters, metric, value, and
 * the formula or method that it was computed with. Times are in mean service times, unless the
 * metric names a unit. */
#ifndef TESTS_SUPPORT_CLOSED_FORMS_H
#define TESTS_SUPPORT_CLOSED_FORMS_H

#include <stdint.h>

#include "sim/base/arena.h"

typedef struct {
    const char *model, *parameters, *metric;
    double value;
} ClosedForm;

/* All rows in the order of the file. They live in `arena`. */
const ClosedForm *closed_forms_read(Arena *arena, int32_t *count);

/* The value of a row; fails the test if the table has no such row. */
double closed_form(const char *model, const char *parameters, const char *metric);

#endif
