/* The range of an axis of numbers in a drawing. */
#ifndef REPORTS_STUDY_RANGE_H
#define REPORTS_STUDY_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "reports/figure/numbers.h"
#include "sim/base/text.h"

typedef struct {
    double low, high;
    bool is_log;
    bool is_empty; /* no number so far */
} Range;

static const Range range_empty = {.is_empty = true};

void range_add(Range *range, double value); /* ignores what is not finite */
/* With room at both ends. Begins at 0 if no number is negative and the smallest is far below the
 * largest. */
Range range_for_values(Range range);
/* With a little room, for places of marks. */
Range range_for_places(Range range);

/* "x_begin = ...", "x_end", "x_is_log", "x_step": with the name `axis` instead of "x", and at most
 * `steps` steps along the axis. */
void range_print(Text *out, const char *axis, Range range, int32_t steps);
/* A number for gnuplot. */
void value_print(Text *out, double value);
/* The part of the drawing around `value` that `width_ppm` of it cover. */
PlotBand range_band(Range range, double value, int64_t width_ppm);

#endif
