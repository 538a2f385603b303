/* The goal of a study that plans: what to minimise or maximise, what has to hold, how sure the
 * answer has to be, and which factors are weather, which nobody chooses.
 *
 *     "minimise": "cost_usd.total",
 *     "subject_to": [{"share": "workloads.day.waited_within(20m)", "at_least": "95%"},
 *                    {"metric": "workloads.day.failed", "at_most": 0}],
 *     "confidence": "95%", "indifference": "2%", "budget": {"runs": 20000},
 *     "weather": "load", "weather_rule": "each"
 *
 * The members are read with the study (study.h), by `sweep` too. Metrics that only the goal names
 * are added to the study's. */
#ifndef SIM_STUDY_GOAL_H
#define SIM_STUDY_GOAL_H

#include "sim/study/study.h"
#include "sim/study/study_types.h"

typedef enum { LIMIT_AT_LEAST, LIMIT_AT_MOST } LimitSide;

/* "95 % of the jobs wait at most 20 minutes", as a limit of a number of a run. A percentile of
 * waits or turnarounds that shall be at most a time is stored as the share that is at least the
 * percentile's: "queue_s.p95 at most 20m" is "waited_within(20m) at least 95 %". */
typedef struct {
    int32_t metric; /* index in Study.metrics */
    LimitSide side;
    double limit;        /* in the metric's unit; shares in [0, 1] */
    double indifference; /* >= 0, in the metric's unit: missing the limit by so little is no harm */
    const char *words;   /* as in the study: "workloads.day.waited_within(20m) >= 95%" */
} GoalConstraint;

typedef struct Goal {
    bool is_maximised;
    int32_t metric; /* of the objective, index in Study.metrics */
    /* Differences of the objective up to this are no reason to choose: a part of its value, or an
     * amount in its unit. One of both is 0. */
    double indifference_part, indifference_amount;
    int32_t constraint_count;
    const GoalConstraint *constraints;
    double confidence;       /* that the answer is right: 0.95 */
    int64_t budget_runs;     /* 0: as many as the confidence needs */
    int32_t weather_count;   /* factors that nobody chooses */
    const int32_t *weather;  /* [weather_count] indices of factors, rising */
    bool is_average_weather; /* constraints hold in the mean over the weathers, not in each */
} Goal;

/* Reads the members of `text`, whose metrics and factors `study` has, into `study->goal`. Without
 * an objective it stays NULL. `metrics` are those of the study, which has room for
 * goal_metric_count more. False with problems. */
bool goal_read(Arena *arena, const StudyText *text, Study *study, Problems *problems);

#endif
