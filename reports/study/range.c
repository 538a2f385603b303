#include "reports/study/range.h"

#include <math.h>

#include "sim/base/units.h"
#include "sim/model/random_math.h"

void range_add(Range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = range->is_empty || value < range->low ? value : range->low;
    range->high = range->is_empty || value > range->high ? value : range->high;
    range->is_empty = false;
}

/* A part of the width, or of a number if all are equal. */
static double room_for(Range range, double part)
{
    const double width = range.high - range.low;
    if (width > 0)
        return width * part;
    return range.low != 0 ? fabs(range.low) * 0.1 : 1;
}

Range range_for_values(Range range)
{
    const double room = room_for(range, 0.06);
    const bool begins_at_0 = range.low >= 0 && range.low <= range.high * 0.5;
    range.low = begins_at_0 ? 0 : range.low - room;
    range.high += room;
    return range;
}

Range range_for_places(Range range)
{
    if (range.is_log && range.high > range.low) {
        const double room = sqrt(sqrt(sqrt(sqrt(range.high / range.low)))); // 1/16 of the width
        range.low /= room;
        range.high *= room;
        return range;
    }
    range.is_log = false;
    const double room = room_for(range, 0.05);
    range.low -= room;
    range.high += room;
    return range;
}

void value_print(Text *out, double value)
{
    if (isfinite(value))
        text_printf(out, "%.9g", value);
    else
        text_add(out, "NaN");
}

/* 1, 2 or 5 times a power of ten. */
static double step_of(double width, int32_t steps)
{
    double step = 1;
    while (width / step > steps)
        step *= 10;
    while (width / (step / 10) <= steps)
        step /= 10;
    if (width / (step / 5) <= steps)
        return step / 5;
    return width / (step / 2) <= steps ? step / 2 : step;
}

void range_print(Text *out, const char *axis, Range range, int32_t steps)
{
    text_printf(out, "%s_begin = ", axis);
    value_print(out, range.low);
    text_printf(out, "\n%s_end = ", axis);
    value_print(out, range.high);
    text_printf(out, "\n%s_step = ", axis);
    value_print(out, step_of(range.high - range.low, steps));
    text_printf(out, "\n%s_is_log = %d\n", axis, range.is_log);
}

static int64_t inside(double ppm)
{
    return ppm < 0 ? 0 : ppm > (double)PPM ? PPM : (int64_t)ppm;
}

PlotBand range_band(Range range, double value, int64_t width_ppm)
{
    const double place = range.is_log
                             ? random_log(value / range.low) / random_log(range.high / range.low)
                             : (value - range.low) / (range.high - range.low);
    const double middle = place * (double)PPM;
    return (PlotBand){inside(middle - (double)width_ppm / 2),
                      inside(middle + (double)width_ppm / 2)};
}
