/* Whole studies, as `trainyard sweep` runs them, to count how often their intervals contain the
 * truth. Study number n of a test has seeds that no other has. */
#ifndef TESTS_SUPPORT_WHOLE_STUDIES_H
#define TESTS_SUPPORT_WHOLE_STUDIES_H

#include "sim/study/point_estimate.h"
#include "sim/study/sweep.h"

/* The study of a text; paths of scenarios are relative to the source tree. Lives in `arena`. */
const Study *whole_study_read(Arena *arena, const char *text);

/* On one thread, without files. */
SweepOptions whole_sweep_options(void);

/* Runs the study with the seeds of number `number`, on one thread and without files. Lives in
 * `memory`. */
Sweep whole_study_run(const Study *like, int32_t number, Arena *memory);

/* The estimate of metric `metric` at point 0. */
MetricEstimate whole_study_estimate(const Sweep *sweep, int32_t metric);

#endif
