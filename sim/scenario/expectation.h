/* What a scenario file says should come out: bound and checked here, evaluated against the summary
 * of a run elsewhere. */
#ifndef SIM_SCENARIO_EXPECTATION_H
#define SIM_SCENARIO_EXPECTATION_H

#include "sim/base/status.h"

typedef enum {
    EXPECT_STATE,  /* {"job": "train", "state": "succeeded"} or {"cluster": "gpu", "state": ...} */
    EXPECT_METRIC, /* {"metric": "jobs.train.run_s", "between": ["45m", "75m"]} */
    EXPECT_FILES,  /* {"files": "myaccount/myshare/out/stdout*.txt", "count": 1} */
} ExpectationKind;

typedef struct {
    ExpectationKind kind;
    Place at;         /* in the scenario file */
    const char *text; /* the whole expectation as one line, for test reports */

    /* EXPECT_METRIC: keys of summary.json joined by dots. EXPECT_STATE: the path of the state,
     * "jobs.train.state". EXPECT_FILES: "account/share/path" in which `*` stands for any
     * characters, '/' included. */
    const char *subject;
    /* EXPECT_STATE, and EXPECT_METRIC where the value is a string: must be equal. Else NULL. */
    const char *equals;
    /* EXPECT_METRIC: the number must lie in [low, high], in the unit of the metric (durations in
     * seconds, sizes in bytes); infinite where there is no bound. EXPECT_FILES: the number of
     * matching files. */
    double low;
    double high;
} Expectation;

#endif
