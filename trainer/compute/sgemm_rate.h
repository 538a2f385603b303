/* How fast this machine multiplies large matrices: the limit that a training in float32 by direct
 * sums is measured against. */
#ifndef TRAINER_SGEMM_RATE_H
#define TRAINER_SGEMM_RATE_H

#include "sim/base/status.h"

/* Floating-point operations per second. Clocks wander on shared machines, so a median is to be
 * compared with a median, and the best with the best. */
typedef struct {
    double median, best;
} SgemmRate;

/* Measures oneDNN's sgemm with `threads` threads on square matrices of several sizes. The result is
 * the rate at the size with the highest median. Takes about half a second. STATUS_MACHINE if this
 * build has no oneDNN. */
MUST_CHECK bool sgemm_rate(int32_t threads, SgemmRate *rate, Status *status);

#endif
