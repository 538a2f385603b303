/* The limits of an expected metric: "equals", "between", "at_least" and "at_most". */
#ifndef SIM_SCENARIO_EXPECT_BOUNDS_H
#define SIM_SCENARIO_EXPECT_BOUNDS_H

#include "sim/json/json.h"

/* The members as written; NULL: absent. */
typedef struct {
    const Json *node; /* the whole expectation */
    const Json *equals, *between, *at_least, *at_most;
} BoundsText;

/* The number is within [low, high], in the unit of the metric: durations in seconds, sizes in
 * bytes, amounts in USD; infinite without a limit. */
typedef struct {
    double low, high;
    bool has_share; /* a limit is a percentage, so the metric must be a ratio */
} Bounds;

/* Whether values of the metric have a unit, by its name: "jobs.train.run_s", "bytes",
 * "cost_usd.total". */
bool bounds_have_unit(const char *metric);

/* Reads the limits of `metric`: numbers, or quantities whose unit fits the metric's name. Problems
 * are added, also when there is not exactly one way to compare. */
Bounds bounds_read(const BoundsText *text, const char *metric, Problems *problems);

#endif
