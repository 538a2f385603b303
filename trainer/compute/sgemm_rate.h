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

/* The rate of OpenBLAS' sgemm with `threads` threads over square matrices of the side that has the
 * highest median among several; about half a second. STATUS_MACHINE where this build has no
 * OpenBLAS. */
MUST_CHECK bool sgemm_rate(int32_t threads, SgemmRate *rate, Status *status);

#endif
