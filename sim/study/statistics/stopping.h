/* Sequential stopping: runs are made in waves until the interval is narrow enough.
 *
 * Waves end at 20, 30, 45, 67, 100, 150, ... runs in all (half as many again, rounded down). Only
 * the end of a wave is a time to look. The totals depend on the study alone, never on which run
 * finished first, so every number of threads stops at the same run. Looking after every run stops
 * at lucky moments and covers 88 % instead of 95 %; a first look at 20 runs or more and long waves
 * leave 92 % or more (tests measure it), which a study that asks for fewer runs gives away. A wide
 * goal for very skewed values ends early when the long tail has not shown itself: 20 % for values
 * of skewness 3 covers 91 %. */
#ifndef SIM_STUDY_STATISTICS_STOPPING_H
#define SIM_STUDY_STATISTICS_STOPPING_H

#include <stdint.h>

/* The runs in all at the end of the first wave that ends after `done` runs. The first wave has
 * `at_least` >= 1 runs, and the last is cut to `at_most` >= 1; `done` when that is reached. */
int32_t stopping_next(int32_t at_least, int32_t at_most, int32_t done);

#endif
