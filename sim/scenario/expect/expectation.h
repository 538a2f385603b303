/* The expected results of a scenario: read and checked here, evaluated during and after a run
 * elsewhere. */
#ifndef SIM_SCENARIO_EXPECTATION_H
#define SIM_SCENARIO_EXPECTATION_H

#include "sim/base/status.h"
#include "sim/cloud/spec/command.h"

typedef enum {
    EXPECT_STATE,  /* {"job": "train", "state": "failed", "exit_code": 3, "error": "JobFailed"} */
    EXPECT_METRIC, /* {"metric": "jobs.train.run_s", "between": ["45m", "75m"]} */
    EXPECT_FILES,  /* {"files": "myaccount/myshare/out/stdout*.txt", "count": 1} */
    EXPECT_STATISTIC,  /* {"metric": "jobs.train.queue_s", "seeds": 200, "statistic": "p95",
                          "at_most": "20m", "confidence": "95%"} */
    EXPECT_ALWAYS,     /* {"always": "cluster gpu nodes <= 4"} */
    EXPECT_NEVER,      /* {"never": "cluster gpu unusable > 0 for 10m"} */
    EXPECT_SOMETIMES,  /* {"sometimes": "cluster gpu nodes == 4"} */
    EXPECT_EVENTUALLY, /* {"eventually": "job a running", "within": "30m", "of": "job a submitted"}
                        */
    EXPECT_ORDER,      /* {"order": ["job a started", "job b started"]} or {"before": "job a
                          completed", "then": "job b started"} */
} ExpectationKind;

typedef struct {
    ExpectationKind kind;
    Place at;         /* in the scenario file */
    const char *text; /* the whole expectation in a line, for people: its members in words */

    /* Metrics: the name (sim/output/summary/metric.h), not checked yet. EXPECT_STATE: the path of
     * the state, "jobs.train.state". EXPECT_FILES: "account/share/path" in which `*` stands for any
     * characters, '/' included. */
    const char *subject;
    /* EXPECT_STATE: the state, or NULL. EXPECT_METRIC with a text value: that text. Otherwise
     * NULL. */
    const char *equals;
    /* Metrics: the number must be within [low, high], in the unit of the metric (durations in
     * seconds, sizes in bytes); infinite without a bound. EXPECT_FILES: the number of matching
     * files. */
    double low;
    double high;
    Place metric_at; /* of the metric's name */
    bool has_share;  /* a bound is a percentage, so the metric must be a ratio */

    /* EXPECT_STATE */
    bool is_job;       /* otherwise a cluster */
    const char *name;  /* of the job or cluster */
    int64_t exit_code; /* -1: any */
    const char *error; /* code of the job's error, or of an error of the cluster or its nodes;
                          NULL: any */

    /* EXPECT_STATISTIC */
    int32_t seeds;     /* the scenario's seed and those that follow it */
    double quantile;   /* of the runs' values, in (0, 1); 0: their mean */
    double confidence; /* in (0, 1), one-sided, for each bound */

    /* EXPECT_ALWAYS to EXPECT_EVENTUALLY */
    Condition condition;
    /* EXPECT_EVENTUALLY. INT64_MAX: until the run ends. */
    int64_t within_ns;

    /* EXPECT_ORDER: at least two; EXPECT_EVENTUALLY: at most one. */
    int32_t moment_count;
    const Trigger *moments;
    const char *const *moment_texts; /* as written */
    bool last_may_be_absent;         /* EXPECT_ORDER from "before" */
} Expectation;

#endif
