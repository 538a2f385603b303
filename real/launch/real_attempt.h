/* Runs the ranks of one attempt of a job on this machine, and reports their end to the world. */
#ifndef REAL_REAL_ATTEMPT_H
#define REAL_REAL_ATTEMPT_H

#include "real/launch/real_state.h"

/* Runs the ranks of the attempt that has begun, keeps what they left in
 * {folder}/real/{job}/attempt-{n}, reports their end, and sets `real`. A signal to this process
 * ends them and sets the result's. */
MUST_CHECK bool real_attempt_run(RealRun *run, RealJob *real, Status *status);

#endif
