/* A measured line with corners: a time or value as a function of an amount.
 *
 * Between two points the line is straight. Beyond the first and the last one the nearest piece
 * continues, never below 0; a single point is a constant. */
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

/* At `at` >= 0, rounded up; stops at INT64_MAX. */
int64_t curve_at(MeasuredCurve curve, int64_t at);
/* The same, but beyond both ends the value of the end. */
int64_t curve_within(MeasuredCurve curve, int64_t at);

#endif
