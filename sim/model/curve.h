/* A measured curve: a time or value as a function of an amount.
 *
 * It is linear between two points. Beyond the first and the last point the nearest segment
 * continues, but not below 0. A single point is a constant. */
#ifndef SIM_MODEL_CURVE_H
#define SIM_MODEL_CURVE_H

#include <stdint.h>

typedef struct {
    int64_t at;    /* rising */
    int64_t value; /* >= 0 */
} CurvePoint;

typedef struct {
    int32_t count; /* >= 1 */
    const CurvePoint *points;
} MeasuredCurve;

/* The value at `at` >= 0, INT64_MAX at most. Between two points it is rounded up, beyond the ends
 * away from the value of the end. */
int64_t curve_at(MeasuredCurve curve, int64_t at);
/* The same, but before the first and after the last point the value of that point. */
int64_t curve_within(MeasuredCurve curve, int64_t at);

#endif
