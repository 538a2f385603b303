/* A system that never ends, watched for a while: runs of steady studies, and scenarios whose
 * "measure" is steady. */
#ifndef SIM_SCENARIO_STEADY_H
#define SIM_SCENARIO_STEADY_H

#include "sim/base/arena.h"
#include "sim/cloud/spec/scenario.h"

/* Changes the run of `scenario`: jobs of workloads arrive until the end of `window`, whatever the
 * number or time that the workloads state; the run ends when its jobs have ended, so each job that
 * is measured has all of its waits; and the window is what is measured. window.until_ns > 0. New
 * lists live in `arena`. */
void scenario_make_steady(Arena *arena, Scenario *scenario, MeasureWindow window);

/* Gives each workload of a run without an end `jobs` jobs that arrive before `end_ns`. */
void scenario_set_arrivals(Arena *arena, Scenario *scenario, int64_t end_ns, int64_t jobs);

#endif
