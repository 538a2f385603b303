/* Sequential stopping: runs are made in waves until the interval is narrow enough.
 *
 * Waves end at 20, 30, 45, 67, 100, 150, ... runs in all (half as many again, rounded down). Only
 * the end of a wave is a time to look. The totals depend on the rule alone, never on which run
 * finished first, so every number of threads stops at the same run. Looking after every run stops
 * at lucky moments and covers 88 % instead of 95 %; a first look at 20 runs or more and long waves
 * leave 92 % or more (tests measure it). A wide goal for very skewed values ends early when the
 * long tail has not shown itself: 20 % for values of skewness 3 covers 91 %. */
#ifndef SIM_STUDY_STATISTICS_STOPPING_H
#define SIM_STUDY_STATISTICS_STOPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/study/statistics/estimate.h"

enum { STOPPING_FIRST_LOOK = 20 };

typedef struct {
    int32_t at_least;           /* runs before the first look; below 20 no rule may stop */
    int32_t at_most;            /* runs in all; the last wave is cut to it */
    double relative_half_width; /* stop when half_width <= this * |mean|; 0: no such wish */
    double half_width;          /* stop when half_width <= this; 0: no such wish */
} StoppingRule;

/* The number of runs in all at the end of wave 0, 1, 2, ...: the larger of `at_least` and 1, then
 * half as many again each time, at most `at_most`. */
int32_t stopping_wave(const StoppingRule *rule, int32_t wave);
/* The same after `done` runs: the end of the next wave, or `done` when `at_most` is reached. */
int32_t stopping_next(const StoppingRule *rule, int32_t done);

/* The decision at the end of a wave. */
typedef enum {
    STOPPING_GO_ON,     /* another wave */
    STOPPING_MET,       /* the interval is narrow enough, or nothing was asked for */
    STOPPING_EXHAUSTED, /* at_most is reached first: the words of the forecast say what is missing
                         */
} StoppingLook;

/* Looks at the estimate after a wave. A rule without a wish is met at the end of the first wave. */
StoppingLook stopping_look(const StoppingRule *rule, const Estimate *estimate);

#endif
