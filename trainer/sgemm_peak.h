/* How fast this machine multiplies large matrices: the limit that a training in float32 by direct
 * sums is measured against. */
#ifndef TRAINER_SGEMM_PEAK_H
#define TRAINER_SGEMM_PEAK_H

#include "sim/base/status.h"

/* Floating-point operations per second of OpenBLAS' sgemm with `threads` threads: the best of
 * several runs over square matrices of several sizes, about half a second. STATUS_MACHINE where
 * this build has no OpenBLAS. */
MUST_CHECK bool sgemm_peak(int32_t threads, double *flops_per_s, Status *status);

#endif
