/* Compares two catalogues of one machine: how far each value moved between two calibrations. */
#ifndef REAL_CALIBRATION_COMPARE_H
#define REAL_CALIBRATION_COMPARE_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* One value of two calibrations. */
typedef struct {
    const char *path;    /* "stage_times/local-core fp32 update/time" */
    double moved, error; /* relative to the old value: the change, and its bound */
} CalibrationMove;

/* Compares the times of two catalogues of calibration_fit at the points where `old` was measured.
 * Returns `*count` moves, in the order of `old`. Values that one of the catalogues lacks, as after
 * a quick calibration, are left out. NULL with STATUS_BAD_INPUT: one of them is not such a
 * catalogue. */
const CalibrationMove *calibration_compare(Arena *arena, const Json *old, const Json *new,
                                           int32_t *count, Status *status);

#endif
