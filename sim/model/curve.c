#include "sim/model/curve.h"

#include <stdbool.h>

#include "sim/base/invariant.h"
#include "sim/model/bounded.h"

static int64_t less(int64_t a, int64_t b)
{
    return a > b ? a - b : 0;
}

/* The value at `at` of the line through both points. */
static int64_t line_at(CurvePoint low, CurvePoint high, int64_t at)
{
    int64_t run = high.at - low.at;
    bool rises = high.value >= low.value;
    int64_t rise = rises ? high.value - low.value : low.value - high.value;
    if (at < low.at) {
        int64_t change = bounded_part(rise, low.at - at, run);
        return rises ? less(low.value, change) : bounded_add(low.value, change);
    }
    if (at > high.at) {
        int64_t change = bounded_part(rise, at - high.at, run);
        return rises ? bounded_add(high.value, change) : less(high.value, change);
    }
    return rises ? low.value + bounded_part(rise, at - low.at, run)
                 : high.value + bounded_part(rise, high.at - at, run);
}

int64_t curve_at(MeasuredCurve curve, int64_t at)
{
    invariant(curve.count >= 1);
    invariant(at >= 0);
    if (curve.count == 1)
        return curve.points[0].value;
    int32_t high = 1;
    while (high < curve.count - 1 && at > curve.points[high].at)
        high++;
    return line_at(curve.points[high - 1], curve.points[high], at);
}

int64_t curve_within(MeasuredCurve curve, int64_t at)
{
    const CurvePoint first = curve.points[0], last = curve.points[curve.count - 1];
    return curve_at(curve, at < first.at ? first.at : at > last.at ? last.at : at);
}
