/* The expected results of a study, which `trainyard test` checks:
 *
 *     {"at": {"nodes": 4}, "metric": "cost_usd.total", "between": [17, 18]}
 *     {"at": {"policy": "backfill"}, "metric": "workloads.gang.queue_s.mean", "of": "difference",
 *      "at_most": 0}
 *     {"idle": "nodes"}
 *     {"answer": {"nodes": 2, "priority": "lowpriority"}}
 *     {"answer": "none"}
 *     {"next_best": {"nodes": 3}}
 *     {"nearest_miss": {"nodes": 1}}
 *     {"sure": {"nodes": 4}}
 *
 * A value holds when its whole 95 % interval is within the limits, at each point with the levels of
 * "at". A value without an interval does not hold, unless all runs had the same value. A lower
 * bound is at least a limit, and never at most one. "difference" is that to the baseline. "idle"
 * holds when some levels of the factor changed nothing (idle_factors.h). "answer", "next_best",
 * "nearest_miss" and "sure" are candidates of the plan of the study: each holds when the candidate
 * has the levels; "none" when there is no such candidate. */
#ifndef SIM_STUDY_EXPECT_STUDY_EXPECT_H
#define SIM_STUDY_EXPECT_STUDY_EXPECT_H

#include "sim/study/format/study_types.h"
#include "sim/study/plan/plan_outcome.h"

/* The subject of an expectation. */
typedef enum {
    STUDY_EXPECT_METRIC,
    STUDY_EXPECT_IDLE,
    STUDY_EXPECT_ANSWER,
    STUDY_EXPECT_NEXT_BEST,
    STUDY_EXPECT_NEAREST_MISS,
    STUDY_EXPECT_SURE,
} StudyExpectKind;

typedef struct {
    Place at;
    const char *text; /* the whole expectation as one line */
    StudyExpectKind kind;
    const int32_t *levels; /* [factor_count]; -1: any level. NULL: no candidate ("none") */
    int32_t factor;        /* STUDY_EXPECT_IDLE: its index */
    /* STUDY_EXPECT_METRIC */
    int32_t metric;
    StudySubject subject;
    double low, high; /* limits, in the metric's unit; infinite without one */
} StudyExpectation;

typedef struct {
    int32_t count;
    const StudyExpectation *items;
} StudyExpectations;

/* The "expect" list of `study`. False with problems, each at its place. */
MUST_CHECK bool study_expect_read(Arena *arena, const Study *study, StudyExpectations *out,
                                  Problems *problems);

/* The answer in words: "17 to 18", "17.80 ± 0.07". */
typedef struct {
    bool holds;
    const char *expected, *got;
    int32_t point; /* where it does not hold; NO_POINT */
} StudyAnswer;

/* Whether the expectation is about the plan of the study, not about its sweep. */
bool study_expect_is_of_plan(const StudyExpectation *expectation);
/* `outcome` is that of the sweep, `plan` that of the plan; only the one that the expectation is
 * about is needed. */
StudyAnswer study_expect_answer(Arena *arena, const StudyOutcome *outcome, const PlanOutcome *plan,
                                const StudyExpectation *expectation);

#endif
