/* The expected results of a study, which `trainyard test` checks:
 *
 *     {"at": {"nodes": 4}, "metric": "cost_usd.total", "between": [17, 18]}
 *     {"at": {"policy": "backfill"}, "metric": "workloads.gang.queue_s.mean", "of": "difference",
 *      "at_most": 0}
 *     {"idle": "nodes"}
 *
 * A value holds when its whole 95 % interval is within the limits, at each point with the levels of
 * "at". A value without an interval does not hold, unless all runs had the same value. A lower
 * bound is at least a limit, and never at most one. "difference" is that to the baseline. "idle"
 * holds when some levels of the factor changed nothing (idle_factors.h). */
#ifndef SIM_STUDY_EXPECT_STUDY_EXPECT_H
#define SIM_STUDY_EXPECT_STUDY_EXPECT_H

#include "sim/study/format/study_types.h"
#include "sim/study/outcome.h"

typedef struct {
    Place at;
    const char *text; /* the whole expectation as one line */
    int32_t factor;   /* "idle": its index; -1: the expectation is about a metric */
    /* A metric */
    int32_t metric;
    StudySubject subject;
    const int32_t *levels; /* [factor_count]; -1: any level */
    double low, high;      /* limits, in the metric's unit; infinite without one */
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

StudyAnswer study_expect_answer(Arena *arena, const StudyOutcome *outcome,
                                const StudyExpectation *expectation);

#endif
