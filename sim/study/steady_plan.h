/* How long the runs of a point of a steady study are: found by pilot runs, a pure function of the
 * study and the point.
 *
 * The pilot has 20 runs whose seeds no other run has. Its first 2000 jobs a run give the warm-up by
 * MSER-5 on the mean of the runs' waits, in the order of submission. A pilot in which the warm-up
 * does not end, or in which the mean wait still grows by a fifth through the second half
 * (steady_drift at 99 %), is repeated with twice the jobs; if it grows again, the point is
 * unstable. The same runs without their warm-up state how much each metric of "until" varies, and
 * the length follows: half as many jobs again as the forecast says, because a pilot varies, and at
 * least four times the warm-up.
 *
 * Arrivals end with the measured part, and a run ends when its jobs have ended, so that each job
 * that was measured has all of its waits. */
#ifndef SIM_STUDY_STEADY_PLAN_H
#define SIM_STUDY_STEADY_PLAN_H

#include "sim/study/single_run.h"

enum { PILOT_RUNS = 20, PILOT_JOBS = 2000 };

/* False once `*is_stopped`. */
MUST_CHECK bool steady_plan_find(const Study *study, const PointScenario *point,
                                 const char *version, const atomic_bool *is_stopped,
                                 SteadyPlan *plan);

#endif
