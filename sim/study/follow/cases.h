/* The findings of a study that follows a plan: for each level of its last factor (a load, an
 * assumption, a rate of preemption) how the winner does, and whether the answer of the plan would
 * change. */
#ifndef SIM_STUDY_FOLLOW_CASES_H
#define SIM_STUDY_FOLLOW_CASES_H

#include "sim/study/goal.h"
#include "sim/study/outcome.h"
#include "sim/study/point_estimate.h"

/* A constraint holds, or is missed, if the whole 95 % interval is on that side of its limit. An
 * interval that contains the limit leaves it open. X(ENUM, name in plan.json, words) */
#define LIMIT_VERDICTS(X)                                                                          \
    X(HOLDS, "holds", "hold")                                                                      \
    X(OPEN, "open", "perhaps")                                                                     \
    X(MISSED, "missed", "missed")                                                                  \
    X(UNKNOWN, "unknown", "unknown")

typedef enum {
#define X(name, text, words) LIMIT_##name,
    LIMIT_VERDICTS(X)
#undef X
} LimitVerdict;

/* X(ENUM, name in plan.json, words) */
#define ANSWER_CHANGES(X)                                                                          \
    X(STAYS, "stays", "the answer stays")                                                          \
    X(OPEN, "open", "the difference to the next best is within the noise")                         \
    X(OTHER, "next_best", "the next best is better")                                               \
    X(MISSES, "misses", "the recommended one misses a constraint")                                 \
    X(UNKNOWN, "unknown", "there are no runs")

typedef enum {
#define X(name, text, words) ANSWER_##name,
    ANSWER_CHANGES(X)
#undef X
} AnswerChange;

const char *limit_verdict_name(LimitVerdict verdict);
/* "hold", "perhaps": what becomes of the limits. */
const char *limit_verdict_words(LimitVerdict verdict);
const char *answer_change_name(AnswerChange change);
const char *answer_change_words(AnswerChange change);

/* The interval of an estimate that a limit is compared with; NAN: there is none. Values that are
 * the same in all runs need no interval. Values that are only lower bounds, because jobs still
 * waited when runs ended, count as in the choice: at least so many jobs waited so short a time, and
 * jobs that never started did not; a wait may be of any length. */
typedef struct {
    double low, high;
} LimitInterval;

LimitInterval limit_interval(const GoalConstraint *constraint, const MetricEstimate *estimate);

/* The verdict about a limit of the goal from an interval of its metric. Pure. */
LimitVerdict limit_verdict(const GoalConstraint *constraint, double low, double high);

typedef struct {
    MetricEstimate objective;
    MetricEstimate *constraints; /* [constraint_count] of the goal */
    LimitVerdict verdict;        /* the worst of all constraints */
    int32_t worst;               /* the constraint that has it; -1: there are none */
} CaseOfPoint;

typedef struct {
    const char *level; /* "1.25" */
    CaseOfPoint winner;
    CaseOfPoint other; /* the next best; run_count 0 without one. Its objective has the difference
                          to the winner with the same seeds */
    AnswerChange change;
} FollowCase;

typedef struct {
    int32_t count;
    const FollowCase *items; /* in the order of the levels */
} FollowCases;

/* The cases of a study that follows `plan`, whose goal names the metrics. The study may have any
 * number of its runs. Lives in `arena`. */
FollowCases follow_cases(Arena *arena, const StudyOutcome *outcome, const Study *plan);

/* Candidate `candidate` of such a study at level `level` of its last factor. */
CaseOfPoint follow_case_of(Arena *arena, const StudyOutcome *outcome, const Study *plan,
                           int32_t candidate, int32_t level);

#endif
