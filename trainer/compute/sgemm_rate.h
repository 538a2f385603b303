/* The speed of large matrix products on this machine: the limit for a training in float32 that
 * computes convolutions directly. */
#ifndef TRAINER_SGEMM_RATE_H
#define TRAINER_SGEMM_RATE_H

#include "sim/base/status.h"

/* Floating-point operations per second. Clock rates vary on shared machines: compare a median with
 * a median, and the best with the best. */
typedef struct {
    double median, best;
} SgemmRate;

/* Measures oneDNN's sgemm with `threads` threads on square matrices of several sizes. The result is
 * the rate at the size with the highest median. Takes about half a second. STATUS_MACHINE if this
 * build has no oneDNN. */
MUST_CHECK bool sgemm_rate(int32_t threads, SgemmRate *rate, Status *status);

#endif
