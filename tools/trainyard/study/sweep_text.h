/* The output of a sweep on stdout: the forecast before it, and the points after it. */
#ifndef TOOLS_TRAINYARD_STUDY_SWEEP_TEXT_H
#define TOOLS_TRAINYARD_STUDY_SWEEP_TEXT_H

#include "sim/study/sweep.h"

/* After the pilot: points, runs, jobs, time and disk. */
void sweep_text_forecast(const Sweep *sweep, Text *out);

/* A table with a line a point (the first ones, if they are many), and remarks: points that are not
 * precise enough, values that are lower bounds, factors that did nothing, what was interrupted. */
void sweep_text_result(const Sweep *sweep, Text *out);

#endif
