/* Two catalogues of one machine: by how much each value has moved between two calibrations. */
#ifndef REAL_CALIBRATION_COMPARE_H
#define REAL_CALIBRATION_COMPARE_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* One value of two calibrations. */
typedef struct {
    const char *path;    /* "stage_times/local-core fp32 update/time" */
    double moved, error; /* shares of the old value: by so much, which was to be at most so much */
} CalibrationMove;

/* Compares the times that two catalogues of calibration_fit give where `old` was measured; `moves`
 * are those of all values, in the order of `old`, and `*count` of them. Values that one of both
 * lacks, as after a quick calibration, are left out. NULL with STATUS_BAD_INPUT where a text is not
 * such a catalogue. */
const CalibrationMove *calibration_compare(Arena *arena, const Json *old, const Json *new,
                                           int32_t *count, Status *status);

#endif
